package operator

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	return s.as(user)
}

func (s *surroundings) as(user cluster.User) *person {
	s.Helper()
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

// tried says what the API server would say to an Environment.
func (p *person) tried(spec fields) error {
	p.Helper()
	return p.client.Create(p.Context(), environmentOf(p.namespace, "tried", spec), client.DryRunAll)
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
func (p *person) updated(name string, change fields, options ...client.PatchOption) error {
	p.Helper()
	object := environmentOf(p.namespace, name, nil)
	require.NoError(p, p.client.Get(p.Context(), client.ObjectKeyFromObject(object), object))
	before := object.DeepCopy()
	merge(object.Object, change)
	return p.client.Patch(p.Context(), object, client.MergeFrom(before), options...)
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

// fromOutput takes one value from an output of another Environment.
func fromOutput(name, output string) fields {
	return fields{output: fields{"environmentRef": fields{"name": name, "output": output}}}
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
	t.Run("may be a service account itself", func(t *testing.T) {
		account, err := s.cluster.ServiceAccount(t.Context(), s.namespace, "delivery", time.Hour)
		require.NoError(t, err)
		delivery := s.permit(account, rbacv1.PolicyRule{APIGroups: []string{"platform.example.com"}, Resources: []string{"environments"}, Verbs: []string{"*"}})
		s.follow(delivery.denied(nil))
		s.eventually(func() bool { return delivery.try("delivered", nil) == nil }, "it is allowed")
	})
}

func TestWhoChangesAnEnvironment(t *testing.T) { // [X45]
	t.Parallel()
	s := with(t)
	s.create("shop", fields{
		"suspend": true, "config": text("hello")["config"], "backend": fields{"url": "s3://bucket", "credentialsSecretRef": fields{"name": "keys"}},
	})
	outsider := s.tenant("outsider")
	outsider.denied(nil) // The policy is in force.
	entitled := s.tenant("entitled", may("impersonate", "serviceaccounts", "environment-runner"))
	s.eventually(func() bool { return entitled.updated("shop", nil) == nil }, "the role is known")

	for name, change := range map[string]fields{
		"suspension":      {"suspend": false},
		"approval":        {"approval": "Manual"},
		"drift detection": {"driftDetection": fields{"interval": "1h"}},
		"retries":         {"retry": fields{"limit": 1}},
		"the time-out":    {"timeout": "1h"},
		"what the end is": {"onDelete": "Orphan"},
	} {
		t.Run("when and how often it runs may be changed by all who may change it: "+name, func(t *testing.T) {
			require.NoError(t, outsider.updated("shop", fields{"spec": change}, client.DryRunAll))
		})
	}
	t.Run("and so may its annotations", func(t *testing.T) {
		change := fields{"metadata": fields{"annotations": fields{"platform.example.com/retry": "1"}}}
		require.NoError(t, outsider.updated("shop", change, client.DryRunAll))
	})
	for name, test := range map[string]struct {
		change fields
		field  string
	}{
		"the connection of the provider":    {fields{"config": fields{"k8sconnect:kubeconfig": "{}"}}, "spec.config"},
		"the configuration of the program":  {text("bye"), "spec.config"},
		"no configuration":                  {fields{"config": nil}, "spec.config"},
		"another program":                   {fields{"program": fields{"configMapRef": fields{"name": "theirs"}}}, "spec.program"},
		"a Secret":                          {fields{"secretConfig": fromSecrets("theirs")}, "spec.secretConfig"},
		"an output of its neighbour":        {fields{"configFrom": fromOutput("network", "token")}, "spec.configFrom"},
		"what it waits for":                 {fields{"dependsOn": []any{fields{"name": "network"}}}, "spec.dependsOn"},
		"other credentials for the backend": {fields{"backend": fields{"credentialsSecretRef": fields{"name": "theirs"}}}, "spec.backend"},
		"another Secret for the outputs":    {fields{"outputsSecretName": "theirs"}, "spec.outputsSecretName"},
		"the pod of the run":                {fields{"runner": fields{"tolerations": []any{fields{"operator": "Exists"}}}}, "spec.runner"},
	} {
		t.Run("who may not impersonate the account does not change what it does: "+name, func(t *testing.T) {
			err := outsider.updated("shop", fields{"spec": test.change}, client.DryRunAll)
			require.True(t, apierrors.IsForbidden(err), "%v", err)
			assert.Contains(t, err.Error(), "may not run programs as the service account environment-runner, which a change of "+test.field+" needs")
			require.NoError(t, entitled.updated("shop", fields{"spec": test.change}, client.DryRunAll))
		})
	}
	t.Run("however much it configures", func(t *testing.T) {
		config := fields{}
		for i := range 256 {
			config[fmt.Sprintf("key%d", i)] = []any{strings.Repeat("x", 2000), fields{"nested": strings.Repeat("y", 1000)}}
		}
		s.create("big", fields{"suspend": true, "config": config})
		require.NoError(t, outsider.updated("big", fields{"spec": fields{"approval": "Manual"}}, client.DryRunAll))
		err := outsider.updated("big", fields{"spec": fields{"config": fields{"key255": "z"}}}, client.DryRunAll)
		require.ErrorContains(t, err, "which a change of spec.config needs")
	})
	t.Run("who names another account is asked about that one", func(t *testing.T) {
		err := entitled.updated("shop", fields{"spec": fields{"serviceAccountName": "default"}}, client.DryRunAll)
		require.True(t, apierrors.IsForbidden(err), "%v", err)
		assert.Contains(t, err.Error(), "the service account default, which a change of spec.serviceAccountName needs")
	})
	t.Run("who is told how may follow", func(t *testing.T) {
		change := fields{"spec": text("bye")}
		refused := outsider.updated("shop", change, client.DryRunAll)
		require.Error(t, refused)
		s.follow(refused.Error())
		s.eventually(func() bool { return outsider.updated("shop", change) == nil }, "it is allowed")
	})
}

func TestWhoNamesASecret(t *testing.T) { // [X35]
	t.Parallel()
	s := with(t)
	_, err := s.cluster.ServiceAccount(t.Context(), s.namespace, "lesser", time.Hour)
	require.NoError(t, err)
	impersonate := may("impersonate", "serviceaccounts")
	user := s.tenant("user", impersonate)
	reader := s.tenant("reader", impersonate, may("get", "secrets"))
	many := make([]string, 64)
	for i := range many {
		many[i] = fmt.Sprintf("secret-%d", i)
	}
	secrets := fields{"secretConfig": fromSecrets(many...)}
	lesser := func(spec fields) fields { return merged(spec, fields{"serviceAccountName": "lesser"}) }

	t.Run("needs no permission that the account does not have: its program could read them", func(*testing.T) {
		s.eventually(func() bool { return user.tried(secrets) == nil }, "it is allowed")
	})
	t.Run("is denied if the account may not read them, and told how to change that", func(t *testing.T) {
		message := user.denied(lesser(secrets))
		assert.Contains(t, message, "the service account lesser may not read Secrets of the namespace "+s.namespace)
		assert.Contains(t, user.denied(lesser(fields{"backend": fields{"url": "s3://bucket", "credentialsSecretRef": fields{"name": "keys"}}})), "account lesser")
		assert.Contains(t, user.denied(lesser(fields{"configFrom": fromOutput("network", "token")})), "account lesser", "an output may be a secret [X67]")
		require.NoError(t, user.tried(lesser(nil)), "without Secrets")
		s.apply(runner)
		s.follow(message)
		s.eventually(func() bool { return user.tried(lesser(secrets)) == nil }, "it is allowed")
	})
	t.Run("may read them without the account", func(*testing.T) {
		s.eventually(func() bool {
			return reader.tried(fields{"serviceAccountName": "default", "secretConfig": secrets["secretConfig"]}) == nil
		}, "it is allowed")
	})
}

func TestATenant(t *testing.T) { // [X35]
	t.Parallel()
	s := with(t)
	s.program(greeting)
	s.setSecret("texts", map[string]string{"greeting": "good morning"})
	owner := s.tenant("owner", may("impersonate", "serviceaccounts", "environment-runner"))
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
		require.NoError(t, owner.try("spy", fields{"secretConfig": fields{
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
	all := merged(fields{"program": fields{"configMapRef": fields{"name": "program"}}, "serviceAccountName": "environment-runner"}, spec)
	object := &unstructured.Unstructured{Object: fields{"spec": all}}
	object.SetGroupVersionKind(environmentKind)
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}

// merged is both, where the latter wins.
func merged(one, other fields) fields {
	both := fields{}
	merge(both, one)
	merge(both, other)
	return both
}
