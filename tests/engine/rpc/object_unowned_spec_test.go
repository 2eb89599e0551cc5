package rpc_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

func init() {
	resources["CertificateSigningRequest"] = schema.GroupVersionResource{
		Group: "certificates.k8s.io", Version: "v1", Resource: "certificatesigningrequests",
	}
}

// TestAKindWhoseSpecNobodyOwns has an object of which the API server says that we own nothing: it keeps the spec of a
// CertificateSigningRequest out of managedFields.
func TestAKindWhoseSpecNobodyOwns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	requestsOf := w.client.Resource(resources["CertificateSigningRequest"])
	content, err := os.ReadFile("testdata/kinds/certificatesigningrequest.yaml")
	require.NoError(t, err)
	var manifest map[string]any
	require.NoError(t, yaml.Unmarshal(content, &manifest))
	manifest["metadata"] = map[string]any{"name": w.namespace}
	in := program(manifest, atOnce) // nobody collects garbage here
	live := func() *unstructured.Unstructured {
		found, err := requestsOf.List(t.Context(), listAll)
		require.NoError(t, err)
		for i := range found.Items {
			if found.Items[i].GetName() == w.namespace {
				return &found.Items[i]
			}
		}
		return nil
	}

	s := start(t, inline(newUser(t))).resource(t, "request").mustUp("create", in)
	assert.Nil(t, at(t, s.outputs, "__pendingProjection"))
	assert.Empty(t, drifted(s, in))
	s.mustUp("same", in)
	assert.NotEmpty(t, live().GetManagedFields(), "the object is recognised as ours")
	require.NoError(t, s.destroy())
	assert.Nil(t, live())
}
