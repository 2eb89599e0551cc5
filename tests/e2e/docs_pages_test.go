package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

func pageOnConfiguration(t *testing.T, p page) {
	c := shared.Get(t)
	p.prove(t, proofs{
		aProgram: func(t *testing.T, f fence) {
			s, _, space := docsStack(t, c)
			s.clusters(t, c, space, "east", "west")
			s.program(t, "%s", programOf(t, f.code))
			assert.Contains(t, s.preview(t), "to create")
		},
		aStackFile:   configured,
		anESCFile:    environment,
		commandLines: commands,
	})
	t.Run("the table has every key of the schema, and no other", func(t *testing.T) {
		var listed []string
		for _, row := range tableRow.FindAllStringSubmatch(p.section(t, "Configuration"), -1) {
			listed = append(listed, row[1])
		}
		var keys []string
		for key := range configKeys() {
			keys = append(keys, key)
		}
		assert.ElementsMatch(t, keys, listed)
	})
	t.Run("what the page calls always secret is what the schema does", func(t *testing.T) {
		_, text, _ := strings.Cut(p.section(t, "Secrets"), "\n")
		text, _, found := strings.Cut(text, " are always secret")
		require.True(t, found)
		for key, variable := range configKeys() {
			secret, _ := at(variable, "secret").(bool)
			assert.Equal(t, secret, strings.Contains(text, "`"+key+"`"), key)
		}
	})
}

// clusters writes a kubeconfig into a project that has a context for each of the names, which all lead to
// one namespace.
func (s *stack) clusters(t *testing.T, c *cluster.Cluster, space string, names ...string) {
	t.Helper()
	admin, err := c.Admin().Kubeconfig()
	require.NoError(t, err)
	config, err := clientcmd.Load(admin)
	require.NoError(t, err)
	for _, name := range names {
		named := config.Contexts[config.CurrentContext].DeepCopy()
		named.Namespace = space
		config.Contexts[name] = named
	}
	text, err := clientcmd.Write(*config)
	require.NoError(t, err)
	s.file(t, "clusters.yaml", string(text))
}
