package operator

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestDeletionInTheForeground(t *testing.T) {
	t.Parallel()
	s := with(t)
	s.program(gated)
	s.openGate()
	e := s.create("shop", text("hello"))
	e.ready()
	s.hold("one", true)
	t.Run("[X32] the state stays until the destroy is done", func(*testing.T) {
		require.NoError(s, s.client.Delete(s.Context(), e.read(), client.PropagationPolicy(metav1.DeletePropagationForeground)))
		e.begun(2)
		s.eventually(func() bool { return s.configMap("two") == nil && s.configMap("one").DeletionTimestamp != nil }, "the destroy is in the middle")
		for _, name := range []string{"shop-state", "shop-passphrase"} {
			require.NotNil(s, s.secret(name), name)
			assert.Nil(s, s.secret(name).DeletionTimestamp, name)
		}
		assert.Len(s, s.runningJobs(), 1, "the destroy's Job is not owned by what is deleted")
		s.hold("one", false)
		e.gone()
		assert.Empty(s, s.uids())
		for _, name := range []string{"shop-state", "shop-passphrase"} {
			assert.Nil(s, s.secret(name), name)
		}
	})
}

// elsewhere makes a ConfigMap in another namespace.
const elsewhere = `name: elsewhere
runtime: yaml
config:
  other: {type: string}
resources:
  inside:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: inside}
  outside:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: outside, namespace: "${other}"}
`

func (s *surroundings) namespaceGone() bool {
	s.Helper()
	var namespace corev1.Namespace
	err := s.client.Get(context.Background(), client.ObjectKey{Name: s.namespace}, &namespace)
	if apierrors.IsNotFound(err) {
		return true
	}
	require.NoError(s, err)
	return false
}

func (s *surroundings) deleteNamespace() {
	s.Helper()
	require.NoError(s, s.client.Delete(s.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.namespace}}))
}

func TestTerminatingNamespaceTakesAllAlong(t *testing.T) {
	t.Parallel()
	s := inNamespace(t, "deleted-inside")
	s.program(gated)
	s.openGate()
	s.create("shop", text("hello")).ready()
	t.Run("[X32] what a program made inside of a namespace goes with it", func(*testing.T) {
		s.deleteNamespace()
		s.eventually(s.namespaceGone, "the namespace is gone")
	})
}

func TestTerminatingNamespaceWithObjectsElsewhere(t *testing.T) {
	t.Parallel()
	other := with(t)
	s := inNamespace(t, "deleted-outside")
	out, err := kubectl(t.Context(), s.cluster, "create", "rolebinding", "runner", "-n", other.namespace,
		"--role=environment-programs", "--serviceaccount="+s.namespace+":environment-runner")
	require.NoError(t, err, out)
	s.program(elsewhere)
	e := s.create("shop", fields{"config": fields{"other": other.namespace}})
	e.ready()
	assert.EqualValues(t, 1, e.record().ElsewhereCount)
	s.deleteNamespace()
	t.Run("[X32] what is elsewhere is named, and holds the Environment", func(*testing.T) {
		held := e.becomes("Ready", "False", "NamespaceTerminating")
		assert.Contains(s, held.condition("Ready").Message, other.namespace+"/outside")
		assert.Contains(s, held.condition("Ready").Message, "platform.example.com/orphan=true")
		assert.NotNil(s, s.secret("shop-state"))
	})
	t.Run("[X32] the annotation lets it go", func(*testing.T) {
		e.annotate("platform.example.com/orphan", "true")
		s.eventually(s.namespaceGone, "the namespace is gone")
		assert.NotNil(s, other.configMap("outside"))
	})
}
