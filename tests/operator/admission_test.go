package operator

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// person is a user who is not an administrator.
type person struct {
	*surroundings
	name   string
	client client.Client
}

// tenant is a user of the namespace who may make Environments, and what else is given.
func (s *surroundings) tenant(name string, further ...rbacv1.PolicyRule) *person {
	s.Helper()
	user, err := s.cluster.AddUser(name + "-of-" + s.namespace)
	require.NoError(s, err)
	return s.permit(user, append(further, rbacv1.PolicyRule{
		APIGroups: []string{"platform.example.com"}, Resources: []string{"environments"}, Verbs: []string{"*"},
	})...)
}

// permit lets a user do something in the namespace.
func (s *surroundings) permit(user cluster.User, rules ...rbacv1.PolicyRule) *person {
	s.Helper()
	s.grant(user.Name, rules...)
	asUser, err := client.New(user.RESTConfig(), client.Options{})
	require.NoError(s, err)
	return &person{surroundings: s, name: user.Name, client: asUser}
}

func (s *surroundings) grant(user string, rules ...rbacv1.PolicyRule) {
	s.Helper()
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, GenerateName: "of-a-test-"}, Rules: rules}
	require.NoError(s, s.client.Create(s.Context(), role))
	require.NoError(s, s.client.Create(s.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: role.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}))
}

// try creates an Environment as this person and says what the API server says.
func (p *person) try(name string, spec fields) error {
	p.Helper()
	return p.client.Create(p.Context(), environmentOf(p.namespace, name, spec))
}

// denied wants that the API server refuses, by the policy. It needs a moment after the policy was applied.
func (p *person) denied(spec fields) string {
	p.Helper()
	var err error
	p.eventually(func() bool {
		err = p.client.Create(p.Context(), environmentOf(p.namespace, "denied", spec), client.DryRunAll)
		return err != nil && strings.Contains(err.Error(), "ValidatingAdmissionPolicy") // and not because the role is still unknown
	}, "the policy refuses it")
	require.True(p, apierrors.IsForbidden(err), "%v", err)
	return err.Error()
}

// tried says what the API server would say to an Environment with these Secrets.
func (p *person) tried(secrets []string) error {
	p.Helper()
	return p.client.Create(p.Context(), environmentOf(p.namespace, "tried", fields{"secretConfig": fromSecrets(secrets...)}), client.DryRunAll)
}

// follow runs the commands that a refusal prints, as an administrator.
func (s *surroundings) follow(message string) {
	s.Helper()
	printed := regexp.MustCompile(`kubectl .*`).FindString(message)
	require.NotEmpty(s, printed, message)
	command := exec.CommandContext(s.Context(), "sh", "-c", printed)
	command.Env = append(os.Environ(), "KUBECONFIG="+s.cluster.KubeconfigFile(), "PATH="+absolute(s, binaries())+":"+os.Getenv("PATH"))
	out, err := command.CombinedOutput()
	require.NoError(s, err, "%s: %s", printed, out)
}

func absolute(t require.TestingT, path string) string {
	found, err := filepath.Abs(path)
	require.NoError(t, err)
	return found
}

// updated changes an Environment as this person.
func (p *person) updated(name string, change fields) error {
	p.Helper()
	object := environmentOf(p.namespace, name, nil)
	require.NoError(p, p.client.Get(p.Context(), client.ObjectKeyFromObject(object), object))
	before := object.DeepCopy()
	merge(object.Object, change)
	return p.client.Patch(p.Context(), object, client.MergeFrom(before))
}

func may(verb, resource string, names ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{resource}, Verbs: []string{verb}, ResourceNames: names}
}

// fromSecrets takes one value from each of these Secrets.
func fromSecrets(names ...string) fields {
	config := fields{}
	for i, name := range names {
		config[fmt.Sprintf("key%d", i)] = fields{"secretKeyRef": fields{"name": name, "key": "password"}}
	}
	return config
}

