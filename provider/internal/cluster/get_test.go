package cluster_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

func TestAnAnswerThatIsNotTheObjectTellsNothingOfIt(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"a Status":               status(200, "NotFound"),
		"a list of its kind":     says(200, `{"kind":"ConfigMapList","apiVersion":"v1","items":[]}`),
		"another kind":           says(200, `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"web","namespace":"shop","uid":"1"}}`),
		"JSON of something else": says(200, `{"message":"log in"}`),
		"a page":                 says(200, `<html>log in</html>`),
		"nothing":                says(200, ``),
	} {
		t.Run(name, func(t *testing.T) {
			f, clu := newFake(t)
			f.says(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/api/v1" {
					says(200, `{"kind":"APIResourceList","resources":[{"name":"configmaps","kind":"ConfigMap","namespaced":true}]}`)(w, r)
					return
				}
				answer(w, r)
			})
			ref := cluster.Ref{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "web"}
			live, failed := clu.Get(t.Context(), ref)
			assert.Nil(t, live)
			_, lost := clu.Apply(t.Context(), configMap("shop", "web", nil), manager)
			_, lostToo := clu.Patch(t.Context(), ref, []byte(`[]`), cluster.PatchOptions{Type: types.JSONPatchType})
			for verb, err := range map[string]error{"get": failed, "apply": lost, "patch": lostToo} {
				require.ErrorContains(t, err, "ConfigMap shop/web: ", verb)
				unreadable := (*failure.UnreadableReplyError)(nil)
				assert.True(t, errors.As(err, &unreadable), "%s: %v", verb, err)
				assert.False(t, failure.Gone(err), "%s: nothing is gone because of it", verb)
			}
			assert.Equal(t, failure.Unknown, failure.Outcome(lost), "what was sent may have been carried out")
			assert.Equal(t, failure.Unknown, failure.Outcome(lostToo))
		})
	}
}

func TestAnAbsenceThatNamesNothingIsBelievedOnlyOfACluster(t *testing.T) {
	for name, c := range map[string]struct {
		kubeSystem http.HandlerFunc
		gone       bool
	}{
		"an aggregated API server that names nothing":         {says(200, kubeSystem), true},
		"one whose user may not read kube-system":             {status(403, "Forbidden"), true},
		"a gateway that has lost the cluster":                 {status(404, "NotFound"), false},
		"a gateway that has lost the cluster, with a page":    {says(404, "<html>404 page not found</html>"), false},
		"a gateway that has lost the cluster, and says so":    {status(503, "ServiceUnavailable"), false},
		"a gateway that asks for a login instead of a reply":  {says(200, "<html>log in</html>"), false},
		"a server that does not accept the credentials (any)": {status(401, "Unauthorized"), false},
	} {
		t.Run(name, func(t *testing.T) {
			f, clu := newFake(t)
			f.says(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/api/v1":
					says(200, `{"kind":"APIResourceList","resources":[{"name":"configmaps","kind":"ConfigMap","namespaced":true}]}`)(w, r)
				case "/api/v1/namespaces/kube-system":
					c.kubeSystem(w, r)
				default:
					status(404, "NotFound")(w, r)
				}
			})
			ref := cluster.Ref{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "web"}
			_, err := clu.Get(t.Context(), ref)
			assert.Equal(t, c.gone, failure.Gone(err), "%v", err)
			result, err := clu.Delete(t.Context(), ref, cluster.DeleteOptions{})
			assert.Equal(t, c.gone, err == nil && result.Gone, "%v", err)
		})
	}
}

func TestARequestWaitsForThePathOfAKindThatIsListed(t *testing.T) {
	const list = `{"kind":"APIResourceList","resources":[{"name":"configmaps","kind":"ConfigMap","namespaced":true},{"name":"crates","kind":"Crate","namespaced":true}]}`
	ref := cluster.Ref{APIVersion: "example.com/v1", Kind: "Crate", Namespace: "shop", Name: "web"}
	for name, send := range map[string]func(*cluster.Cluster) error{
		"a read": func(c *cluster.Cluster) error { _, err := c.Get(t.Context(), ref); return err },
		"a patch": func(c *cluster.Cluster) error {
			_, err := c.Patch(t.Context(), ref, []byte(`[]`), cluster.PatchOptions{Type: types.JSONPatchType})
			return err
		},
		"a delete": func(c *cluster.Cluster) error {
			_, err := c.Delete(t.Context(), ref, cluster.DeleteOptions{})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			unrouted := 0
			f, clu := newFake(t)
			f.says(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/apis/example.com/v1":
					says(200, list)(w, r)
				case unrouted < 2:
					unrouted++
					says(404, "404 page not found")(w, r)
				default:
					says(200, `{"kind":"Crate","apiVersion":"example.com/v1","metadata":{"name":"web","namespace":"shop","uid":"1","deletionTimestamp":"2026-01-01T00:00:00Z"}}`)(w, r)
				}
			})
			require.NoError(t, send(clu))
			assert.Equal(t, 2, unrouted)
		})
	}
	t.Run("but not of a kind whose path always exists", func(t *testing.T) {
		asked := 0
		f, clu := newFake(t)
		f.says(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/v1" {
				says(200, list)(w, r)
				return
			}
			asked++
			says(404, "404 page not found")(w, r)
		})
		_, err := clu.Get(t.Context(), cluster.Ref{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "web"})
		require.Error(t, err)
		assert.Equal(t, 1, asked)
	})
}
