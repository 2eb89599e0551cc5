package object_test

import (
	"maps"
	"testing"
	"time"

	"github.com/pulumi/pulumi-go-provider/middleware"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/object"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

type m = map[string]any

// settings are the parts of the provider's configuration that concern objects.
type settings struct {
	conflictPolicy string
	ignored        object.Ignored
}

// ResumeWithin is the default.
func (settings) ResumeWithin() time.Duration { return time.Hour }

// DriftInPreview is the default.
func (settings) DriftInPreview() bool { return true }

// ConflictPolicy is the policy of the test.
func (s settings) ConflictPolicy() string { return s.conflictPolicy }

// Ignored is the setting ignore of the test.
func (s settings) Ignored(manifest.Identity) object.Ignored { return s.ignored }

// process is one process of the provider, with a connection to the server.
func process(server *verbs.Server) middleware.CustomResource { return configured(server, settings{}) }

func configured(server *verbs.Server, s settings) middleware.CustomResource {
	source := connection.NewSource("test")
	source.Configure(verbs.Properties(m{"host": server.URL, "namespace": "shop"}))
	return object.New(source, s, &tracked.Memory{})
}

// The ConfigMap of these tests.
const (
	thePath = verbs.Path
	ours    = "k8sconnect-shop.dev.web-270f6824"
	theUID  = verbs.UID
)

func configMap() m {
	return m{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": m{"name": "web"},
		"data": m{"color": "blue", "size": "small"},
	}
}

// program is a program with a manifest, and with other inputs.
func program(manifest any, more ...m) property.Map {
	inputs := m{"manifest": manifest}
	for _, other := range more {
		maps.Copy(inputs, other)
	}
	return verbs.Properties(inputs)
}

var (
	live, owns = verbs.ConfigMap, verbs.Owns
	// applied is the ConfigMap after our apply.
	applied = live(theUID, `{"color":"blue","size":"small"}`, owns(ours, "Apply", `{"f:color":{},"f:size":{}}`))
	absent  = verbs.Absent
)

// made is the ConfigMap after a run that has made it. The next run begins.
func made(t testing.TB, more ...m) (*verbs.Server, *verbs.Resource) {
	t.Helper()
	server := verbs.NewServer(t)
	server.Says("PATCH "+thePath, verbs.JSON(201, applied))
	server.Says("GET "+thePath, verbs.JSON(200, applied))
	web := verbs.New(t, "KubeObject", process(server))
	require.NoError(t, web.Create(program(configMap(), more...)))
	server.Asked()
	return server, web.In(t, process(server))
}

// with is the ConfigMap with one more value, at a path of keys.
func with(v any, path ...string) m {
	object := configMap()
	at := object
	for _, key := range path[:len(path)-1] {
		if _, ok := at[key].(m); !ok {
			at[key] = m{}
		}
		at = at[key].(m)
	}
	at[path[len(path)-1]] = v
	return object
}
