package operator

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// moved is an Environment with the values that the object of the sample class has, and with the program of that class.
const moved = `apiVersion: platform.example.com/v1alpha1
kind: Environment
metadata: {name: shop, namespace: team-a}
spec:
  program: {configMapRef: {name: webapp}}
  config: {name: shop, image: "shop:1.4", replicas: 2}
  serviceAccountName: environment-runner
`

// withClass has the operator, the sample class, and the namespace of a tenant that may run programs of its own, too.
func (s *stacks) withClass() {
	s.Helper()
	for _, line := range []string{
		"kubectl apply -k config/crd", "kubectl apply -k config",
		"kubectl rollout status --namespace environment-operator deployment/environment-operator --timeout 1m",
		"kubectl create namespace platform-runs", "kubectl apply -n platform-runs -f config/namespace/", "kubectl apply -f config/class/webapp.yaml",
		"kubectl wait environmentclass/webapp --for condition=Ready --timeout 1m",
		"kubectl create namespace team-a", "kubectl label namespace team-a tenant=true", "kubectl apply -n team-a -f config/namespace/",
		`kubectl create configmap webapp -n team-a --from-literal=Pulumi.yaml="$(kubectl get configmap webapp -n platform-runs -o jsonpath='{.data.Pulumi\.yaml}')"`,
	} {
		s.run(line)
	}
}

// object reads an object of team-a.
func (s *stacks) object(name string) *unstructured.Unstructured {
	s.Helper()
	object := &unstructured.Unstructured{}
	require.NoError(s, json.Unmarshal([]byte(s.kubectl("get", "-n", "team-a", name, "-o", "json", "--show-managed-fields")), &object.Object))
	return object
}

// managers are the field managers of an object.
func managers(object *unstructured.Unstructured) []string {
	var names []string
	for _, entry := range object.GetManagedFields() {
		names = append(names, entry.Manager)
	}
	return names
}

// content is an object without what tells of its writes.
func content(object *unstructured.Unstructured) map[string]any {
	object = object.DeepCopy()
	object.SetManagedFields(nil)
	object.SetResourceVersion("")
	return object.Object
}

func TestAnEnvironmentMovesIntoAClass(t *testing.T) { // [X64]
	t.Parallel()
	s := newStacks(t)
	s.withClass()
	s.run("kubectl apply -f - <<'E'\n" + moved + "E")
	s.run("kubectl wait -n team-a environment/shop --for condition=Ready --timeout 1m")
	names := []string{"configmap/shop-settings", "service/shop"}
	before := map[string]*unstructured.Unstructured{}
	for _, name := range names {
		before[name] = s.object(name)
		require.True(t, slices.ContainsFunc(managers(before[name]), func(manager string) bool { return strings.Contains(manager, "team-a.shop") }), "%v", managers(before[name]))
	}
	mark, err := s.cluster.AuditMark()
	require.NoError(t, err)

	move := "operator state move --namespace team-a --environment shop --to-class webapp"
	assert.Contains(t, s.fails(move), "the Environment team-a/shop exists, and would go on with it")
	s.follow("Move an Environment into a class", map[string]func(out string){
		"kubectl delete -n team-a environment shop": func(string) {
			s.kubectl("get", "-n", "team-a", "secret/shop-state", "secret/shop-passphrase")
		},
		move: func(out string) {
			assert.Contains(t, out, "moved to platform-runs/shop-")
			assert.Contains(t, out, "v1 ConfigMap team-a/shop-settings")
			assert.Contains(t, out, "v1 Service team-a/shop")
			assert.Equal(t, out, s.run(move), "a second time it is done already")
			assert.Empty(t, s.kubectl("get", "-n", "team-a", "secrets", "--selector", "platform.example.com/state-part", "-o", "name"))
		},
	})
	for _, name := range names {
		after := s.object(name)
		assert.Equal(t, content(before[name]), content(after))
		assert.True(t, slices.ContainsFunc(managers(after), func(manager string) bool { return strings.Contains(manager, "platform-runs.shop-") }), "%v", managers(after))
		assert.NotContains(t, strings.Join(managers(after), " "), "team-a.shop", "nothing of the former manager is left")
	}
	requests, err := s.cluster.RequestsSince(mark)
	require.NoError(t, err)
	assert.Empty(t, requests.Where(func(r cluster.Request) bool {
		return slices.Contains([]string{"create", "delete", "deletecollection"}, r.Verb) && !strings.Contains(r.URI, "dryRun=") &&
			(strings.Contains(r.URI, "/team-a/configmaps") || strings.Contains(r.URI, "/team-a/services"))
	}), "no request makes or deletes an object")
	assert.Regexp(t, `shop +True`, s.kubectl("get", "-n", "team-a", "webapps"))
	assert.Regexp(t, `shop-\w+ +True .* 2 update`, s.kubectl("get", "-n", "platform-runs", "environments"))
	assert.Equal(t, "http://shop.team-a", s.kubectl("get", "-n", "team-a", "webapp", "shop", "-o", "jsonpath={.status.outputs.url}"))

	t.Run("and the object owns all of it", func(t *testing.T) {
		s.run("kubectl delete -n team-a webapp shop --timeout 1m")
		assert.Empty(t, s.kubectl("get", "-n", "team-a", "configmap/shop-settings", "service/shop", "--ignore-not-found"))
	})
	t.Run("which may be created too early, and moves back", s.movesThereAndBack)
}

