package cluster_test

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

const kubeSystem = `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"kube-system","uid":"1234"}}`

// noKubeSystem is the API server's answer that the namespace does not exist.
const noKubeSystem = `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"namespaces \"kube-system\" not found",` +
	`"reason":"NotFound","details":{"name":"kube-system","kind":"namespaces"},"code":404}`

func TestTheIDOfAClusterIsAskedForOnce(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		id     string
	}{
		"it is the uid of kube-system":                              {says(200, kubeSystem), "1234"},
		"a user who may not read it has none, which is no error":    {status(403, "Forbidden"), ""},
		"a cluster without kube-system has none, which is no error": {says(404, noKubeSystem), ""},
	} {
		t.Run(name+" [D8]", func(t *testing.T) {
			f, clu := newFake(t)
			f.says(func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, "/api/v1/namespaces/kube-system", r.URL.Path)
				c.answer(w, r)
			})
			var callers sync.WaitGroup
			for range 20 {
				callers.Go(func() {
					id, err := clu.ID(t.Context())
					assert.NoError(t, err)
					assert.Equal(t, c.id, id)
				})
			}
			callers.Wait()
			id, err := clu.ID(t.Context())
			require.NoError(t, err)
			assert.Equal(t, c.id, id)
			assert.EqualValues(t, 1, f.requests.Load())
		})
	}
}

func TestAFailedQuestionForTheIDIsAnErrorAndNotKept(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"credentials that have expired":       status(401, "Unauthorized"),
		"an API server in trouble":            status(500, "InternalError"),
		"a load balancer without its backend": says(404, "<html>404 page not found</html>"),
		"a gateway without its cluster":       status(404, "NotFound"),
		"half an answer":                      says(200, kubeSystem[:40]),
		"an answer of something else":         says(200, `{"apiVersion":"v1","kind":"Pod","metadata":{"uid":"1234"}}`),
		"a namespace without a uid":           says(200, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"kube-system"}}`),
	} {
		t.Run(name+" [D8]", func(t *testing.T) {
			f, clu := newFake(t)
			f.says(answer)
			id, err := clu.ID(t.Context())
			require.ErrorContains(t, err, "kube-system")
			assert.Empty(t, id)
			assert.False(t, apierrors.IsNotFound(err), "nothing is gone because of it")
			f.says(says(200, kubeSystem))
			id, err = clu.ID(t.Context())
			require.NoError(t, err)
			assert.Equal(t, "1234", id)
		})
	}
}

func TestACallerThatGivesUpDoesNotFailTheOthersWhoAskForTheID(t *testing.T) {
	f, clu := newFake(t)
	asked, hold := make(chan struct{}), make(chan struct{})
	f.says(func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-hold
		says(200, kubeSystem)(w, r)
	})
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error)
	go func() { _, err := clu.ID(ctx); first <- err }()
	<-asked
	cancel()
	err := <-first
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, failure.NotSent, failure.Outcome(err))
	close(hold)
	id, err := clu.ID(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "1234", id)
	assert.EqualValues(t, 1, f.requests.Load(), "the question that was under way was enough")
}

func TestTheIDIsThatOfTheCluster(t *testing.T) {
	t.Run("for every user of it [D8]", func(t *testing.T) {
		live, err := admin(t).Get(t.Context(), cluster.Ref{APIVersion: "v1", Kind: "Namespace", Name: "kube-system"})
		require.NoError(t, err)
		id, err := admin(t).ID(t.Context())
		require.NoError(t, err)
		assert.Equal(t, string(live.GetUID()), id)
	})
	t.Run("and none for one who may not read it [D8]", func(t *testing.T) {
		user, err := shared.Get(t).AddUser("id-reader-of-nothing")
		require.NoError(t, err)
		id, err := get(t, inline(user)).ID(t.Context())
		require.NoError(t, err)
		assert.Empty(t, id)
	})
}
