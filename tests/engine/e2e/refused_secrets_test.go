package e2e

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestWhatIsRefusedShowsNoSecret refuses inputs that hold a secret, of which the engine prints the value where a
// failure names them, and lets the API server refuse a patch of a Secret, which it quotes with all that is in it.
func TestWhatIsRefusedShowsNoSecret(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)
	const secret = "hunter2-and-more"
	k.create(t, "v1/Secret/"+space+"/theirs", "{apiVersion: v1, kind: Secret, metadata: {name: theirs, namespace: "+space+"}, stringData: {key: "+secret+"}}")
	ofTheirs := "target: {apiVersion: v1, kind: Secret, namespace: " + space + ", name: theirs}, takeOwnership: true"
	for name, program := range map[string]struct{ resource, reason string }{
		"a patch that is there twice":       {"{type: 'k8sconnect:Patch', properties: {" + ofTheirs + ", patch: {data: {a: x}}, mergePatch: {data: {a: {'fn::secret': " + secret + "}}}}}", "mergePatch: Give exactly one"},
		"a patch that cannot be read":       {"{type: 'k8sconnect:Patch', properties: {" + ofTheirs + ", jsonPatch: {'fn::secret': '[{op: " + secret + "'}}}", "jsonPatch: The text is not"},
		"a manifest that cannot be read":    {"{type: 'k8sconnect:KubeObject', properties: {yaml: {'fn::secret': 'a: {" + secret + "'}}}", "yaml: The text is not"},
		"a manifest of a Secret in plain":   {"{type: 'k8sconnect:KubeObject', properties: {manifest: {apiVersion: v1, kind: Secret, metadata: {name: x, labels: {a: 1}}, stringData: {key: " + secret + "}}}}", "has a problem: manifest.metadata.labels.a: "},
		"the same as text":                  {"{type: 'k8sconnect:KubeObject', properties: {yaml: '{apiVersion: v1, kind: Secret, metadata: {name: x, labels: {a: 1}}, stringData: {key: " + secret + "}}'}}", "has a problem: yaml.metadata.labels.a: "},
		"a text that is two Secrets":        {"{type: 'k8sconnect:KubeObject', properties: {yaml: \"{kind: Secret, stringData: {key: " + secret + "}}\\n---\\n{kind: Secret}\"}}", "has a problem: yaml: YAML: the text holds 2 documents"},
		"a List of Secrets":                 {"{type: 'k8sconnect:KubeObject', properties: {manifest: {apiVersion: v1, kind: List, items: [{kind: Secret, stringData: {key: " + secret + "}}]}}}", "has a problem: manifest: List holds several objects"},
		"a manifest and a text":             {"{type: 'k8sconnect:KubeObject', properties: {manifest: {apiVersion: v1}, yaml: '{kind: Secret, stringData: {key: " + secret + "}}'}}", "has a problem: yaml: Give either"},
		"a patch of a Secret in plain":      {"{type: 'k8sconnect:Patch', properties: {" + ofTheirs + ", patch: '[{data: " + secret + "}]'}}", "has a problem: patch: The value must be an object"},
		"a mergePatch of a Secret in plain": {"{type: 'k8sconnect:Patch', properties: {" + ofTheirs + ", patch: {data: {a: x}}, mergePatch: {stringData: {a: " + secret + "}}}}", "has a problem: mergePatch: Give exactly one"},
		"a connection":                      {"{type: 'pulumi:providers:k8sconnect', properties: {host: 'https://127.0.0.1', clientKey: " + secret + "}}", "clientKey: "},
		"a Secret that cannot be so [P15]":  {"{type: 'k8sconnect:Patch', properties: {" + ofTheirs + ", mergePatch: {spec: {x: 1}}}}", `unknown field "spec"`},
		"a Secret, by operations too [P15]": {"{type: 'k8sconnect:Patch', properties: {" + ofTheirs + ", jsonPatch: [{op: add, path: /spec, value: 1}]}}", `unknown field "spec"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStack(t)
			s.program(t, "%s", "resources:\n  r: "+program.resource+"\n")
			out := s.runFails(t, "preview", "--diff")
			assert.Contains(t, out, program.reason)
			assert.NotContains(t, out, secret)
			assert.NotContains(t, out, base64.StdEncoding.EncodeToString([]byte(secret)))
		})
	}
}
