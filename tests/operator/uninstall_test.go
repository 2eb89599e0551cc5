package operator

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// definition is the name of the definition of Environments.
const definition = "environments.platform.example.com"

func TestUninstalling(t *testing.T) { // [X41]
	t.Parallel()
	s := alone(t)
	s.program(greeting)
	e := s.create("shop", text("hello"))
	e.ready()
	uid, made := e.read().GetUID(), s.configMap("greeting").UID

	t.Run("leaves the definition and all Environments", func(t *testing.T) {
		out, err := kubectl(t.Context(), s.cluster, "delete", "--kustomize", manifests, "--timeout=60s")
		require.NoError(t, err, out)
		for _, left := range []*unstructured.Unstructured{e.read(), s.definition()} {
			require.NotNil(t, left)
			assert.Nil(t, left.GetDeletionTimestamp(), left.GetName())
		}
	})
	t.Run("leaves the policy in force: what is changed now would run after the next installation", func(*testing.T) {
		s.tenant("meanwhile").denied(nil)
	})
	t.Run("leaves a definition that nobody deletes by mistake", func(t *testing.T) {
		out, err := kubectl(t.Context(), s.cluster, "delete", "crd", definition)
		require.Error(t, err, out)
		assert.Contains(t, out, "deletes all objects of the kind Environment")
		err = s.client.DeleteAllOf(t.Context(), s.definition())
		require.True(t, apierrors.IsForbidden(err), "%v", err)
		assert.Nil(t, s.definition().GetDeletionTimestamp())
	})
	t.Run("and installing again goes on as if nothing had happened", func(t *testing.T) {
		require.NoError(t, applyManifests(t.Context(), s.cluster))
		e.change(text("good evening"))
		assert.EqualValues(t, 2, e.applied(2).Serial)
		assert.Equal(t, uid, e.read().GetUID())
		assert.Equal(t, made, s.configMap("greeting").UID)
		assert.Equal(t, "good evening", s.text("greeting"))
	})
	t.Run("a deletion that is meant is allowed as the refusal says, and destroys", func(t *testing.T) {
		out, err := kubectl(t.Context(), s.cluster, "delete", "crd", definition)
		require.Error(t, err, out)
		s.follow(out)
		out, err = kubectl(t.Context(), s.cluster, "delete", "crd", definition, "--timeout=90s")
		require.NoError(t, err, out)
		assert.Nil(t, s.configMap("greeting"))
	})
}

func TestADefinitionThatIsMarkedForDeletion(t *testing.T) { // [X41]
	t.Parallel()
	s := alone(t)
	s.program(greeting)
	e := s.create("shop", text("hello"))
	e.ready()
	for _, args := range [][]string{
		{"delete", "--kustomize", manifests, "--timeout=60s"},
		{"annotate", "crd", definition, "platform.example.com/allow-deletion=true"},
		{"delete", "crd", definition, "--wait=false"},
		{"annotate", "environments", "--all", "--all-namespaces", "platform.example.com/orphan=true"},
	} {
		out, err := kubectl(t.Context(), s.cluster, args...)
		require.NoError(t, err, out)
	}
	require.NoError(t, applyManifests(t.Context(), s.cluster))
	s.eventually(func() bool { return s.definition() == nil }, "all Environments are gone")
	assert.Equal(t, "hello", s.text("greeting"), "what the program made stays")
	require.NoError(t, applyManifests(t.Context(), s.cluster))

	again := s.create("shop", text("good evening"))
	again.applied(2)
	assert.Equal(t, "good evening", s.text("greeting"), "the state has stayed, too")
}

func TestADeletionIsSeenInTheTable(t *testing.T) { // [X41]
	t.Parallel()
	s := with(t)
	s.program(gated)
	s.openGate()
	e := s.create("shop", text("hello"))
	e.ready()
	table := func() map[string]string {
		out, err := kubectl(t.Context(), s.cluster, "get", "environment", "shop", "-n", s.namespace)
		require.NoError(t, err, out)
		return columns(t, out)
	}
	assert.Empty(t, table()["DELETING"])
	s.hold("one", true)
	require.NoError(t, s.client.Delete(t.Context(), e.read()))
	assert.Regexp(t, `^\d+s$`, table()["DELETING"])
	s.hold("one", false)
	e.gone()
}

// definition is the definition of Environments, nil if there is none.
func (s *surroundings) definition() *unstructured.Unstructured {
	s.Helper()
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
	err := s.client.Get(s.Context(), client.ObjectKey{Name: definition}, found)
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(s, err)
	return found
}

// columns are what a table of kubectl says in its first row, by the heads of its columns.
func columns(t *testing.T, table string) map[string]string {
	t.Helper()
	head, row, found := strings.Cut(table, "\n")
	require.True(t, found, table)
	row, _, _ = strings.Cut(row, "\n")
	read, starts := map[string]string{}, regexp.MustCompile(`\S+`).FindAllStringIndex(head, -1)
	for i, at := range starts {
		end := len(row)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		read[head[at[0]:at[1]]] = strings.TrimSpace(row[at[0]:end])
	}
	return read
}