func TestWhoNamesAnAccount(t *testing.T) { // [X35]
	t.Parallel()
	s := with(t)
	lesser := s.tenant("lesser")

	t.Run("is denied if they may not impersonate it, and told how to change that", func(t *testing.T) {
		message := lesser.denied(nil)
		assert.Contains(t, message, lesser.name+" may not run programs as the service account environment-runner")
		s.follow(message)
		s.eventually(func() bool { return lesser.try("allowed", nil) == nil }, "it is allowed")
	})
	t.Run("is asked again only when another account is named", func(t *testing.T) {
		outsider := s.tenant("outsider")
		require.NoError(t, outsider.updated("allowed", fields{"spec": fields{"suspend": true}}))
		err := outsider.updated("allowed", fields{"spec": fields{"serviceAccountName": "default"}})
		require.True(t, apierrors.IsForbidden(err), "%v", err)
		assert.Contains(t, err.Error(), "may not run programs as the service account default")
	})
	t.Run("may be a service account itself", func(t *testing.T) {
		account, err := s.cluster.ServiceAccount(t.Context(), s.namespace, "delivery", time.Hour)
		require.NoError(t, err)
		delivery := s.permit(account, rbacv1.PolicyRule{APIGroups: []string{"platform.example.com"}, Resources: []string{"environments"}, Verbs: []string{"*"}})
		s.follow(delivery.denied(nil))
		s.eventually(func() bool { return delivery.try("delivered", nil) == nil }, "it is allowed")
	})
}

func TestWhoNamesASecret(t *testing.T) { // [X35]
	t.Parallel()
	s := with(t)
	impersonate := may("impersonate", "serviceaccounts", "environment-runner")
	reader := s.tenant("reader", impersonate, may("get", "secrets", "mine"))
	account := s.tenant("nobody")
	account.denied(nil) // The policy is in force.

	t.Run("is denied if they may not get it, and told how to change that", func(t *testing.T) {
		message := reader.denied(fields{"secretConfig": fromSecrets("mine", "theirs", "theirs-too")})
		assert.Contains(t, message, reader.name+" may not read each of the Secrets that the Environment now names")
		assert.Contains(t, message, "theirs-too")
		s.follow(message)
		s.eventually(func() bool {
			return reader.try("told", fields{"secretConfig": fromSecrets("mine", "theirs", "theirs-too")}) == nil
		}, "it is allowed")
	})
	t.Run("is denied the credentials of a backend in the same way", func(t *testing.T) {
		backend := fields{"backend": fields{"url": "s3://bucket", "credentialsSecretRef": fields{"name": "keys"}}}
		assert.Contains(t, reader.denied(backend), "now names: keys.")
	})
	t.Run("is allowed those that they may get, many keys of one Secret at no price", func(t *testing.T) {
		names := make([]string, 64)
		for i := range names {
			names[i] = "mine"
		}
		require.NoError(t, reader.try("mine", fields{"secretConfig": fromSecrets(names...)}))
	})
	t.Run("is asked only about those that an update adds", func(t *testing.T) {
		outsider := s.tenant("outsider")
		require.NoError(t, outsider.updated("mine", fields{"spec": fields{"suspend": true}}))
		err := outsider.updated("mine", fields{"spec": fields{"secretConfig": fromSecrets("mine", "theirs")}})
		require.True(t, apierrors.IsForbidden(err), "%v", err)
		assert.Contains(t, err.Error(), "now names: theirs.")
	})
	t.Run("adds twenty at a time, which is what the API server lets a policy ask", func(t *testing.T) {
		var names []string
		for i := range 64 {
			names = append(names, fmt.Sprintf("secret-%d", i))
		}
		collector := s.tenant("collector", impersonate, may("get", "secrets", names...))
		assert.Contains(t, collector.denied(fields{"secretConfig": fromSecrets(names...)}), "names 64 Secrets that are new")
		assert.Contains(t, reader.denied(fields{"secretConfig": fromSecrets(names[:20]...)}), "secret-19")
		require.NoError(t, collector.try("collected", fields{"secretConfig": fromSecrets(names[:20]...)}))
		require.NoError(t, collector.updated("collected", fields{"spec": fields{"secretConfig": fromSecrets(names[:40]...)}}))
	})
	t.Run("is asked about each of the twenty", func(t *testing.T) {
		var names []string
		for i := range 20 {
			names = append(names, fmt.Sprintf("one-%d", i))
		}
		for i := range names {
			allButOne := s.tenant(fmt.Sprintf("all-but-%d", i), impersonate, may("get", "secrets", slices.Concat(names[:i], names[i+1:])...))
			s.eventually(func() bool { return allButOne.tried(slices.Concat(names[:i], names[i+1:])) == nil }, "the others are allowed")
			for range 10 { // The order in which the policy sees them changes.
				require.ErrorContains(t, allButOne.tried(names), "may not read each of the Secrets")
			}
		}
	})
	t.Run("is asked about a Secret of which there are many keys, in whatever order the policy sees them", func(t *testing.T) {
		for range 50 {
			require.ErrorContains(t, reader.tried([]string{"other", "other"}), "now names: other.")
		}
	})
	t.Run("names as many as they like if they may read all", func(t *testing.T) {
		var names []string
		for i := range 64 {
			names = append(names, fmt.Sprintf("%s-%d", strings.Repeat("s", 240), i))
		}
		everything := s.tenant("everything", impersonate, may("get", "secrets"))
		require.NoError(t, everything.try("everything", fields{"secretConfig": fromSecrets(names...)}))
	})
}

