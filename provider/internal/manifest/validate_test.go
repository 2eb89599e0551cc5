package manifest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// parsed is the object that the YAML text holds.
func parsed(t *testing.T, text string) map[string]any {
	t.Helper()
	object, err := ParseYAML(text)
	require.NoError(t, err)
	return object
}

// assertProblems compares the problems of an object, written as `path: reason`, with their beginnings.
func assertProblems(t *testing.T, object map[string]any, want ...string) {
	t.Helper()
	before := values.DeepCopy(object)
	problems := Validate(object)
	var got []string
	for i, problem := range problems {
		line := problem.Path + ": " + problem.Reason
		if i < len(want) && strings.HasPrefix(line, want[i]) {
			line = want[i]
		}
		got = append(got, line)
	}
	assert.Equal(t, want, got)
	assert.Equal(t, problems, Validate(object), "the order is stable")
	assert.Equal(t, before, values.DeepCopy(object), "the argument was changed")
}

func TestGoodManifestsHaveNoProblems(t *testing.T) {
	for name, text := range map[string]string{
		"core":                  "{apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: prod, labels: {a: b}}}",
		"a name with a colon":   "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: 'system:node'}}",
		"a name with dots":      "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.acme.io}}",
		"upper case in a name":  "{apiVersion: acme.io/v1, kind: Widget, metadata: {name: Web_1}}",
		"a custom version":      "{apiVersion: acme.io/stable, kind: Widget, metadata: {name: x}}",
		"a lower-case kind":     "{apiVersion: config.istio.io/v1alpha2, kind: rule, metadata: {name: x}}",
		"an empty namespace":    "{apiVersion: v1, kind: Namespace, metadata: {name: x, namespace: ''}}",
		"null metadata members": "{apiVersion: v1, kind: ConfigMap, metadata: {name: x, generateName: null, namespace: null, labels: null, annotations: {a: null}}}",
		"a pod as kubectl get shows it": "{apiVersion: v1, kind: Pod, metadata: {name: web-abc, generateName: web-, uid: u}, " +
			"spec: {containers: [{name: a}]}, status: {phase: Running}}",
		"a kind that ends in List": "{apiVersion: acme.io/v1, kind: AllowList, metadata: {name: x}, spec: {items: []}}",
		"a custom pod-like kind":   "{apiVersion: acme.io/v1, kind: Deployment, metadata: {name: x}, spec: {template: {spec: {containers: [{image: x}]}}}}",
		"an interpolation":         "{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {a: '${x}'}}",
		"the bounds of a schema": "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.acme.io}, " +
			"spec: {maximum: 9223372036854775807, minimum: -9223372036854775807}}",
	} {
		t.Run(name+" [O55] [O67]", func(t *testing.T) { assertProblems(t, parsed(t, text)) })
	}
}

