package runner_test

import (
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

func TestConfigurationComesAsItIs(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	given := program(`
config:
  name: {type: string}
  replicas: {type: integer}
  debug: {type: boolean}
  zones: {type: array, items: {type: string}}
  database: {type: object}
  token: {type: string}
outputs:
  name: ${name}
  replicas: ${replicas}
  debug: ${debug}
  zone: ${zones[1]}
  host: ${database.host}
  port: ${database.port}
  token: ${token}
  connection: {host: "${database.host}", password: "${database.password}"}
  covered: "password: [secret]"
`)
	given.Config = map[string]json.RawMessage{
		"name": json.RawMessage(`"the shop"`), "replicas": json.RawMessage(`3`), "shop:debug": json.RawMessage(`true`),
		"zones": json.RawMessage(`["a","b"]`), "database": json.RawMessage(`{"host":"db","port":5432}`),
	}
	given.SecretConfig = map[string]string{"token": "t0ken-of-the-shop", "database.password": "pa55-word\nwith \"two\" lines"}
	p, head, exit := e.run(v1alpha1.OperationUpdate, given)
	require.Zero(t, exit, p.log.String())
	assert.Equal(t, map[string]state.Output{
		"name":       {Value: "the shop"},
		"replicas":   {Value: json.Number("3")},
		"debug":      {Value: true},
		"zone":       {Value: "b"},
		"host":       {Value: "db", Secret: true}, // Pulumi: an object with a secret is secret as a whole
		"port":       {Value: json.Number("5432"), Secret: true},
		"token":      {Value: "t0ken-of-the-shop", Secret: true},
		"connection": {Value: map[string]any{"host": "db", "password": given.SecretConfig["database.password"]}, Secret: true},
		"covered":    {Value: "password: [secret]", Secret: true},
	}, head.Outputs, "[X39]")

	p, head, exit = e.run(v1alpha1.OperationUpdate, given)
	require.Zero(t, exit, p.log.String())
	assert.Empty(t, head.Record.Message)
}

// TestNothingSecretLeaves lets secrets appear wherever a program can make them appear.
func TestNothingSecretLeaves(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	const secret, generated, credential = "hunter2-hunter2", "made-by-the-program", "credential-of-the-backend"
	mistake := func(manifest string) inputs.Inputs {
		given := program(strings.ReplaceAll(`
config: {password: {type: string, secret: true}}
variables:
  generated: {fn::secret: `+generated+`}
resources:
  holder:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: Secret, metadata: {name: holder, namespace: NAMESPACE}, stringData: {a: "${password}", b: "${generated}"}}}
  wrong:
    type: k8sconnect:KubeObject
    properties: {manifest: `+manifest+`}
outputs: {password: "${password}"}
`, "NAMESPACE", e.namespace))
		given.SecretConfig = map[string]string{"password": secret}
		given.Credentials = map[string]string{"SOME_TOKEN": credential}
		return given
	}
	for name, given := range map[string]inputs.Inputs{
		"in the message of the API server":   mistake(`{apiVersion: v1, kind: Service, metadata: {name: wrong, namespace: NAMESPACE, labels: {a: "!${password}", b: "!${generated}"}}}`),
		"in what the program cannot work on": mistake(`{fn::fromBase64: "!${password} ${generated}"}`),
		"in the name of a file":              mistake(`{apiVersion: v1, kind: ConfigMap, metadata: {name: wrong, namespace: NAMESPACE}, data: {a: {fn::readFile: "./${password}-${generated}"}}}`),
	} {
		p, head, exit := e.run(v1alpha1.OperationUpdate, given)
		assert.Equal(t, 1, exit, p.log.String())
		record, err := json.Marshal(head.Record)
		require.NoError(t, err)
		message, err := os.ReadFile(filepath.Join(p.folder, "message"))
		require.NoError(t, err)
		t.Logf("%s: %s", name, head.Record.Message)
		require.NotEmpty(t, head.Record.Message)
		for _, hidden := range []string{secret, generated, credential, e.phrase} {
			assert.NotContains(t, string(record), hidden, "[X36] %s", name)
			assert.NotContains(t, string(message), hidden, "[X36] %s", name)
			assert.NotContains(t, p.log.String(), hidden, "[X36] %s", name)
		}
		assert.NotContains(t, unpacked(t, head), secret, "[X26] the state has it encrypted")
		assertNowhere(t, filepath.Join(p.folder, "work"), secret)
	}
}

// TestWhatTheOperatorKnowsIsNoPlainOutput has a program put into its outputs what it can read in its pod.
func TestWhatTheOperatorKnowsIsNoPlainOutput(t *testing.T) { // [X46]
	t.Parallel()
	e := newEnvironment(t)
	const token = "token-of-the-account"
	file := filepath.Join(t.TempDir(), "token")
	e.write(file, []byte(token))
	given := program("\noutputs:\n  token: the token is " + token + "\n  encoded: {deep: [\"" + base64.StdEncoding.EncodeToString([]byte(token)) +
		"\"]}\n  phrase: " + e.phrase + "\n  plain: nothing\n")
	p := e.start(v1alpha1.OperationUpdate, given, "--token="+file)
	require.Zero(t, p.wait(), p.log.String())
	head := e.head()
	for _, name := range []string{"token", "encoded", "phrase"} {
		assert.True(t, head.Outputs[name].Secret, name)
	}
	assert.Equal(t, state.Output{Value: "nothing"}, head.Outputs["plain"])
}

// warned is slow, and has the provider warn of a name that the program makes up: no state knew it before.
func (e *environment) warned(name string) inputs.Inputs {
	given := e.slow()
	given.Files["Pulumi.yaml"] = append(given.Files["Pulumi.yaml"], strings.NewReplacer("NAMESPACE", e.namespace, "MADE", name).Replace(`  wide:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: networking.k8s.io/v1
        kind: IngressClass
        metadata: {name: {fn::secret: MADE}, namespace: NAMESPACE}
        spec: {controller: example.com/none}
`)...)
	return given
}

// made waits until it is made, and until Pulumi waits.
func (p *pod) made() {
	p.e.t.Helper()
	p.eventually("it is made", func() bool {
		return strings.Contains(p.log.String(), "msg=done op=create name=wide") && strings.Contains(p.log.String(), "op=create name=filled")
	})
}

func TestLogWaitsForTheSecretsOfTheRun(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	name := "made-by-" + e.namespace
	p := e.start(v1alpha1.OperationUpdate, e.warned(name))
	p.made()
	assert.NotContains(t, p.log.String(), "belongs to no namespace", "[X26] it is not known yet what is secret")
	e.fill()
	require.Zero(t, p.wait(), p.log.String())
	assert.Contains(t, p.log.String(), `level=WARN msg="wide: IngressClass [secret] belongs to no namespace`)
	assert.NotContains(t, p.log.String(), name, "[X26]")
}

// TestNothingIsSaidWithoutTheState has a backend that goes away: what is secret is not known then.
func TestNothingIsSaidWithoutTheState(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	name := "made-by-" + e.namespace
	given := e.warned(name)
	given.BackendURL = "file://" + t.TempDir()
	e.pulumi(`case "$*" in *"stack export"*) [ -e "$0.away" ] && { echo "error: no such bucket" >&2; exit 1; } ;; esac`)
	p := e.start(v1alpha1.OperationUpdate, given)
	p.made()
	e.write(filepath.Join(e.tools, "pulumi.away"), nil)
	e.fill()
	assert.Equal(t, 1, p.wait(), p.log.String())
	assert.Contains(t, e.head().Record.Message, "no such bucket", "[X38]")
	assert.NotContains(t, p.log.String(), name, "[X26] [X38]")
	assert.NotContains(t, p.log.String(), "belongs to no namespace", "[X26] [X38]")
}

func TestSecretsAreOnNoCommandLine(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	given := e.slow()
	given.Files["Pulumi.yaml"] = append(given.Files["Pulumi.yaml"], "config: {password: {type: string, secret: true}}\n"...)
	given.SecretConfig = map[string]string{"password": "hunter2-hunter2"}
	given.Credentials = map[string]string{"SOME_TOKEN": "credential-of-the-backend", "PULUMI_CONFIG_PASSPHRASE": "not-the-stack's"}
	p := e.start(v1alpha1.OperationUpdate, given)
	seen := ""
	p.eventually("the first object is there", func() bool {
		for _, process := range descendants(p.cmd.Process.Pid) {
			line, _ := exec.Command("ps", "-o", "args=", "-p", strconv.Itoa(process)).Output()
			seen += string(line)
		}
		return len(e.configMaps()) > 0
	})
	require.Contains(t, seen, "pulumi-language-yaml")
	for _, hidden := range []string{"hunter2", "credential-of", e.phrase} {
		assert.NotContains(t, seen, hidden, "[X26]")
	}
	e.fill()
	require.Zero(t, p.wait(), p.log.String())
}

// assertNowhere looks into what a run has written. A Secret in memory would be better than the pod's disk, but no secret on
// it is best.
func assertNowhere(t *testing.T, folder, secret string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		assert.NotContains(t, string(content), secret, "[X26] %s", path)
		return err
	}))
}
