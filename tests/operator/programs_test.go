package operator

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// stacks are copies of the operator's folders with programs, and the Pulumi CLI that runs them in a cluster of their own.
type stacks struct {
	*testing.T
	dir     string
	env     []string
	cluster *cluster.Cluster
}

func newStacks(t *testing.T) *stacks {
	t.Helper()
	needsOwnCluster(t)
	c := cluster.ForTest(t, cluster.Options{ControllerManager: true, Scheduler: true, Audit: true})
	node, err := startNode(c)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, node.stop()) })

	s := &stacks{T: t, dir: t.TempDir(), cluster: c}
	for _, folder := range []string{"config", "install", "use"} {
		require.NoError(t, os.CopyFS(filepath.Join(s.dir, folder), os.DirFS(filepath.Join("..", "..", "examples", "operator", folder))))
	}
	s.freePort()
	home := t.TempDir()
	s.env = append(os.Environ(),
		"PATH="+absolute(t, binaries())+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+home, "PULUMI_HOME="+home,
		"KUBECONFIG="+c.KubeconfigFile(), "PULUMI_BACKEND_URL=file://"+t.TempDir(), "PULUMI_CONFIG_PASSPHRASE=test",
		"PULUMI_SKIP_UPDATE_CHECK=true", "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=true", "PULUMI_OPTION_NON_INTERACTIVE=true",
		"PULUMI_OPTION_COLOR=never", "PULUMI_SKIP_CONFIRMATIONS=true", "PULUMI_OPTION_SKIP_PREVIEW=true",
	)
	return s
}

// freePort gives the controller a port that is free on this machine: all pods share its network.
func (s *stacks) freePort() {
	s.Helper()
	port, err := freePort()
	require.NoError(s, err)
	file := filepath.Join(s.dir, "config", "manager", "manager.yaml")
	content, err := os.ReadFile(file)
	require.NoError(s, err)
	require.NoError(s, os.WriteFile(file, []byte(strings.ReplaceAll(string(content), "8081", port)), 0o600))
}

// run runs a command of the shell, as it is printed in the README.md.
func (s *stacks) run(line string) string {
	s.Helper()
	command := exec.CommandContext(s.Context(), "sh", "-c", line)
	command.Dir, command.Env, command.WaitDelay = s.dir, s.env, patience
	out, err := command.CombinedOutput()
	if err != nil {
		for _, args := range [][]string{{"describe", "environments", "-A"}, {"get", "events,pods,jobs", "-A"}, {"describe", "deployments", "-A"}} {
			found, _ := kubectl(context.Background(), s.cluster, args...)
			s.Log(found)
		}
	}
	require.NoError(s, err, "%s: %s", line, out)
	return string(out)
}

// fails runs a command that has to fail.
func (s *stacks) fails(line string) string {
	s.Helper()
	return s.run("! " + line + " 2>&1")
}

func (s *stacks) kubectl(args ...string) string {
	s.Helper()
	out, err := kubectl(s.Context(), s.cluster, args...)
	require.NoError(s, err, out)
	return strings.TrimSpace(out)
}