func TestBadManifestsAreRefusedByPath(t *testing.T) {
	const apiVersion = "apiVersion: v1\n"
	const kind = "kind: ConfigMap\n"
	const metadata = "metadata: {name: x}\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"names that look like those that are missing [D45]": {"{apiversion: v1, Kind: ConfigMap, metdata: {name: x}}", []string{
			"apiVersion: apiVersion is missing: write `v1` for the core group, else `group/version` as in `apps/v1`; `apiversion` looks like a misspelt `apiVersion`",
			"kind: kind is missing: write what the object is, as in `Deployment`; `Kind` looks like a misspelt `kind`",
			"metadata: metadata is missing: an object needs `metadata` with at least a `name`; `metdata` looks like a misspelt `metadata`",
		}},
		"everything missing": {"{a: b}", []string{
			"apiVersion: apiVersion is missing: write `v1`", "kind: kind is missing", "metadata: metadata is missing",
		}},
		"empty texts": {"apiVersion: ''\nkind: ''\nmetadata: {name: ''}", []string{
			"apiVersion: apiVersion is missing", "kind: kind is missing", "metadata.name: metadata.name is missing",
		}},
		"no texts": {"apiVersion: 1\nkind: true\nmetadata: {name: 2, namespace: [a]}", []string{
			"apiVersion: apiVersion must be text, not a number", "kind: kind must be text, not a boolean",
			"metadata.name: name must be text, not a number", "metadata.namespace: namespace must be text, not a list",
		}},
		"a group without a version":  {"apiVersion: apps\n" + kind + metadata, []string{`apiVersion: "apps" is not an apiVersion`}},
		"a version of three parts":   {"apiVersion: apps/v1/x\n" + kind + metadata, []string{`apiVersion: "apps/v1/x" is not an apiVersion`}},
		"a group that is no domain":  {"apiVersion: Apps!/v1\n" + kind + metadata, []string{`apiVersion: "Apps!/v1" is not`}},
		"an empty group":             {"apiVersion: /v1\n" + kind + metadata, []string{`apiVersion: "/v1" is not an apiVersion`}},
		"a lower-case built-in kind": {"apiVersion: apps/v1\nkind: deployment\n" + metadata, []string{`kind: "deployment" is not a kind`}},
		"a kind with a blank":        {apiVersion + "kind: Config Map\n" + metadata, []string{`kind: "Config Map" is not a kind`}},
		"metadata that is a text":    {apiVersion + kind + "metadata: x", []string{"metadata: metadata must be an object, not text"}},
		"metadata without a name":    {apiVersion + kind + "metadata: {labels: {}}", []string{"metadata.name: metadata.name is missing"}},
		"a slash in a name":          {apiVersion + kind + "metadata: {name: a/b}", []string{`metadata.name: "a/b" is not a name for an object: it may not contain '/'`}},
		"a name of dots":             {apiVersion + kind + "metadata: {name: ..}", []string{`metadata.name: ".." is not a name`}},
		"a percent sign in a name":   {apiVersion + kind + "metadata: {name: a%b}", []string{`metadata.name: "a%b" is not a name`}},
		"a long name": {
			apiVersion + kind + "metadata: {name: " + strings.Repeat("a", 254) + "}",
			[]string{`metadata.name: "` + strings.Repeat("a", 254) + `" is not a name for an object: it has 254 characters`},
		},
		"generateName": {apiVersion + kind + "metadata: {generateName: x-}", []string{
			"metadata.generateName: generateName is not possible: server-side apply cannot generate names",
		}},
		"a namespace that is no label": {apiVersion + kind + "metadata: {name: x, namespace: Prod.1}", []string{
			`metadata.namespace: "Prod.1" is not the name of a namespace`,
		}},
		"labels and annotations that are not text": {
			apiVersion + kind + "metadata: {name: x, labels: {a: 1, b: yes, c: x}, annotations: {d.e/f: {g: h}, i: 1.5}}",
			[]string{
				"metadata.labels.a: the values of labels must be text, not a number: put it in quotes",
				"metadata.labels.b: the values of labels must be text, not a boolean: put it in quotes",
				`metadata.annotations["d.e/f"]: the values of annotations must be text, not an object`,
				"metadata.annotations.i: the values of annotations must be text, not a number: put it in quotes",
			},
		},
		"labels that are a list": {apiVersion + kind + "metadata: {name: x, labels: [a]}", []string{
			"metadata.labels: labels must be an object with a text for each key, not a list",
		}},
		"null items": {apiVersion + kind + metadata + "a.b: [x, ~, [~]]", []string{
			`["a.b"][1]: the list item is null`, `["a.b"][2][0]: the list item is null`,
		}},
		"a number with too many digits": {"apiVersion: acme.io/v1\nkind: Widget\n" + metadata + "spec: {id: 9007199254740993, ok: 9007199254740992}", []string{
			"spec.id: the number has too many digits",
		}},
		"all at once, in order": {
			"apiVersion: v1\nkind: pod\nmetadata: {labels: {a: 1}}\nspec: {x: [~]}",
			[]string{
				`kind: "pod" is not a kind`, "metadata.name: metadata.name is missing", "metadata.labels.a: the values",
				"spec.x[0]: the list item is null",
			},
		},
	} {
		t.Run(name+" [O55]", func(t *testing.T) { assertProblems(t, parsed(t, c.text), c.want...) })
	}
}

