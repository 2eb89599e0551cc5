package e2e

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// depths is a program with a secret at every depth from three segments on; the number in each
// value is that of the segments of its property path.
const depths = `
config:
  password: {type: string, secret: true}
resources:
  map:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata:
          name: map
          namespace: %[1]s
          annotations: {four: "4-${password}", open: readable}
        data: {three: "3-${password}", open: readable}
  ingress:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: networking.k8s.io/v1
        kind: Ingress
        metadata: {name: ingress, namespace: %[1]s}
        spec:
          defaultBackend: {service: {name: "svc-5-${password}", port: {number: 80}}}
          rules: [{host: "five-${password}"}]
  web:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web, namespace: %[1]s}
        spec:
          selector: {matchLabels: {app: web}}
          template:
            metadata: {labels: {app: web}, annotations: {six: "6-${password}", open: readable}}
            spec:
              containers:
                - name: main
                  image: nginx
                  args: ["8-${password}", readable]
                  env: [{name: OPEN, value: readable}, {name: NINE, value: "9-${password}"}]
`

func TestSecrets(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	// DNS labels, since one of the places takes nothing else.
	const first, second, foreign = "swordfish-one", "swordfish-two", "swordfish-drifted"
	s.program(t, depths, space)
	s.config(t, "password", first, "--secret")

	step(t, "secrets are masked in the preview of a create, at every depth [O78]", func(t *testing.T) {
		unreadable(t, "preview", s.preview(t))
	})
	step(t, "they are applied, and not readable in the log of provider and engine [O78]", func(t *testing.T) {
		unreadable(t, "log", withoutWire(s.up(t, "--logtostderr", "--logflow", "-v=9")))
		live := k.get(t, "v1/ConfigMap/"+space+"/map").Object
		assert.Equal(t, "3-"+first, at(live, "data", "three"))
		assert.Equal(t, "4-"+first, at(live, "metadata", "annotations", "four"))
		assert.Equal(t, "five-"+first, k.value(t, "networking.k8s.io/v1/Ingress/"+space+"/ingress", "spec", "rules", 0, "host"))
		pod := k.value(t, "apps/v1/Deployment/"+space+"/web", "spec", "template")
		assert.Equal(t, "6-"+first, at(pod, "metadata", "annotations", "six"))
		assert.Equal(t, "9-"+first, at(pod, "spec", "containers", 0, "env", 1, "value"))
	})
	step(t, "they are not readable in the state, and their neighbours are [O78]", func(t *testing.T) {
		saved := s.export(t)
		unreadable(t, "export", saved.text)
		unreadable(t, "backend", s.everythingSaved(t))
		for _, place := range []map[string]any{saved.get(t, "map").Inputs, saved.get(t, "map").Outputs} {
			assert.Equal(t, "readable", at(place, "manifest", "data", "open"))
			assert.Equal(t, "readable", at(place, "manifest", "metadata", "annotations", "open"))
		}
		outputs := saved.get(t, "web").Outputs
		assert.Equal(t, "readable", at(outputs, "manifest", "spec", "template", "metadata", "annotations", "open"))
		assert.Equal(t, "readable", at(outputs, "manifest", "spec", "template", "spec", "containers", 0, "env", 0, "value"))
		s.previewEmpty(t)
	})
	step(t, "drift of a secret is seen and masked [O78]", func(t *testing.T) {
		k.merge(t, "v1/ConfigMap/"+space+"/map", fmt.Sprintf(`{metadata: {annotations: {four: %s}}, data: {three: %s}}`, foreign, foreign))
		out := s.preview(t)
		assert.Contains(t, out, "~ 1 to update")
		assert.Contains(t, out, "[secret]")
		unreadable(t, "preview", out)
		unreadable(t, "refresh", s.refresh(t, "--diff"))
		unreadable(t, "backend", s.everythingSaved(t))
	})
	step(t, "a changed secret is seen and masked [O78]", func(t *testing.T) {
		s.config(t, "password", second, "--secret")
		out := s.preview(t)
		assert.Contains(t, out, "~ 3 to update")
		unreadable(t, "preview", out)
		unreadable(t, "log", withoutWire(s.up(t, "--logtostderr", "--logflow", "-v=9", "--diff")))
		assert.Equal(t, "3-"+second, k.value(t, "v1/ConfigMap/"+space+"/map", "data", "three"))
		unreadable(t, "export", s.export(t).text)
		unreadable(t, "backend", s.everythingSaved(t))
		s.previewEmpty(t)
	})
	step(t, "a refused secret is not quoted [O78]", func(t *testing.T) {
		s.config(t, "password", "swordfish_of_the-seas", "--secret")
		out := s.previewFails(t)
		assert.Contains(t, out, "spec.rules[0].host")
		unreadable(t, "error", out)
	})
	step(t, "destroy tells nothing either [O78]", func(t *testing.T) {
		unreadable(t, "log", withoutWire(s.destroy(t, "--logtostderr", "--logflow", "-v=9")))
		unreadable(t, "backend", s.everythingSaved(t))
	})
}