// movesThereAndBack creates the object while the Environment still has what the object is to get.
func (s *stacks) movesThereAndBack(t *testing.T) {
	s = &stacks{T: t, dir: s.dir, env: s.env, cluster: s.cluster}
	s.run("kubectl apply -f - <<'E'\n" + moved + "E")
	s.run("kubectl wait -n team-a environment/shop --for condition=Ready --timeout 1m")
	before := s.object("configmap/shop-settings")

	s.run("kubectl apply -n team-a -f config/class/shop.yaml")
	s.run("kubectl wait -n team-a webapp/shop --for jsonpath='{.status.conditions[?(@.type==\"Ready\")].reason}'=UpdateFailed --timeout 1m")
	assert.Contains(t, s.kubectl("get", "-n", "team-a", "webapp", "shop"), "already exists and is managed by")
	assert.Equal(t, before, s.object("configmap/shop-settings"))

	s.run("kubectl annotate -n team-a environment shop platform.example.com/orphan=true && kubectl delete -n team-a environment shop")
	out := s.run("operator state move --namespace team-a --environment shop --to-class webapp")
	s.run(`kubectl annotate -n team-a webapp shop platform.example.com/retry="$(date)"`)
	s.run("kubectl wait -n team-a webapp/shop --for condition=Ready --timeout 1m")
	assert.Equal(t, content(before), content(s.object("configmap/shop-settings")))
	assert.Equal(t, "http://shop.team-a", s.kubectl("get", "-n", "team-a", "webapp", "shop", "-o", "jsonpath={.status.outputs.url}"))

	name := regexp.MustCompile(`platform-runs/(\S+):`).FindStringSubmatch(out)[1]
	s.run("kubectl annotate -n platform-runs environment " + name + " platform.example.com/orphan=true && kubectl delete -n team-a webapp shop --timeout 1m")
	s.run("operator state move --namespace platform-runs --environment " + name + " --to-namespace team-a --to-environment shop")
	s.run("kubectl apply -f - <<'E'\n" + moved + "E")
	s.run("kubectl wait -n team-a environment/shop --for condition=Ready --timeout 1m")
	after := s.object("configmap/shop-settings")
	assert.Equal(t, content(before), content(after))
	assert.Equal(t, managers(before), managers(after), "it is the first one's again")
	assert.Empty(t, s.kubectl("get", "-n", "platform-runs", "secrets", "--selector", "platform.example.com/state-part", "-o", "name"))
}