func TestListKindsAreSentToSplitYaml(t *testing.T) {
	for _, list := range []map[string]any{
		{"apiVersion": "v1", "kind": "List"},
		{"apiVersion": "v1", "kind": "ConfigMapList", "items": []any{nil}},
	} {
		problems := Validate(list)
		require.Len(t, problems, 1, "[O55]")
		assert.Empty(t, problems[0].Path)
		assert.Contains(t, problems[0].Reason, "splitYaml")
	}
}

func TestContainersNeedNames(t *testing.T) {
	const containers = "{initContainers: [{image: a}], containers: [{name: ok}, {name: ''}, {name: ~}, x], ephemeralContainers: [{image: c}]}"
	for kind, c := range map[string]struct{ apiVersion, spec, at string }{
		"Pod":                   {"v1", "spec: " + containers, "spec"},
		"PodTemplate":           {"v1", "template: {spec: " + containers + "}", "template.spec"},
		"ReplicationController": {"v1", "spec: {template: {spec: " + containers + "}}", "spec.template.spec"},
		"Deployment":            {"apps/v1", "spec: {template: {spec: " + containers + "}}", "spec.template.spec"},
		"ReplicaSet":            {"apps/v1", "spec: {template: {spec: " + containers + "}}", "spec.template.spec"},
		"StatefulSet":           {"apps/v1", "spec: {template: {spec: " + containers + "}}", "spec.template.spec"},
		"DaemonSet":             {"apps/v1", "spec: {template: {spec: " + containers + "}}", "spec.template.spec"},
		"Job":                   {"batch/v1", "spec: {template: {spec: " + containers + "}}", "spec.template.spec"},
		"CronJob":               {"batch/v1", "spec: {jobTemplate: {spec: {template: {spec: " + containers + "}}}}", "spec.jobTemplate.spec.template.spec"},
	} {
		t.Run("a "+kind+" with a container without a name is refused [O55]", func(t *testing.T) {
			object := parsed(t, "apiVersion: "+c.apiVersion+"\nkind: "+kind+"\nmetadata: {name: x}\n"+c.spec)
			assertProblems(t, object,
				c.at+".initContainers[0].name: the container has no name", c.at+".containers[1].name: the container has no name",
				c.at+".containers[2].name: the container has no name", c.at+".ephemeralContainers[0].name: the container has no name")
		})
	}
}

func TestLabelsOfPodsAreCheckedToo(t *testing.T) {
	assertProblems(t, parsed(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: x},
		spec: {template: {metadata: {labels: {a: 1}, annotations: {b: true}}}}}`),
		"spec.template.metadata.labels.a: the values of labels", "spec.template.metadata.annotations.b: the values of annotations")
	assertProblems(t, parsed(t, `{apiVersion: v1, kind: Pod, metadata: {name: x, labels: {a: 1}}}`),
		"metadata.labels.a: the values of labels") // once
}

func TestWhatIsUnknownIsNotJudged(t *testing.T) {
	for name, object := range map[string]map[string]any{
		"the head": {"apiVersion": values.Unknown{}, "kind": values.Unknown{}, "metadata": values.Unknown{}},
		"its parts": {"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{
			"name": values.Unknown{}, "generateName": values.Unknown{}, "namespace": values.Unknown{},
			"labels": values.Unknown{}, "annotations": map[string]any{"a": values.Unknown{}},
		}, "spec": values.Unknown{}},
		"containers": {
			"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "x"},
			"spec": map[string]any{"initContainers": values.Unknown{}, "containers": []any{
				values.Unknown{}, map[string]any{"name": values.Unknown{}},
			}},
		},
	} {
		t.Run(name+" [O6]", func(t *testing.T) { assertProblems(t, object) })
	}
}

func TestReasonsNeverShowValuesThatMayBeSecret(t *testing.T) {
	object := parsed(t, `{apiVersion: v1, kind: Secret, metadata: {name: x, labels: {a: 424242}}, data: [~, 424242], n: 9007199254740993}`)
	problems := Validate(object)
	require.Len(t, problems, 3)
	for _, problem := range problems {
		assert.NotContains(t, problem.Reason, "424242", "[O78]")
		assert.NotContains(t, problem.Reason, "9007199254740993", "[O78]")
	}
}
