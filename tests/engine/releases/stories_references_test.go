package releases_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// [D70]
func TestABindingFollowsItsAccountIntoTheNamespaceOfTheSet(t *testing.T) {
	l := newLife(t)
	binding := "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: { name: web }\n" +
		"roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view }\n" +
		"subjects: [{ kind: ServiceAccount, name: web, namespace: argocd }, { kind: ServiceAccount, name: other, namespace: monitoring }]\n"
	l.declare(program{"shop": l.set(plain("ServiceAccount", "web", "") + binding)})
	out := l.up(engine.Options{}).Output
	found, err := l.cluster.Client().RbacV1().RoleBindings(l.space).Get(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err)
	subjects := found.Subjects
	require.Len(t, subjects, 2)
	assert.Equal(t, l.space, subjects[0].Namespace, "the account of the set is there")
	assert.Equal(t, "monitoring", subjects[1].Namespace)
	assert.Contains(t, out, `these references lead to "monitoring", which nothing else in the set names`)
	assert.NotContains(t, out, `lead to "argocd"`)
	l.up(engine.Options{PreviewFirst: true, PreviewOnly: true, ExpectNoChanges: true})
}
