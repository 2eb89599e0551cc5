package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// pageOnManyClusters plays both ways with three clusters, of which the one in the north is lost. Each is a namespace.
func pageOnManyClusters(t *testing.T, p page) {
	const eachAStack, oneStack, leaving = "A stack for each cluster", "One stack for all", "A cluster that leaves"
	shell := p.in(t, eachAStack, commandLines)[1]
	p.prove(t, proofs{
		aProgram:    p.told(eachAStack),
		inALanguage: func(t *testing.T, f fence) { assert.Contains(t, f.code, "k8sconnect.Provider") }, // tests/sdk checks its types
		commandLines: func(t *testing.T, f fence) {
			if f.code != shell.code {
				commands(t, f)
			}
		},
	})
	c := shared.Get(t)
	program := p.in(t, eachAStack, aProgram)[0].code

	t.Run("a cluster that cannot be reached fails its own stack alone, and is forgotten", func(t *testing.T) {
		t.Parallel()
		far := newFarClusters(t, c)
		s := far.stack
		s.program(t, "%s", programOf(t, program))
		for _, name := range far.names {
			s.env["PULUMI_STACK"] = name
			s.run(t, "stack", "init", name)
			s.run(t, "config", "set", "k8sconnect:context", name)
		}
		delete(s.env, "PULUMI_STACK")
		run := func(script string) (string, error) {
			cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
			cmd.Dir = s.dir
			for key, value := range s.env {
				cmd.Env = append(cmd.Env, key+"="+value)
			}
			out, err := cmd.CombinedOutput()
			return string(out), err
		}
		out, err := run(shell.code)
		require.NoError(t, err, out)

		far.lose(t, "north")
		s.program(t, "%s", strings.Replace(programOf(t, program), "greeting: hello", "greeting: good day", 1))
		out, err = run(shell.code)
		require.Error(t, err, out)
		assert.Contains(t, out, "[ClusterUnreachable]")
		assert.Equal(t, map[string]string{"east": "good day", "north": "hello", "west": "good day"}, far.greetings(t))

		destroy := strings.Replace(p.in(t, leaving, commandLines)[0].code, "pulumi destroy", "pulumi destroy --yes", 1)
		out, err = run(strings.Split(destroy, "\n")[1])
		require.Error(t, err, out)
		assert.Contains(t, out, far.id(t))
		_, err = run(withID(t, destroy, far.id(t)))
		require.NoError(t, err)
		assert.Equal(t, map[string]string{"east": "good day", "north": "hello", "west": "good day"}, far.greetings(t), "nothing was deleted")
		for _, name := range []string{"east", "west"} {
			_, err := run("pulumi destroy --yes --remove --stack " + name)
			require.NoError(t, err)
		}
	})
	t.Run("in one stack, the other clusters are updated", func(t *testing.T) {
		t.Parallel()
		far := newFarClusters(t, c)
		s := far.stack
		all := func(greeting, ofNorth string, names ...string) string {
			text := "resources:\n"
			for _, name := range names {
				properties := "context: " + name
				if name == "north" {
					properties += ofNorth
				}
				text += "  " + name + ": {type: 'pulumi:providers:k8sconnect', properties: {" + properties + "}}\n" +
					"  settings-" + name + ":\n    type: k8sconnect:KubeObject\n    options: {provider: '${" + name + "}'}\n" +
					"    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {greeting: " + greeting + "}}}\n"
			}
			return text
		}
		s.program(t, "%s", all("hello", "", far.names...))
		s.up(t)
		far.lose(t, "north")
		s.program(t, "%s", all("good day", "", far.names...))
		assert.Contains(t, s.previewFails(t), "[ClusterUnreachable]")
		update := words(t, strings.TrimSpace(p.in(t, oneStack, commandLines)[1].code))[1:]
		assert.Contains(t, s.runFails(t, append(update, "--yes")...), "[ClusterUnreachable]")
		assert.Equal(t, map[string]string{"east": "good day", "north": "hello", "west": "good day"}, far.greetings(t))

		s.env["PULUMI_K8SCONNECT_FORGET_CLUSTERS"] = far.id(t)
		s.program(t, "%s", all("good day", "", "east", "west"))
		s.up(t)
		assert.Equal(t, map[string]string{"east": "good day", "north": "hello", "west": "good day"}, far.greetings(t))
		s.previewEmpty(t)
	})
	t.Run("with driftDetection: refresh, a cluster that is away fails nothing as long as nothing changes there", func(t *testing.T) {
		t.Parallel()
		far := newFarClusters(t, c)
		s := far.stack
		away := `resources:
  north: {type: 'pulumi:providers:k8sconnect', properties: {context: north, driftDetection: refresh}}
  settings:
    type: k8sconnect:KubeObject
    options: {provider: '${north}'}
    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}}
`
		s.program(t, "%s", away)
		s.up(t)
		far.lose(t, "north")
		s.previewEmpty(t)
		s.up(t)
		far.find(t, "north")
	})
	t.Run("without the default provider, a resource without provider is an error", func(t *testing.T) {
		t.Parallel()
		s, _, _ := docsStack(t, c)
		s.run(t, strings.Fields(strings.ReplaceAll(p.in(t, oneStack, commandLines)[0].code, "'", ""))[1:]...)
		s.program(t, "%s", programOf(t, program))
		assert.Contains(t, s.previewFails(t), "Default provider for 'k8sconnect' disabled")
	})
}

