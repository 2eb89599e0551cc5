package rpc_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// mayOnly is a user who may do this with ConfigMaps of the namespace and nothing else.
func (w world) mayOnly(verbs ...string) cluster.User {
	w.t.Helper()
	c := shared.Get(w.t)
	name := "limited-" + w.namespace + "-" + strings.Join(verbs, "-")
	user, err := c.AddUser(name)
	require.NoError(w.t, err)
	ctx := w.t.Context()
	if len(verbs) > 0 {
		_, err = c.Client().RbacV1().Roles(w.namespace).Create(ctx, &rbacv1.Role{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: verbs}},
		}, metav1.CreateOptions{})
		require.NoError(w.t, err)
		_, err = c.Client().RbacV1().RoleBindings(w.namespace).Create(ctx, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			RoleRef:    rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: name},
			Subjects:   []rbacv1.Subject{{Kind: "User", Name: name}},
		}, metav1.CreateOptions{})
		require.NoError(w.t, err)
	}
	client, err := kubernetes.NewForConfig(user.RESTConfig())
	require.NoError(w.t, err)
	eventually(w.t, func() bool { // the authorizer learns of it by a watch
		var err error
		if slices.Contains(verbs, "get") {
			_, err = client.CoreV1().ConfigMaps(w.namespace).Get(ctx, "it", metav1.GetOptions{})
		}
		if slices.Contains(verbs, "list") && err == nil {
			_, err = client.CoreV1().ConfigMaps(w.namespace).List(ctx, metav1.ListOptions{})
		}
		return err == nil || strings.Contains(err.Error(), "not found")
	}, "the user may do something")
	return user
}

func TestAWaitWithFewPermissions(t *testing.T) {
	t.Parallel()
	polls := func(s *session) (said int) {
		for line := range strings.SplitSeq(s.process.log.all(), "\n") {
			if strings.Contains(line, "may be read but not watched") {
				said++
			}
		}
		return said
	}
	for what, c := range map[string]struct {
		verbs  []string
		absent bool
	}{
		"without list and watch":              {[]string{"get"}, false},
		"without list and watch, when absent": {[]string{"get"}, true},
		"without watch, when absent":          {[]string{"get", "list"}, true},
	} {
		t.Run(what+" it polls, and says so once [W26]", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if !c.absent {
				w.create(w.configMap("it", nil))
			}
			user := w.mayOnly(c.verbs...)
			counts := counted(t, user)
			s := start(t, inline(user)).wait(t, "it")
			done := make(chan error, 1)
			go func() {
				done <- s.create(waiting(refTo(w.configMap("it", nil)), until("field", "data.ready", longTime)))
			}()
			eventually(t, func() bool { return counts()["GET"] >= 3 }, "it is read again and again")
			require.Empty(t, done)
			assert.LessOrEqual(t, counts()["WATCH"]+counts()["LIST"], 2)
			if c.absent {
				w.create(w.configMap("it", map[string]any{"ready": "yes"}))
			} else {
				w.patch("ConfigMap", "it", map[string]any{"data": map[string]any{"ready": "yes"}})
			}
			require.NoError(t, ended(t, done))
			assert.Equal(t, 1, polls(s))
			assert.Contains(t, s.process.log.all(), "ConfigMap "+w.namespace+"/it")
			assert.Empty(t, s.process.log.warnings())
		})
	}
	t.Run("without get it says which permission is missing, at once [W26]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		s := start(t, inline(w.mayOnly())).wait(t, "it")
		began := time.Now()
		err := s.create(waiting(refTo(w.configMap("it", nil)), until("field", "data.ready", longTime)))
		assert.Less(t, time.Since(began), 10*time.Second)
		text := requireWaitPending(t, s, err)
		assert.Contains(t, text, "get")
		assert.Contains(t, text, "may not get configmaps")
		assert.Contains(t, text, "403")
		assert.Contains(t, text, "waits again, in place")
		assert.Zero(t, polls(s))
	})
	t.Run("without list of pods and events a timeout says what it can [W28]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.create(w.configMap("it", nil))
		s := start(t, inline(w.mayOnly("get", "list", "watch"))).wait(t, "it")
		err := s.create(waiting(refTo(w.configMap("it", nil)), until("field", "data.ready", shortTime)))
		text := requireWaitPending(t, s, err)
		assert.Contains(t, text, "data.ready is not set")
		assert.NotContains(t, text, "forbidden")
		assert.NotContains(t, text, "403")
	})
}
