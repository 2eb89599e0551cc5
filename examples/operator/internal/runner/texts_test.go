package runner

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

const (
	urnOfWeb  = "urn:pulumi:a.shop::shop::k8sconnect:index:KubeObject::web"
	urnOfRoot = "urn:pulumi:a.shop::shop::pulumi:pulumi:Stack::shop-a.shop"
)

func said(diagnostics ...apitype.DiagnosticEvent) *report {
	r := newReport(slog.New(slog.NewTextHandler(io.Discard, nil)))
	for _, diagnostic := range diagnostics {
		r.add(apitype.EngineEvent{DiagnosticEvent: &diagnostic})
	}
	return r
}

func TestExplanationHasTheCausesFirst(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		said []apitype.DiagnosticEvent
		err  error
		want string
	}{
		"the engine's summary is no cause": {
			said: []apitype.DiagnosticEvent{
				{URN: urnOfWeb, Severity: "error", Message: "refused\ndetails\n"},
				{Severity: "error", Message: "update failed"},
				{URN: urnOfWeb, Severity: "error", Message: "refused\ndetails\n"},
			},
			want: "web: refused\n\ndetails",
		},
		"the details of several are told apart": {
			said: []apitype.DiagnosticEvent{
				{URN: urnOfWeb, Severity: "error", Message: "refused\ndetails\n"}, {URN: urnOfWeb + "-2", Severity: "error", Message: "gone\nmore\n"},
				{URN: urnOfRoot, Severity: "error", Message: "a bad day\nfor all\n"},
			},
			want: "web: refused\nweb-2: gone\na bad day\n\nweb:\ndetails\n\nweb-2:\nmore\n\nfor all",
		},
		"the lines of a program belong together": {
			said: []apitype.DiagnosticEvent{
				{Severity: "info#err", Message: "Traceback\n  li"}, {Severity: "info#err", Message: "ne 1\n"},
				{Severity: "error", Message: "an unhandled error occurred"},
			},
			want: "Traceback\n\nline 1",
		},
		"what counts errors says nothing": {
			said: []apitype.DiagnosticEvent{{URN: urnOfWeb, Severity: "error", Message: "1 error occurred:\n\t* not ready\n\n"}},
			want: "web: not ready",
		},
		"the stack needs no name": {
			said: []apitype.DiagnosticEvent{{URN: urnOfRoot, Severity: "error", Message: "a bad day"}},
			want: "a bad day",
		},
		"[X36] planned values are not shown": {
			said: []apitype.DiagnosticEvent{{URN: urnOfWeb, Severity: "error",
				Message: "resource " + urnOfWeb + " violates plan: properties changed: ++input[{&{{planned-secret}}}!={&{{other-secret}}}]\n"}},
			want: "web changed since the approval",
		},
		"without any event the standard error has it": {
			err:  fmt.Errorf("failed to run update: exit status 255\ncode: 255\nstdout: \nstderr: %s", "error: no such backend\n\n"),
			want: "no such backend",
		},
		"warnings are no causes": {
			said: []apitype.DiagnosticEvent{{URN: urnOfWeb, Severity: "warning", Message: "old"}},
			err:  errors.New("killed"), want: "killed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := said(test.said...)
			r.err = test.err
			assert.Equal(t, test.want, r.explain(1000))
		})
	}
}

func TestExplanationOfManyErrorsCountsThem(t *testing.T) {
	t.Parallel()
	var many []apitype.DiagnosticEvent
	for n := range 300 {
		many = append(many, apitype.DiagnosticEvent{URN: fmt.Sprintf("%s-%d", urnOfWeb, n), Severity: "error", Message: "refused because of this and that\ndetails"})
	}
	text := said(many...).explain(2000)
	assert.LessOrEqual(t, len(text), 2000)
	lines := strings.Split(text, "\n")
	assert.Equal(t, "web-0: refused because of this and that", lines[0])
	assert.Equal(t, fmt.Sprintf("and %d more", 300-(len(lines)-1)), lines[len(lines)-1])

	long := said(apitype.DiagnosticEvent{URN: urnOfWeb, Severity: "error", Message: strings.Repeat("ä", 5000)}).explain(2000)
	assert.LessOrEqual(t, len(long), 2000)
	assert.True(t, utf8.ValidString(long))
}

func TestTerminationMessageFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(rapid.StringOf(rapid.RuneFrom([]rune("aä\"\\\n\x01<世"))).Draw(t, "text"), rapid.IntRange(0, 900).Draw(t, "times"))
		encoded := terminationMessage(state.Record{Serial: 7, Outcome: state.Failed, Reason: "UpdateFailed", Message: text})
		require.LessOrEqual(t, len(encoded), maximumTermination)
		var decoded struct{ Message string }
		require.NoError(t, json.Unmarshal(encoded, &decoded))
		require.True(t, strings.HasPrefix(text, strings.TrimSuffix(decoded.Message, cutMark)))
		if quoted, _ := json.Marshal(text); len(quoted) < 3800 {
			require.Equal(t, text, decoded.Message, "what fits is whole")
		}
	})
}

func TestSecretsAreTakenOut(t *testing.T) {
	t.Parallel()
	const secret = "pa55 \"word\"/+\nsecond-line"
	quoted, _ := json.Marshal(secret)
	for name, text := range map[string]string{
		"as it is":                 secret,
		"in JSON":                  strings.Trim(string(quoted), `"`),
		"quoted":                   strings.Trim(fmt.Sprintf("%q", secret), `"`),
		"in base64":                base64.StdEncoding.EncodeToString([]byte(secret)),
		"only a line of it":        "second-line",
		"what the state encrypted": "from-the-state",
		"decoded":                  "decoded-value",
		"in an annotation":         "annotated",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &redactor{}
			r.add(secret)
			r.addJSON(map[string]any{
				"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "database", "annotations": map[string]any{"a": "annotated"}},
				"data": map[string]any{"x": []any{"from-the-state", base64.StdEncoding.EncodeToString([]byte("decoded-value"))}, "y": "no"},
			})
			assert.Equal(t, "cannot create Secret database: "+redacted+", no", r.text("cannot create Secret database: "+text+", no"))
		})
	}
}

func TestWriterCutsNoSecretInHalf(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secrets := &redactor{}
		secrets.add("hunter2")
		var out strings.Builder
		w := &redactedWriter{to: &out, secrets: secrets}
		text := strings.Repeat("the password is hunter2 and hunter2\n", 3) + "hunter2"
		for text != "" {
			size := rapid.IntRange(1, len(text)).Draw(t, "size")
			_, err := io.WriteString(w, text[:size])
			require.NoError(t, err)
			text = text[size:]
		}
		w.flush()
		require.Equal(t, strings.Repeat("the password is [secret] and [secret]\n", 3)+"[secret]", out.String())
	})
}

func TestPlanHasNoOrderOfItsOwn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) apitype.StepEventMetadata {
			return apitype.StepEventMetadata{
				Op:  rapid.SampledFrom([]apitype.OpType{apitype.OpCreate, apitype.OpUpdate, apitype.OpReplace, apitype.OpDeleteReplaced}).Draw(t, "op"),
				URN: urnOfWeb + rapid.StringMatching("[a-z]{0,2}").Draw(t, "name"),
			}
		}), 1, 20, func(step apitype.StepEventMetadata) string { return string(step.Op) + step.URN }).Draw(t, "steps")
		hash, err := planHash(steps, inputs.Inputs{}, false)
		require.NoError(t, err)
		other, err := planHash(rapid.Permutation(steps).Draw(t, "other order"), inputs.Inputs{}, false)
		require.NoError(t, err)
		require.Equal(t, hash, other)
		fewer, err := planHash(steps[1:], inputs.Inputs{}, false)
		require.NoError(t, err)
		require.NotEqual(t, hash, fewer)
	})
}

func TestPlanHashHasWhatAnApprovalIsAbout(t *testing.T) {
	t.Parallel()
	step := apitype.StepEventMetadata{
		Op: apitype.OpUpdate, URN: urnOfWeb, New: &apitype.StepEventStateMetadata{Inputs: map[string]any{"replicas": 2.0}},
		DetailedDiff: map[string]apitype.PropertyDiff{"replicas": {Kind: apitype.DiffUpdate}},
	}
	replaced, other := step, step
	replaced.DetailedDiff = map[string]apitype.PropertyDiff{"replicas": {Kind: apitype.DiffUpdateReplace}}
	other.New = &apitype.StepEventStateMetadata{Inputs: map[string]any{"replicas": 3.0}}
	seen := map[string]bool{}
	hash := func(step apitype.StepEventMetadata, from inputs.Inputs, refresh bool) {
		hash, err := planHash([]apitype.StepEventMetadata{step}, from, refresh)
		require.NoError(t, err)
		assert.Len(t, hash, 16)
		seen[hash] = true
	}
	hash(step, inputs.Inputs{}, false)
	hash(replaced, inputs.Inputs{}, false)
	hash(other, inputs.Inputs{}, false)
	hash(step, inputs.Inputs{InputHash: "another version of a secret"}, false)
	hash(step, inputs.Inputs{AppliedSerial: 7}, false)
	hash(step, inputs.Inputs{}, true)
	assert.Len(t, seen, 6)
}

