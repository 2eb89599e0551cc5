package runner_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/runner"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// TestMessageSaysWhatIsWrong runs programs that fail, each in its way.
func TestMessageSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		given   func(e *environment) inputs.Inputs
		reason  string
		says    []string
		applied bool
	}{
		"[X8] the API server refuses two objects": {
			given: func(e *environment) inputs.Inputs {
				return program(strings.ReplaceAll(`
resources:
  good:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: good, namespace: NAMESPACE}}}
  port:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: Service, metadata: {name: port, namespace: NAMESPACE}, spec: {ports: [{port: 99999}]}}}
    options: {dependsOn: ["${good}"]}
  label:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: label, namespace: NAMESPACE, labels: {a: "not a label!"}}}}
    options: {dependsOn: ["${good}"]}
`, "NAMESPACE", e.namespace))
			},
			reason: runner.ReasonUpdateFailed, says: []string{"99999"}, applied: true,
		},
		"[X8] the program has a mistake": {
			given: func(*environment) inputs.Inputs {
				return program("\nresources:\n  web:\n    type: k8sconnect:KubeObject\n    properties: {manifest: \"${nothing.there}\"}\n")
			},
			reason: runner.ReasonUpdateFailed, says: []string{"nothing"}, applied: true,
		},
		"[X8] a value is missing in the configuration": {
			given: func(*environment) inputs.Inputs {
				return program("\nconfig: {size: {type: integer}}\noutputs: {size: \"${size}\"}\n")
			},
			reason: runner.ReasonConfigInvalid, says: []string{"missing configuration value 'size'", "secretConfig"}, applied: true,
		},
		"a value is missing in an object of a class": {
			given: func(*environment) inputs.Inputs {
				given := program("\nconfig: {size: {type: integer}, and: {type: string}}\noutputs: {size: \"${size}\"}\n")
				given.Instance = "WebApp team-a/shop"
				return given
			},
			reason: runner.ReasonConfigInvalid, applied: true,
			says: []string{"missing configuration values 'and' and 'size'", "\nSet spec.and and spec.size of the WebApp team-a/shop. If its kind has no such field, the platform team sets it"},
		},
		"a value of an object of a class has another type": {
			given: func(*environment) inputs.Inputs {
				given := program("\nconfig: {size: {type: integer}}\noutputs: {size: \"${size}\"}\n")
				given.Instance, given.Config = "WebApp team-a/shop", map[string]json.RawMessage{"size": json.RawMessage(`"many"`)}
				return given
			},
			reason: runner.ReasonConfigInvalid, applied: true, says: []string{"\nSet spec.size of the WebApp team-a/shop."},
		},
		"the program has no Pulumi.yaml": {
			given: func(*environment) inputs.Inputs {
				return inputs.Inputs{Files: map[string][]byte{"main.yaml": []byte("a")}}
			},
			reason: runner.ReasonProgramInvalid, says: []string{"no file Pulumi.yaml"},
		},
		"the program brings the stack's configuration": {
			given: func(e *environment) inputs.Inputs {
				given := e.twoConfigMaps("green")
				given.Files["Pulumi."+e.namespace+".shop.yaml"] = []byte("secretsprovider: awskms://alias/mine\n")
				return given
			},
			reason: runner.ReasonProgramInvalid, says: []string{"which the operator writes", "secretConfig"},
		},
		"the configuration has a ciphertext": {
			given: func(e *environment) inputs.Inputs {
				given := e.twoConfigMaps("green")
				given.Config = map[string]json.RawMessage{"a": json.RawMessage(`{"b":{"secure":"v1:x"}}`)}
				return given
			},
			reason: runner.ReasonConfigInvalid, says: []string{"secretConfig"},
		},
		"the runtime is not in the image": {
			given: func(*environment) inputs.Inputs {
				return inputs.Inputs{Files: map[string][]byte{"Pulumi.yaml": []byte("name: shop\nruntime: fortran\n")}}
			},
			reason: runner.ReasonUpdateFailed, says: []string{"fortran"}, applied: true,
		},
		"an output cannot be a key of a Secret": {
			given:  func(*environment) inputs.Inputs { return program("\noutputs: {\"a key\": 1}\n") },
			reason: runner.ReasonOutputsInvalid, says: []string{`"a key"`}, applied: true,
		},
		"the outputs do not fit": {
			given: func(*environment) inputs.Inputs {
				given := program("\noutputs: {a: {fn::readFile: ./large}, b: {fn::readFile: ./large}}\n")
				given.Files["large"] = []byte(strings.Repeat("0123456789", 45_000))
				return given
			},
			reason: runner.ReasonOutputsInvalid, says: []string{"900"}, applied: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEnvironment(t)
			p, head, exit := e.run(v1alpha1.OperationUpdate, test.given(e))
			assert.Equal(t, 1, exit, p.log.String())
			assert.Equal(t, state.Failed, head.Record.Outcome)
			assert.Equal(t, test.reason, head.Record.Reason)
			assert.Equal(t, test.applied, head.Record.Applied)
			assert.Equal(t, head.Record.Message, p.message["message"])
			for _, text := range test.says {
				assert.Contains(t, head.Record.Message, text)
			}
			assert.NotContains(t, head.Record.Message, "exit status")
			assert.NotContains(t, head.Record.Message, p.folder, "a folder of the pod means nothing to anybody")
			t.Logf("%s:\n%s", head.Record.Reason, head.Record.Message)
			assert.Empty(t, head.Outputs)
		})
	}
}

func TestWrongPassphraseIsFoundBeforeAnythingHappens(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	_, _, exit := e.run(v1alpha1.OperationUpdate, program("\noutputs: {a: {fn::secret: hello-there}}\n"))
	require.Zero(t, exit)

	before := e.head()
	require.NoError(t, os.WriteFile(filepath.Join(e.passphrase, "passphrase"), []byte("another"), 0o600))
	p, head, exit := e.run(v1alpha1.OperationUpdate, e.twoConfigMaps("green"))
	assert.Equal(t, 1, exit, p.log.String())
	assert.Equal(t, runner.ReasonStateUnusable, head.Record.Reason)
	assert.Contains(t, head.Record.Message, "passphrase does not fit")
	assert.Empty(t, e.configMaps())
	assert.Equal(t, before.Checkpoint(), head.Checkpoint())
	assert.Equal(t, before.Outputs, head.Outputs, "the outputs are those of the last success")
}