func TestKindSecret(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	id := "v1/Secret/" + space + "/plain"
	program := `
resources:
  plain:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: Secret
        metadata: {name: plain, namespace: %[1]s, labels: {open: readable}}
        stringData: {text: swordfish-%[2]s}
        data: {binary: %[3]s}
  text:
    type: k8sconnect:KubeObject
    properties:
      yaml: |
        apiVersion: v1
        kind: Secret
        metadata: {name: text, namespace: %[1]s}
        stringData: {text: swordfish-%[2]s}
`
	for _, value := range []string{"plain", "changed"} {
		step(t, "a Secret's data is secret also if it is given as plain text, "+value+" [O79]", func(t *testing.T) {
			s.program(t, program, space, value, base64.StdEncoding.EncodeToString([]byte("swordfish-"+value)))
			unreadable(t, "preview", s.preview(t))
			unreadable(t, "up", s.up(t, "--diff"))
			saved := s.export(t)
			unreadable(t, "export", saved.text)
			unreadable(t, "backend", s.everythingSaved(t))
			assert.Equal(t, "readable", at(saved.get(t, "plain").Outputs, "manifest", "metadata", "labels", "open"))
			assert.Equal(t, base64.StdEncoding.EncodeToString([]byte("swordfish-"+value)), k.value(t, id, "data", "text"))
			s.previewEmpty(t)
		})
	}
	step(t, "so is what someone else has put in its place [O79]", func(t *testing.T) {
		k.merge(t, id, "{stringData: {text: swordfish-drifted, more: swordfish-more}}")
		out := s.preview(t)
		assert.Contains(t, out, "~ 1 to update")
		unreadable(t, "preview", out)
		unreadable(t, "refresh", s.refresh(t, "--diff"))
		unreadable(t, "export", s.export(t).text)
		unreadable(t, "backend", s.everythingSaved(t))
	})
}

// wire are the lines in which Pulumi's own library, in whatever process, spells out the messages
// that it sends and receives at the highest level of detail, secrets and all.
var wire = regexp.MustCompile(`(?m)^.*(?:Unm|M)arshaling property for RPC\[.*\n`)

func withoutWire(log string) string { return wire.ReplaceAllString(log, "") }

// unreadable wants that none of our secrets, which all begin alike, is in a text, neither as it
// is nor in base64.
func unreadable(t *testing.T, place, text string) {
	t.Helper()
	const secret = "swordfish"
	needles := []string{secret}
	// In base64 a text looks different at each of three offsets; the edges depend on neighbours.
	for offset := range 3 {
		encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(" ", offset) + secret))
		needles = append(needles, strings.TrimRight(encoded, "=")[(offset*8+5)/6:len(secret)])
	}
	for _, needle := range needles {
		if i := strings.Index(text, needle); i >= 0 {
			t.Errorf("a secret is readable in the %s: …%s…", place, text[max(0, i-300):min(len(text), i+100)])
			return
		}
	}
}
