package e2e

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

func TestContexts(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k := kubeOf(t, c)
	admin, err := c.Admin().Kubeconfig()
	require.NoError(t, err)

	// contexts is a kubeconfig in which each context has a namespace of its own; the last is current.
	contexts := func(t *testing.T, namespaces ...string) *clientcmdapi.Config {
		config, err := clientcmd.Load(admin)
		require.NoError(t, err)
		only := config.Contexts[config.CurrentContext]
		config.Contexts = map[string]*clientcmdapi.Context{}
		for _, namespace := range namespaces {
			config.Contexts["to/"+namespace] = &clientcmdapi.Context{
				Cluster: only.Cluster, AuthInfo: only.AuthInfo, Namespace: namespace,
			}
			config.CurrentContext = "to/" + namespace
		}
		return config
	}

	t.Run("a kubeconfig is given as a path, and the context chosen [C5]", func(t *testing.T) {
		s, chosen, current := newStack(t), c.Namespace(t), c.Namespace(t)
		s.nowhere(t)
		path := s.file(t, "by-path", write(t, contexts(t, chosen, current)))
		s.config(t, "k8sconnect:kubeconfig", path)
		s.config(t, "k8sconnect:context", "to/"+chosen)
		s.program(t, configMap("object", "by-path", ""))
		s.up(t)
		k.get(t, "v1/ConfigMap/"+chosen+"/by-path")
		s.previewEmpty(t)
		s.config(t, "k8sconnect:kubeconfig", s.dir+"/not-there")
		assert.Contains(t, s.previewFails(t), "not-there")
		s.config(t, "k8sconnect:kubeconfig", path)
	})

	t.Run("$KUBECONFIG names two files, of which neither is enough [C5]", func(t *testing.T) {
		s, space := newStack(t), c.Namespace(t)
		whole := contexts(t, space)
		users, rest := clientcmdapi.NewConfig(), whole.DeepCopy()
		users.AuthInfos, rest.AuthInfos = whole.AuthInfos, nil
		s.env["KUBECONFIG"] = s.file(t, "rest", write(t, rest)) + string(os.PathListSeparator) + s.file(t, "users", write(t, users))
		s.program(t, configMap("object", "two-files", ""))
		s.up(t)
		k.get(t, "v1/ConfigMap/"+space+"/two-files")
		s.previewEmpty(t)
	})

	t.Run("a configuration that drops the context takes effect at once [C18]", func(t *testing.T) {
		s, chosen, current := newStack(t), c.Namespace(t), c.Namespace(t)
		s.env["KUBECONFIG"] = s.file(t, "contexts", write(t, contexts(t, chosen, current)))
		s.config(t, "k8sconnect:context", "to/"+chosen)
		s.program(t, configMap("object", "one", ""))
		s.up(t)
		k.get(t, "v1/ConfigMap/"+chosen+"/one")
		s.configRemove(t, "k8sconnect:context")
		s.program(t, configMap("other", "two", ""))
		s.up(t)
		k.get(t, "v1/ConfigMap/"+current+"/two")
		k.gone(t, "v1/ConfigMap/"+chosen+"/one")
	})

	t.Run("an explicit provider that drops its context does so without being replaced [C18]", func(t *testing.T) {
		s, chosen, current := newStack(t), c.Namespace(t), c.Namespace(t)
		s.nowhere(t)
		s.file(t, "contexts", write(t, contexts(t, chosen, current)))
		program := func(context, name string) string {
			return fmt.Sprintf(`
resources:
  provider:
    type: pulumi:providers:k8sconnect
    properties: {kubeconfig: {fn::readFile: ./contexts}%s}
%s    options: {provider: "${provider}"}
`, context, configMapResource(name, name, "", `{a: "1"}`))
		}
		s.program(t, program(", context: to/"+chosen, "one"))
		s.up(t)
		k.get(t, "v1/ConfigMap/"+chosen+"/one")
		s.program(t, program("", "two"))
		assert.NotContains(t, s.preview(t), "replace")
		s.up(t)
		k.get(t, "v1/ConfigMap/"+current+"/two")
		k.gone(t, "v1/ConfigMap/"+chosen+"/one")
	})
}

func write(t testing.TB, config *clientcmdapi.Config) string {
	t.Helper()
	content, err := clientcmd.Write(*config)
	require.NoError(t, err)
	return string(content)
}

func TestTwoClusters(t *testing.T) {
	t.Parallel()
	one, two := shared.Get(t), cluster.ForTest(t, cluster.Options{})
	inOne, inTwo, s := kubeOf(t, one), kubeOf(t, two), newStack(t)
	s.nowhere(t)
	space := one.Namespace(t)
	inTwo.apply(t, "v1/Namespace/"+space, "test", "{apiVersion: v1, kind: Namespace, metadata: {name: "+space+"}}")
	s.file(t, "one", string(one.Kubeconfig()))
	s.file(t, "two", string(two.Kubeconfig()))
	s.program(t, `
resources:
  one: {type: "pulumi:providers:k8sconnect", properties: {kubeconfig: {fn::readFile: ./one}}}
  two: {type: "pulumi:providers:k8sconnect", properties: {kubeconfig: {fn::readFile: ./two}}}
  same-in-one:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: same, namespace: %[1]s}, data: {is: one}}
    options: {provider: "${one}"}
  same-in-two:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: same, namespace: %[1]s}, data: {is: two}}
    options: {provider: "${two}"}
  own:
    type: k8sconnect:KubeObject
    properties:
      clusterConnection: {kubeconfig: {fn::readFile: ./two}}
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: own, namespace: %[1]s}, data: {is: two}}
    options: {provider: "${one}"}
`, space)
	same, own := "v1/ConfigMap/"+space+"/same", "v1/ConfigMap/"+space+"/own"

	step(t, "two providers for two clusters in one program [C17]", func(t *testing.T) {
		s.up(t)
		assert.Equal(t, "one", inOne.value(t, same, "data", "is"))
		assert.Equal(t, "two", inTwo.value(t, same, "data", "is"))
	})
	step(t, "a resource's own connection beats its provider's [C17]", func(t *testing.T) {
		assert.Equal(t, "two", inTwo.value(t, own, "data", "is"))
		inOne.gone(t, own)
		s.previewEmpty(t)
	})
	step(t, "drift is looked for in the right cluster [C17]", func(t *testing.T) {
		inTwo.merge(t, same, "{data: {is: wrong}}")
		assert.Equal(t, []string{`~ is: "wrong" => "two"`}, changedLines(s.preview(t)))
		inTwo.merge(t, own, "{data: {is: wrong}}")
		assert.Contains(t, s.preview(t), "~ 2 to update")
		s.up(t)
		assert.Equal(t, "one", inOne.value(t, same, "data", "is"))
		assert.Equal(t, "two", inTwo.value(t, same, "data", "is"))
		assert.Equal(t, "two", inTwo.value(t, own, "data", "is"))
	})
	step(t, "and destroyed there [C17]", func(t *testing.T) {
		s.destroy(t)
		inOne.gone(t, same)
		inTwo.gone(t, same)
		inTwo.gone(t, own)
	})
}
