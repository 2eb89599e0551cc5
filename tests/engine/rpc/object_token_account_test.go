package rpc_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestATokenOfAnAccount(t *testing.T) {
	t.Parallel()
	accounts := schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
	token := func(w world, account string) map[string]any {
		return object(w.t, `{apiVersion: v1, kind: Secret, type: kubernetes.io/service-account-token,
			metadata: {name: token, namespace: %s, annotations: {kubernetes.io/service-account.name: %s}}}`, w.namespace, account)
	}
	account := func(w world) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: object(w.t, `{apiVersion: v1, kind: ServiceAccount, metadata: {name: robot, namespace: %s}}`, w.namespace)}
	}

	t.Run("that does not exist is refused, and names the account [D114]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "token")
		in := program(token(w, "robot"))
		did, _, err := s.preview(in)
		require.NoError(t, err)
		assert.Equal(t, "create", did)
		assert.Contains(t, s.warned(), "ServiceAccount "+w.namespace+"/robot does not exist yet.")
		_, err = s.up(in)
		require.ErrorContains(t, err, "Secret "+w.namespace+"/token was not applied: it is a token of ServiceAccount "+w.namespace+"/robot, which does not exist")
		assert.False(t, w.exists("Secret", "token"))
		_, err = w.client.Resource(accounts).Namespace(w.namespace).Create(t.Context(), account(w), metav1.CreateOptions{})
		require.NoError(t, err)
		s.mustUp("create", in).mustUp("same", in)
	})
	t.Run("that the same run creates is waited for [D114]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		time.AfterFunc(time.Second, func() {
			_, _ = w.client.Resource(accounts).Namespace(w.namespace).Create(context.Background(), account(w), metav1.CreateOptions{})
		})
		in := program(token(w, "robot"))
		s := start(t, inline(newUser(t))).resource(t, "token").mustUp("create", in).mustUp("same", in)
		assert.Empty(t, s.warned())
	})
}