func TestInventoryNamesWhatIsWrongAndWhatIsElsewhere(t *testing.T) {
	t.Parallel()
	object := func(name, namespace string) apitype.ResourceV3 {
		return apitype.ResourceV3{
			URN: urn.URN("urn:pulumi:a.shop::shop::k8sconnect:index:KubeObject::" + name), Type: typeKubeObject, Custom: true, Provider: "urn:pulumi:a.shop::shop::pulumi:providers:k8sconnect::default::id",
			Outputs: map[string]any{"resourceRef": map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "namespace": namespace, "name": name, "uid": "uid-" + name}},
		}
	}
	task := func(name, namespace string, runOn ...any) apitype.ResourceV3 {
		made := object(name, namespace)
		made.URN, made.Type, made.Inputs = urn.URN("urn:pulumi:a.shop::shop::k8sconnect:index:Task::"+name), typeTask, map[string]any{"runOn": runOn}
		return made
	}
	typed := object("typed", "team-a")
	typed.URN, typed.Type = "urn:pulumi:a.shop::shop::k8sconnect:core/v1:ConfigMap::typed", "k8sconnect:core/v1:ConfigMap"
	typed.Outputs = map[string]any{"k8sconnect": typed.Outputs}
	removed := task("removed", "team-b")
	removed.Outputs = nil // It has succeeded, and its Job was removed.
	ill, far := object("ill", "team-a"), object("far", "team-a")
	ill.InitErrors = []string{"not ready"}
	far.Provider = "urn:pulumi:a.shop::shop::pulumi:providers:k8sconnect::far::id"
	deployment := &apitype.DeploymentV3{
		Resources: []apitype.ResourceV3{
			{URN: urnOfRoot, Type: rootType},
			{URN: "urn:pulumi:a.shop::shop::pulumi:providers:k8sconnect::far", Type: "pulumi:providers:k8sconnect", ID: "id", Custom: true, Inputs: map[string]any{"kubeconfig": "…"}},
			object("well", "team-a"), ill, object("other", "team-b"), object("wide", ""), far, typed,
			{URN: "urn:pulumi:a.shop::shop::random:index:Id::number", Type: "random:index:Id", Custom: true},
			{URN: "urn:pulumi:a.shop::shop::k8sconnect:index:Wait::wait", Type: typeWait, Custom: true},
			{URN: "urn:pulumi:a.shop::shop::my:own:Component::part", Type: "my:own:Component"},
			task("migrate", "team-a"), task("elsewhere", "team-b"), task("clean-up", "team-a", "create", "delete"), removed, // [X80]
		},
		PendingOperations: []apitype.OperationV2{
			{Type: apitype.OperationTypeCreating, Resource: object("well", "team-a")},
			{Type: apitype.OperationTypeCreating, Resource: object("unknown", "team-a")},
		},
	}
	var record state.Record
	inventory(&record, deployment, "team-a", []urn.URN{"urn:pulumi:a.shop::shop::k8sconnect:index:KubeObject::missing"})
	assert.Equal(t, int32(13), record.ResourceCount)
	assert.Equal(t, int32(1), record.PendingOperations)
	assert.Equal(t, []string{"k8sconnect:index:Task clean-up", "k8sconnect:index:Task elsewhere", "random:index:Id number", "v1 ConfigMap team-a/far", "v1 ConfigMap team-b/other", "v1 ConfigMap wide"}, record.Elsewhere)
	assert.Equal(t, int32(6), record.ElsewhereCount)
	require.Len(t, record.Resources, 14)
	assert.Equal(t, v1alpha1.ResourceStatus{Name: "ill", APIVersion: "v1", Kind: "ConfigMap", Namespace: "team-a", ObjectName: "ill", UID: "uid-ill", State: v1alpha1.ResourceFailed}, record.Resources[0])
	assert.Equal(t, v1alpha1.ResourceStatus{Name: "missing", Type: typeKubeObject, State: v1alpha1.ResourceFailed}, record.Resources[1])
	assert.Equal(t, "well", record.Resources[2].Name)
	assert.Contains(t, record.Resources, v1alpha1.ResourceStatus{Name: "typed", APIVersion: "v1", Kind: "ConfigMap", Namespace: "team-a", ObjectName: "typed", UID: "uid-typed", State: v1alpha1.ResourceApplied})
}
