package wait_test

import (
	"maps"
	"testing"

	"github.com/pulumi/pulumi-go-provider/middleware"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/wait"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

type (
	m     = map[string]any
	kinds = map[string]string
)

const theID = "v1/ConfigMap/shop/web"

// process is one process of the provider, with a connection to the server, which may forget clusters.
func process(server *verbs.Server, forgotten ...string) middleware.CustomResource {
	source := connection.NewSource("test")
	source.Configure(verbs.Properties(m{"host": server.URL, "namespace": "shop"}))
	source.Forget(forgotten)
	return wait.New(source, func() *readiness.Rules { return nil }, &tracked.Memory{})
}

// The three ways in which the tests wait for the ConfigMap.
var (
	forColor    = m{"field": "data.color"}
	forBlue     = m{"expression": "object.data.color == 'blue'"}
	forDeletion = m{"deleted": true}
)

// program is a program with a Wait for the ConfigMap, and with other inputs.
func program(waitFor any, more ...m) property.Map {
	inputs := m{"resourceRef": m{"apiVersion": "v1", "kind": "ConfigMap", "namespace": "shop", "name": "web"}, "waitFor": waitFor}
	for _, other := range more {
		maps.Copy(inputs, other)
	}
	return verbs.Properties(inputs)
}

// withColor is the ConfigMap.
func withColor(uid, color string) verbs.Answer {
	return verbs.JSON(200, verbs.ConfigMap(uid, `{"color":"`+color+`"}`))
}

// waited is a Wait after a run in which it was waited. The next run begins.
func waited(t testing.TB, waitFor m) (*verbs.Server, *verbs.Resource) {
	t.Helper()
	server := verbs.NewServer(t)
	server.Says("GET "+verbs.Path, withColor(verbs.UID, "blue"))
	if waitFor["deleted"] == true {
		server.Says("GET "+verbs.Path, verbs.Absent)
		server.Says("GET /api/v1/namespaces/shop/configmaps", verbs.JSON(200, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[]}`))
	}
	web := verbs.New(t, "Wait", process(server))
	require.NoError(t, web.Create(program(waitFor)))
	server.Asked()
	return server, web.In(t, process(server))
}

// pending is a Wait after a run in which it was waited in vain: the ConfigMap was red.
func pending(t testing.TB) (*verbs.Server, *verbs.Resource) {
	t.Helper()
	server := verbs.NewServer(t)
	server.Says("GET "+verbs.Path, withColor(verbs.UID, "red"))
	server.Says("GET /api/v1/namespaces/shop/configmaps", verbs.Hang)
	web := verbs.New(t, "Wait", process(server))
	require.Error(t, web.Create(program(blueSoon())))
	require.Equal(t, property.New(true), web.Outputs.Get("__pendingWait"))
	server.Asked()
	return server, web.In(t, process(server))
}

// blueSoon is a wait that does not take long.
func blueSoon() m { return m{"expression": "object.data.color == 'blue'", "timeout": "100ms"} }

// stale are outputs of a resource that could not be looked at.
func stale(outputs property.Map) property.Map { return outputs.Set("__staleRead", property.New(true)) }
