package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// configMap is a program of one ConfigMap, {a: "1"}. options are lines of resource options, at
// the indentation of six.
func configMap(resource, name, namespace string, options ...string) string {
	text := "resources:\n" + configMapResource(resource, name, namespace, `{a: "1"}`)
	for _, option := range options {
		text += "    options:\n      " + option + "\n"
	}
	return text
}

// configMapResource is one resource of a program.
func configMapResource(resource, name, namespace, data string) string {
	if namespace != "" {
		namespace = ", namespace: " + namespace
	}
	return fmt.Sprintf(`
  %s:
    type: k8sconnect:KubeObject
    properties:
      manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: %s%s}, data: %s}
`, resource, name, namespace, data)
}

// connectAs has the stack's environment lead to the cluster as another user.
func (s *stack) connectAs(t testing.TB, user cluster.User) {
	t.Helper()
	content, err := user.Kubeconfig()
	require.NoError(t, err)
	s.env["KUBECONFIG"] = s.file(t, "kubeconfig-"+filepath.Base(user.Name), string(content))
}

// by keeps the requests of one user.
func by(user cluster.User) func(cluster.Request) bool {
	return func(r cluster.Request) bool { return r.User == user.Name }
}

func readFile(dir, name string) (string, error) {
	content, err := os.ReadFile(filepath.Join(dir, name))
	return string(content), err
}

// replaceAll replaces texts, given in pairs of old and new.
func replaceAll(text string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(text)
}

// parse parses JSON that cannot be wrong.
func parse(text []byte) any {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		panic(err)
	}
	return value
}
