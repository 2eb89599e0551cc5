package e2e

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// update rewrites the golden files: go test ./tests/engine/e2e -run 'TestWhatAPreview.*LooksLike' -update
var update = flag.Bool("update", false, "rewrite the golden files")

// shop is a program with a workload, and what is changed in it in pairs of old and new.
func shop(changes ...string) string {
	return replaceAll(`
resources:
  web:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: apps/v1
        kind: Deployment
        metadata:
          name: web
          namespace: %[1]s
          labels:
            app.kubernetes.io/name: web
            app.kubernetes.io/version: "1.0"
        spec:
          replicas: 3
          selector: {matchLabels: {app: web}}
          template:
            metadata: {labels: {app: web}}
            spec:
              containers:
                - name: web
                  image: nginx:1.29
                  env:
                    - {name: COLOR, value: blue}
                    - {name: SIZE, value: "3"}
                  ports:
                    - {name: http, containerPort: 8080}
                - name: log
                  image: fluentbit:4
                  args: [--quiet]
`, changes...)
}

const credentials = `
resources:
  credentials:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: Secret
        metadata: {name: credentials, namespace: %[1]s}
        stringData: {user: admin, password: swordfish}
        data: {token: c3dvcmRmaXNo, key: a2V5}
`

// TestWhatAPreviewLooksLike compares all that pulumi preview --diff prints with what a person has read and found clear.
func TestWhatAPreviewLooksLike(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k := kubeOf(t, c)
	for _, example := range []struct {
		name          string
		before, after string
		disturb       func(t *testing.T, namespace string)
	}{
		{name: "one-field-of-a-container", before: shop(), after: shop("fluentbit:4", "fluentbit:5")},
		{
			name: "a-variable-in-the-middle", before: shop(),
			after: shop(`blue}`, "blue}\n                    - {name: SHAPE, value: round}"),
		},
		{name: "a-label-with-a-dot", before: shop(), after: shop(`version: "1.0"`, `version: "1.1"`)},
		{
			name: "a-drifted-replica-count", before: shop(), after: shop(),
			disturb: func(t *testing.T, namespace string) {
				k.merge(t, "apps/v1/Deployment/"+namespace+"/web", `{spec: {replicas: 7}}`)
			},
		},
		{name: "a-secret", before: credentials, after: replaceAll(credentials, "swordfish", "marlin", "c3dvcmRmaXNo", "bWFybGlu")},
	} {
		t.Run(example.name, func(t *testing.T) {
			t.Parallel()
			s, namespace := newStack(t), c.Namespace(t)
			s.program(t, example.before, namespace)
			s.up(t)
			if example.disturb != nil {
				example.disturb(t, namespace)
			}
			s.program(t, example.after, namespace)
			got := printed(s, namespace, s.preview(t))
			assert.NotRegexp(t, `swordfish|marlin|c3dvcmRmaXNo|bWFybGlu`, got)

			golden(t, example.name, got)
		})
	}
}

// TestWhatAPreviewOfAWaitThatFailedLooksLike shows that it waits again, and no input as changed.
func TestWhatAPreviewOfAWaitThatFailedLooksLike(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	for _, example := range []struct{ name, properties string }{
		{"a-wait-that-failed", `
    type: k8sconnect:Wait
    properties:
      resourceRef: {apiVersion: v1, kind: ConfigMap, namespace: %[1]s, name: settings}
      waitFor: {field: data.ready, timeout: 1s}`},
		{"a-patch-that-failed-to-wait", `
    type: k8sconnect:Patch
    properties:
      target: {apiVersion: v1, kind: ConfigMap, namespace: %[1]s, name: settings}
      patch: {data: {color: blue}}
      takeOwnership: true
      waitFor: {field: data.ready, timeout: 1s}`},
	} {
		for _, drift := range []string{"preview", "refresh"} {
			t.Run(example.name+", where drift is found in a "+drift+" [D45]", func(t *testing.T) {
				t.Parallel()
				s, namespace := newStack(t), c.Namespace(t)
				kubeOf(t, c).make(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: "+namespace+"}}")
				s.config(t, "k8sconnect:driftDetection", drift)
				s.program(t, "resources:\n  ready:"+example.properties, namespace)
				s.upFails(t)
				golden(t, example.name+"-"+drift, printed(s, namespace, s.preview(t)))
			})
		}
	}
}

// golden compares a text with testdata/golden.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// managerHash is the end of a field manager's name, which depends on the project's.
var managerHash = regexp.MustCompile(`(k8sconnect-(?:patch-)?PROJECT\.test\.[a-z-]+-)[0-9a-f]{8}`)

// warning is a warning with the fields that it lists. The CLI prints it whenever it comes,
// before or after the resource that it is about.
var warning = regexp.MustCompile(`(?m)^warning: .*\n(?:(?:  .* -> |\* ).*\n)*`)

// printed is what a command printed, with names for what is another each time, and the warnings
// at the end.
func printed(s *stack, namespace, out string) string {
	out = replaceAll(out, s.project, "PROJECT", namespace, "NAMESPACE")
	out = managerHash.ReplaceAllString(out, "${1}HASH")
	warnings := strings.Join(warning.FindAllString(out, -1), "")
	return strings.Replace(warning.ReplaceAllString(out, ""), "Resources:\n", warnings+"Resources:\n", 1)
}
