package object_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/pulumi/pulumi-go-provider/middleware"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/object"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

type m = map[string]any

// settings are the provider's configuration, as far as it is about objects.
type settings struct{ conflictPolicy string }

// ResumeWithin is the default.
func (settings) ResumeWithin() time.Duration { return time.Hour }

// ConflictPolicy is that of the test.
func (s settings) ConflictPolicy() string { return s.conflictPolicy }

// process is one process of the provider, with a connection to the server.
func process(server *verbs.Server) middleware.CustomResource { return configured(server, settings{}) }

func configured(server *verbs.Server, s settings) middleware.CustomResource {
	source := connection.NewSource("test")
	source.Configure(verbs.Properties(m{"host": server.URL, "namespace": "shop"}))
	return object.New(source, s)
}

// The ConfigMap of these tests, and what the API server says of it.
const (
	thePath = "/api/v1/namespaces/shop/configmaps/web"
	ours    = "k8sconnect-shop.dev.web-270f6824"
	theUID  = "5a5f3c0e-0000-4000-8000-00000000000a"
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
		for key, v := range other {
			inputs[key] = v
		}
	}
	return verbs.Properties(inputs)
}

// live is the ConfigMap as the API server has it, with these data and these entries of managers.
func live(uid, data string, entries ...string) string {
	managed := ""
	for i, entry := range entries {
		if i > 0 {
			managed += ","
		}
		managed += entry
	}
	return fmt.Sprintf(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"web","namespace":"shop","uid":%q,"resourceVersion":"7",`+
		`"creationTimestamp":"2026-01-02T03:04:05Z","managedFields":[%s]},"data":%s}`, uid, managed, data)
}

// owns is an entry of managedFields.
func owns(manager, operation, fields string) string {
	return fmt.Sprintf(`{"manager":%q,"operation":%q,"apiVersion":"v1","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":%s}}`,
		manager, operation, fields)
}

var (
	// applied is the ConfigMap after our apply.
	applied = live(theUID, `{"color":"blue","size":"small"}`, owns(ours, "Apply", `{"f:color":{},"f:size":{}}`))
	// absent says that there is no such ConfigMap.
	absent = verbs.Refusal(404, "NotFound", `{"name":"web","kind":"configmaps"}`)
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
