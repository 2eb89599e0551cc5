package patch_test

import (
	"maps"
	"testing"

	"github.com/pulumi/pulumi-go-provider/middleware"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/patch"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

type (
	m     = map[string]any
	kinds = map[string]string
)

// theID is the ID in the state, and ours the field manager of the Patch.
const (
	theID = "v1/ConfigMap/shop/web"
	ours  = "k8sconnect-patch-shop.dev.web-23484093"
)

// process is one process of the provider, with a connection to the server, which may forget clusters.
func process(server *verbs.Server, forgotten ...string) middleware.CustomResource {
	source := connection.NewSource("test")
	source.Configure(verbs.Properties(m{"host": server.URL, "namespace": "shop"}))
	source.Forget(forgotten)
	return patch.New(source, func() *readiness.Rules { return nil }, &tracked.Memory{})
}

// program is a program with a patch of the ConfigMap, and with other inputs.
func program(kind string, document any, more ...m) property.Map {
	inputs := m{"target": m{"apiVersion": "v1", "kind": "ConfigMap", "name": "web"}, "takeOwnership": true, kind: document}
	for _, other := range more {
		maps.Copy(inputs, other)
	}
	return verbs.Properties(inputs)
}

// paints are the three ways to say that the color is to be red.
var paints = map[string]any{
	"patch":      m{"data": m{"color": "red"}},
	"mergePatch": m{"data": m{"color": "red"}},
	"jsonPatch":  []any{m{"op": "replace", "path": "/data/color", "value": "red"}},
}

// before is the ConfigMap that someone else has made; patched is the ConfigMap after the patch.
var before = verbs.ConfigMap(verbs.UID, `{"color":"blue","size":"small"}`, verbs.Owns("kubectl", "Apply", `{"f:color":{},"f:size":{}}`))

func patched(kind string) string {
	operation := map[string]string{"patch": "Apply", "mergePatch": "Update", "jsonPatch": "Update"}[kind]
	return verbs.ConfigMap(verbs.UID, `{"color":"red","size":"small"}`, verbs.Owns("kubectl", "Apply", `{"f:size":{}}`), verbs.Owns(ours, operation, `{"f:color":{}}`))
}

// made is the Patch after a run that has made it. The next run begins.
func made(t testing.TB, kind string, more ...m) (*verbs.Server, *verbs.Resource) {
	t.Helper()
	server := verbs.NewServer(t)
	server.Says("GET "+verbs.Path, verbs.JSON(200, before))
	server.Says("PATCH "+verbs.Path, verbs.JSON(200, patched(kind)))
	web := verbs.New(t, "Patch", process(server))
	require.NoError(t, web.Create(program(kind, paints[kind], more...)))
	server.Says("GET "+verbs.Path, verbs.JSON(200, patched(kind)))
	server.Asked()
	return server, web.In(t, process(server))
}

// stale are outputs of a resource that could not be looked at.
func stale(outputs property.Map) property.Map { return outputs.Set("__staleRead", property.New(true)) }