// commands are those of a section of the README.md, without those that only a reader needs: who builds and brings the image
// to the nodes, and says where the cluster is.
func commands(t *testing.T, heading string) []string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join("..", "..", "examples", "operator", "README.md"))
	require.NoError(t, err)
	_, section, found := strings.Cut(string(readme), "\n## "+heading+"\n")
	require.True(t, found, "the README.md has a section %q", heading)
	section, _, _ = strings.Cut(section, "\n## ")
	var lines []string
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(section, -1) {
		for line := range strings.Lines(block[1]) {
			line = regexp.MustCompile(`\s+#.*$`).ReplaceAllString(strings.TrimSpace(line), "")
			line = strings.Replace(line, "go run ./cmd/operator ", "operator ", 1) // It is built already.
			if !regexp.MustCompile(`^(make|kind|export) `).MatchString(line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// follow runs the commands of a section as they are printed, with what is to be seen after some of them.
func (s *stacks) follow(heading string, then map[string]func(out string)) {
	s.Helper()
	for _, line := range commands(s.T, heading) {
		out := s.run(line)
		if check := then[line]; check != nil {
			check(out)
			delete(then, line)
		}
	}
	assert.Empty(s, then, "the README.md has these commands")
}

func TestTryingTheOperator(t *testing.T) {
	t.Parallel()
	s := newStacks(t)
	s.follow("Ten minutes for the platform team", map[string]func(out string){
		"kubectl get -n team-a webapp shop -o jsonpath='{.status.outputs.url}'": func(out string) { assert.Equal(t, "http://shop.team-a", out) },
		"kubectl get environmentclasses":                                        func(out string) { assert.Regexp(t, `webapp +WebApp +True +1 +1`, out) },
	})
	s.follow("For tenants", map[string]func(out string){
		"kubectl explain webapp.spec": func(out string) { assert.Contains(t, out, "The image of the app, such as shop:1.4.") },
		"kubectl get -n team-a webapp shop -o jsonpath='{.status.outputs}'": func(out string) {
			assert.JSONEq(t, `{"url": "http://shop.team-a"}`, out)
			assert.Contains(t, s.fails(`kubectl patch -n team-a webapp shop --type merge --patch '{"spec":{"replicas":50}}'`),
				`The WebApp "shop" is invalid: spec.replicas: Invalid value: 50: spec.replicas in body should be less than or equal to 20`)
		},
		"kubectl delete -n team-a webapp shop": func(string) {
			assert.Empty(t, s.kubectl("get", "-n", "team-a", "configmap/shop-settings", "service/shop", "--ignore-not-found"))
			s.run("kubectl wait -n team-a secret/shop-outputs --for delete --timeout 1m")
		},
	})
	s.follow("An Environment without a class", map[string]func(out string){
		"kubectl apply -f config/samples/": func(string) {
			s.run("kubectl wait environment/shop --for condition=Ready --timeout 1m")
			assert.Equal(t, "http://shop.default", s.kubectl("get", "environment", "shop", "-o", "jsonpath={.status.outputs.url}"))
		},
		"kubectl wait environment/shop --for condition=Ready --timeout 1m": func(string) {
			assert.Equal(t, "shop:1.5", s.kubectl("get", "configmap", "shop-settings", "-o", "jsonpath={.data.image}"))
			assert.Contains(t, s.kubectl("get", "environments"), "1 same, 1 update.")
		},
		"kubectl delete environment shop": func(string) {
			assert.Empty(t, s.kubectl("get", "configmap/shop-settings", "service/shop", "secret/shop-state", "--ignore-not-found"))
		},
	})
	s.run("kubectl apply -f config/samples/ && kubectl wait environment/shop --for condition=Ready --timeout 1m")
	before := s.kubectl("get", "environment", "shop", "-o", "jsonpath={.status.serial}")
	s.follow("Upgrade it", nil)
	s.follow("Back it up", nil)
	states, err := os.ReadFile(filepath.Join(s.dir, "states.yaml"))
	require.NoError(t, err)
	assert.Subset(t, regexp.MustCompile(`name: (shop-\S+)`).FindAllString(string(states), -1), []string{"name: shop-state", "name: shop-passphrase"})
	assert.Equal(t, before, s.kubectl("get", "environment", "shop", "-o", "jsonpath={.status.serial}"))
	s.follow("Uninstall it", map[string]func(out string){
		"kubectl delete crd environmentclasses.platform.example.com environments.platform.example.com": func(string) {
			assert.Empty(t, s.kubectl("get", "configmap/shop-settings", "service/shop", "secret/shop-state", "--ignore-not-found"))
		},
		"kubectl delete -k config/crd --ignore-not-found": func(string) {
			for _, kind := range everywhere {
				assert.NotRegexp(t, "environment-|platform.example.com", s.kubectl("get", kind, "-o", "name"))
			}
		},
	})
}

// everywhere are the kinds without a namespace of which the operator has objects.
var everywhere = []string{
	"namespaces", "customresourcedefinitions", "clusterroles", "clusterrolebindings",
	"validatingadmissionpolicies", "validatingadmissionpolicybindings",
}

func TestTheProgramsOfTheOperator(t *testing.T) {
	t.Parallel()
	s := newStacks(t)
	s.follow("Install it", map[string]func(out string){
		"pulumi -C install up": func(string) {
			assert.Equal(t, "1", s.kubectl("get", "deployment", "environment-operator", "-n", system, "-o", "jsonpath={.status.availableReplicas}"))
			s.run("pulumi -C install preview --expect-no-changes")
		},
		"pulumi -C use stack init dev": func(string) { s.run("pulumi -C use preview") },
		// [X27] What depends on the Environment is made once its program has run.
		"pulumi -C use up": func(string) {
			assert.Equal(t, "http://shop.team-a", s.kubectl("get", "configmap", "shop-link", "-n", "team-a", "-o", "jsonpath={.data.url}"))
			var outputs map[string]any
			require.NoError(t, json.Unmarshal([]byte(s.run("pulumi -C use stack output --json --show-secrets")), &outputs))
			assert.Equal(t, map[string]any{"url": "http://shop.team-a", "database": "postgres://shop:not-a-good-password@db"}, outputs)
			s.run("pulumi -C use preview --expect-no-changes")
		},
		"kubectl get environments --namespace team-a": func(out string) { assert.Regexp(t, `shop +True`, out) },
		"pulumi -C use destroy --remove": func(string) {
			assert.Empty(t, s.kubectl("get", "namespace", "team-a", "--ignore-not-found"))
		},
		// [X41] What all Environments depend on stays.
		"pulumi -C install destroy --exclude-protected": func(string) {
			for _, kind := range []string{"namespaces", "clusterroles", "clusterrolebindings"} {
				assert.NotContains(t, s.kubectl("get", kind, "-o", "name"), "environment-operator")
			}
			for _, object := range []string{
				"crd/environments", "validatingadmissionpolicy/environments", "validatingadmissionpolicybinding/environments",
				"validatingadmissionpolicy/definition", "validatingadmissionpolicybinding/definition",
			} {
				s.kubectl("get", object+".platform.example.com")
			}
			s.kubectl("get", "clusterrole", "environment-viewer", "environment-editor")
		},
	})
	// [X41] Not even a destroy of what is not protected any more deletes them.
	s.run("pulumi -C install up")
	assert.Contains(t, s.fails("pulumi -C install destroy"), "protected")
	s.run("pulumi -C install state unprotect --all --yes")
	s.run("pulumi -C install destroy --remove")
	s.kubectl("get", "crd/environments.platform.example.com")
}
