package cluster_test

import (
	"bytes"
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/klog/v2"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
)

// Not parallel: klog has one output in a process.
func TestAnAnswerThatBreaksOffIsReturnedAndNotLogged(t *testing.T) {
	var logged bytes.Buffer
	klog.LogToStderr(false)
	klog.SetOutput(&logged)
	t.Cleanup(func() { klog.LogToStderr(true) })
	f, clu := newFake(t)
	discovery := says(200, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[{"name":"configmaps","kind":"ConfigMap","namespaced":true,"verbs":["get"]}]}`)
	f.says(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v1" {
			discovery(w, r)
			return
		}
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte("{"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := clu.Get(ctx, cluster.Ref{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "web"})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	klog.Flush()
	assert.Empty(t, logged.String())
}
