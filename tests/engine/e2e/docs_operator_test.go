package e2e

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// pageOnOperator previews the program in a cluster that knows Environments, which checks every field of it.
func pageOnOperator(t *testing.T, p page) {
	c := shared.Get(t)
	k := kubeOf(t, c)
	const id = "apiextensions.k8s.io/v1/CustomResourceDefinition/environments.platform.example.com"
	definition, err := readFile(filepath.Join("..", "..", "..", "examples", "operator", "config", "crd"), "platform.example.com_environments.yaml")
	require.NoError(t, err)
	k.apply(t, id, "docs", definition)
	t.Cleanup(func() { k.remove(t, id) })
	p.prove(t, proofs{aProgram: previewed})
}