// withID puts the id of a cluster into commands in place of that of the page.
func withID(t *testing.T, commands, id string) string {
	t.Helper()
	before, rest, found := strings.Cut(commands, "=")
	require.True(t, found)
	_, after, found := strings.Cut(rest, "\n")
	require.True(t, found)
	return before + "=" + id + "\n" + after
}

// farClusters are contexts of one kubeconfig, which has a namespace of a cluster for each.
type farClusters struct {
	stack  *stack
	kube   *kube
	names  []string
	spaces map[string]string
	config *clientcmdapi.Config
}

func newFarClusters(t *testing.T, c *cluster.Cluster) *farClusters {
	t.Helper()
	admin, err := c.Admin().Kubeconfig()
	require.NoError(t, err)
	config, err := clientcmd.Load(admin)
	require.NoError(t, err)
	far := &farClusters{kube: kubeOf(t, c), names: []string{"east", "north", "west"}, spaces: map[string]string{}, config: config}
	for _, name := range far.names {
		far.spaces[name] = c.Namespace(t)
		current := config.Contexts[config.CurrentContext]
		config.Clusters[name] = config.Clusters[current.Cluster].DeepCopy()
		config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: current.AuthInfo, Namespace: far.spaces[name]}
	}
	config.CurrentContext = ""
	file := filepath.Join(t.TempDir(), "kubeconfig")
	far.stack = newStackIn(t, far.kube, file)
	far.write(t)
	return far
}

func (far *farClusters) write(t *testing.T) {
	t.Helper()
	text, err := clientcmd.Write(*far.config)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(far.stack.env["KUBECONFIG"], text, 0o600))
}

// lose makes a cluster one that nobody can reach.
func (far *farClusters) lose(t *testing.T, name string) {
	t.Helper()
	far.config.Clusters[name].ProxyURL = "http://127.0.0.1:1"
	far.write(t)
}

// find takes that back.
func (far *farClusters) find(t *testing.T, name string) {
	t.Helper()
	far.config.Clusters[name].ProxyURL = ""
	far.write(t)
}

// greetings are what the settings say in each cluster.
func (far *farClusters) greetings(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for name, space := range far.spaces {
		found[name], _ = far.kube.value(t, "v1/ConfigMap/"+space+"/settings", "data", "greeting").(string)
	}
	return found
}

// id is that of the cluster that they all are.
func (far *farClusters) id(t *testing.T) string {
	t.Helper()
	return string(far.kube.get(t, "v1/Namespace/kube-system").GetUID())
}
