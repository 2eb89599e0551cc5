package operator

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// appointed is a user who has a ClusterRole in the namespace, and nothing else.
func (s *surroundings) appointed(role string) *person {
	s.Helper()
	user, err := s.cluster.AddUser(role + "-of-" + s.namespace)
	require.NoError(s, err)
	require.NoError(s, s.client.Create(s.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "of-a-test-" + role},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user.Name}},
	}))
	return s.as(user)
}

// sees says whether this person may list the Environments of the namespace.
func (p *person) sees() bool {
	p.Helper()
	all := &unstructured.UnstructuredList{}
	all.SetGroupVersionKind(environmentKind)
	return p.client.List(p.Context(), all, client.InNamespace(p.namespace)) == nil
}

func TestTheRolesOfANamespace(t *testing.T) { // [X57]
	t.Parallel()
	s := with(t)
	s.create("shop", fields{"suspend": true})
	for _, role := range []string{"view", "environment-viewer"} {
		t.Run(role+" sees Environments and changes none", func(t *testing.T) {
			viewer := s.appointed(role)
			s.eventually(viewer.sees, "they are seen")
			err := viewer.updated("shop", fields{"spec": fields{"approval": "Manual"}}, client.DryRunAll)
			require.True(t, apierrors.IsForbidden(err), "%v", err)
		})
	}
	for _, role := range []string{"edit", "admin"} {
		t.Run(role+" makes, changes and deletes Environments, since it may use the accounts of the namespace", func(t *testing.T) {
			editor := s.appointed(role)
			s.eventually(func() bool { return editor.sees() && editor.try("of-"+role, fields{"suspend": true}) == nil }, "one is made")
			require.NoError(t, editor.updated("of-"+role, fields{"spec": text("hello")}))
			require.NoError(t, editor.client.Delete(t.Context(), environmentOf(s.namespace, "of-"+role, nil)))
		})
	}
	t.Run("environment-editor steers Environments, and is asked what it may do about what they run", func(t *testing.T) {
		editor := s.appointed("environment-editor")
		s.eventually(editor.sees, "they are seen")
		require.NoError(t, editor.updated("shop", fields{"spec": fields{"approval": "Manual"}}, client.DryRunAll))
		err := editor.updated("shop", fields{"spec": text("hello")}, client.DryRunAll)
		require.True(t, apierrors.IsForbidden(err), "%v", err)
		assert.Contains(t, err.Error(), "may not run programs as the service account environment-runner")
	})
}