func TestATenant(t *testing.T) { // [X35]
	t.Parallel()
	s := with(t)
	s.program(greeting)
	s.setSecret("texts", map[string]string{"greeting": "good morning"})
	owner := s.tenant("owner", may("impersonate", "serviceaccounts", "environment-runner"), may("get", "secrets", "texts"))
	require.NoError(t, owner.try("shop", fields{"secretConfig": fields{"text": fields{"secretKeyRef": fields{"name": "texts", "key": "greeting"}}}}))
	e := &environment{surroundings: s, name: "shop"}
	s.Cleanup(func() {
		if s.Failed() {
			s.explain()
		}
	})
	e.ready()
	assert.Equal(t, "good morning", s.configMap("greeting").Data["text"])

	t.Run("a Secret that holds the state of an Environment cannot be configuration", func(t *testing.T) {
		everything := s.tenant("everything", may("impersonate", "serviceaccounts", "environment-runner"), may("get", "secrets"))
		require.NoError(t, everything.try("spy", fields{"secretConfig": fields{
			"text": fields{"secretKeyRef": fields{"name": "shop-passphrase", "key": "passphrase"}},
		}}))
		spy := &environment{surroundings: s, name: "spy"}
		refused := spy.becomes("Ready", metav1.ConditionFalse, "ConfigInvalid")
		assert.Contains(t, refused.condition("Ready").Message, "Secret shop-passphrase")
		spy.delete()
	})
	t.Run("the deletion by whoever may delete destroys", func(t *testing.T) {
		require.NoError(t, owner.client.Delete(context.Background(), environmentOf(s.namespace, "shop", nil)))
		e.gone()
		assert.Nil(t, s.configMap("greeting"))
	})
}

// environmentOf is an Environment with the program and the account of all tests, and what is given.
func environmentOf(namespace, name string, spec fields) *unstructured.Unstructured {
	all := fields{"program": fields{"configMapRef": fields{"name": "program"}}, "serviceAccountName": "environment-runner"}
	merge(all, spec)
	object := &unstructured.Unstructured{Object: fields{"spec": all}}
	object.SetGroupVersionKind(environmentKind)
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}
