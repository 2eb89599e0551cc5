package runner_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// texts look like something else to Pulumi's host for YAML.
var texts = []string{
	"0", "7", "01", "-1", "+1", "1e3", "0.5", ".5", "inf", "NaN", "true", "True", "t", "F", "no", "null", "~", "",
	" x", "x ", " 0 ", "a: b", "two\nlines\n", "[1, 2]", `{"a": 1}`, `"quoted"`, "it's", "<&>", "${no.interpolation}",
}

// TestTextStaysText gives a program texts that look like numbers, booleans and JSON, in each way in which it can be given them.
func TestTextStaysText(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	given := inputs.Inputs{Config: map[string]json.RawMessage{}, SecretConfig: map[string]string{}}
	want := map[string]state.Output{}
	var declared, outputs strings.Builder
	expect := func(name, reference string, value any, secret bool) {
		// In an object, as in a manifest: an output by itself is a text in any case.
		fmt.Fprintf(&outputs, "  %s: {value: \"${%s}\"}\n", name, reference)
		want[name] = state.Output{Value: map[string]any{"value": value}, Secret: secret}
	}
	for n, text := range texts {
		encoded, err := json.Marshal(text)
		require.NoError(t, err)
		plain, undeclared, secret, hidden := fmt.Sprintf("declared%d", n), fmt.Sprintf("undeclared%d", n), fmt.Sprintf("secret%d", n), fmt.Sprintf("hidden%d", n)
		fmt.Fprintf(&declared, "  %s: {type: string}\n  %s: {type: string, secret: true}\n", plain, secret)
		given.Config[plain], given.Config[undeclared] = encoded, encoded
		given.SecretConfig[secret], given.SecretConfig[hidden] = text, text
		// The secrets are the same texts, so an output with a long one is secret [X46].
		isSecret := len(strings.TrimSpace(text)) >= 8
		expect(plain, plain, text, isSecret)
		expect(undeclared, undeclared, text, isSecret)
		expect(secret, secret, text, true)
		expect(hidden, hidden, text, true)
	}
	all, err := json.Marshal(map[string]any{"list": texts})
	require.NoError(t, err)
	given.Config["nested"] = all
	given.Config["database"] = json.RawMessage(`{}`)
	for n, text := range texts {
		expect(fmt.Sprintf("nested%d", n), fmt.Sprintf("nested.list[%d]", n), text, len(strings.TrimSpace(text)) >= 8)
		given.SecretConfig[fmt.Sprintf("database.password%d", n)] = text
		expect(fmt.Sprintf("deep%d", n), fmt.Sprintf("database.password%d", n), text, true)
	}
	// Where the program says that it wants no text, it gets none.
	declared.WriteString("  size: {type: integer}\n  debug: {type: boolean, secret: true}\n  replicas: {default: 3}\n")
	given.Config["size"], given.SecretConfig["debug"], given.SecretConfig["replicas"] = json.RawMessage(`"5"`), "true", "7"
	expect("size", "size", json.Number("5"), false)
	expect("debug", "debug", true, true)
	expect("replicas", "replicas", json.Number("7"), true)

	given.Files = program("\nconfig:\n" + declared.String() + "outputs:\n" + outputs.String()).Files
	p, head, exit := e.run(v1alpha1.OperationUpdate, given)
	require.Zero(t, exit, p.log.String())
	for name, output := range want {
		assert.Equal(t, output, head.Outputs[name], "[X39] %s", name)
	}
	assert.Len(t, head.Outputs, len(want))
}

// TestValuesKeepTheirTypes gives a program everything that JSON knows.
func TestValuesKeepTheirTypes(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	values := map[string]string{
		"zero": `0`, "negative": `-7`, "large": `9007199254740991`, "fraction": `0.5`, "exponent": `1e21`, "tiny": `0e3`, "yes": `true`, "off": `false`,
		"list": `[0,"0",true,"true",null,1.5,[],{}]`, "empty": `[]`, "object": `{"a":{"b":[1,"1"]},"secure":false}`, "nothing": `{}`,
	}
	given := inputs.Inputs{Config: map[string]json.RawMessage{}}
	var outputs strings.Builder
	for name, value := range values {
		given.Config[name] = json.RawMessage(value)
		fmt.Fprintf(&outputs, "  %s: {value: \"${%[1]s}\"}\n", name)
	}
	given.Files = program("\noutputs:\n" + outputs.String()).Files
	p, head, exit := e.run(v1alpha1.OperationUpdate, given)
	require.Zero(t, exit, p.log.String())
	for name, value := range values {
		got, err := json.Marshal(head.Outputs[name].Value)
		require.NoError(t, err)
		assert.JSONEq(t, `{"value":`+value+`}`, string(got), "[X39] %s", name)
	}
}
