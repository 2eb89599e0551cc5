package rpc_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// problem is where a check failure must be, and some of what it must say.
type problem struct{ path, says string }

func requireProblems(t *testing.T, err error, want ...problem) {
	t.Helper()
	var failed invalid
	require.True(t, errors.As(err, &failed), "%v", err)
	var paths, wanted []string
	for _, failure := range failed.failures {
		path, reason := named(t, failure)
		paths = append(paths, path)
		assert.NotContains(t, reason, "goroutine")
		assert.Contains(t, reason, " ", "more than a word")
	}
	for _, w := range want {
		wanted = append(wanted, w.path)
		for _, failure := range failed.failures {
			if path, reason := named(t, failure); path == w.path {
				assert.Contains(t, reason, w.says, w.path)
			}
		}
	}
	require.ElementsMatch(t, wanted, paths, "%v", failed)
}

// named is the path of what was refused, and why it was. The engine prints the value of the property that a failure
// names, and so the reason names what it must not print: secrets, and above all whole documents.
func named(t *testing.T, failure plugin.CheckFailure) (path, reason string) {
	t.Helper()
	if failure.Property != "" {
		assert.NotRegexp(t, `^(manifest|yaml|patch|jsonPatch|mergePatch)\b`, failure.Property, "the engine would print it")
		return string(failure.Property), failure.Reason
	}
	path, reason, found := strings.Cut(failure.Reason, ": ")
	require.True(t, found, "%q does not say what it is about", failure.Reason)
	require.NotContains(t, path, " ", "%q does not begin with a path", failure.Reason)
	return path, reason
}

func TestBadInputIsNamed(t *testing.T) {
	t.Parallel()
	host, called := silence(t)
	p := start(t, map[string]any{"host": host, "token": "t", "insecure": true})
	yaml := func(text string) resource.PropertyMap {
		return resource.PropertyMap{"yaml": resource.NewProperty(text)}
	}
	manifest := func(text string) resource.PropertyMap { return program(object(t, "%s", text)) }
	const meta = "metadata: {name: x}"

	for what, c := range map[string]struct {
		in   resource.PropertyMap
		want []problem
	}{
		"neither manifest nor yaml": {resource.PropertyMap{}, []problem{{"manifest", "manifest, or as text in yaml"}}},
		"both manifest and yaml": {
			resource.NewPropertyMapFromMap(map[string]any{"manifest": map[string]any{}, "yaml": "a: b"}),
			[]problem{{"yaml", "not both"}},
		},
		"text as manifest":  {program("apiVersion: v1"), []problem{{"manifest", "use yaml"}}},
		"a list":            {program([]any{1}), []problem{{"manifest", "must be an object"}}},
		"an object as yaml": {resource.NewPropertyMapFromMap(map[string]any{"yaml": map[string]any{}}), []problem{{"yaml", "use manifest"}}},
		"an object where no input is": {
			resource.NewPropertyMapFromMap(map[string]any{"stringData": map[string]any{"key": "hunter2"}, "yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}"}),
			[]problem{{"stringData", "There is no input"}},
		},
		"an unknown input": {resource.NewPropertyMapFromMap(map[string]any{"manifst": 1, "yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}"}), []problem{{"manifst", "There is no input"}}},
		"a List": {
			manifest("{apiVersion: v1, kind: List, items: []}"), []problem{{"manifest", "splitYaml"}},
		},
		"several documents":      {yaml("apiVersion: v1\n---\napiVersion: v1\n"), []problem{{"yaml", "splitYaml"}}},
		"a duplicate key":        {yaml("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  a: b\n  a: c\n"), []problem{{"yaml", "lines 5 and 6"}}},
		"no YAML":                {yaml("a: [b"), []problem{{"yaml", "YAML"}}},
		"an empty text":          {yaml("# nothing\n"), []problem{{"yaml", "no object"}}},
		"nothing in it":          {program(map[string]any{}), []problem{{"manifest.apiVersion", "missing"}, {"manifest.kind", "missing"}, {"manifest.metadata", "missing"}}},
		"no apiVersion":          {manifest("{kind: ConfigMap, " + meta + "}"), []problem{{"manifest.apiVersion", "missing"}}},
		"a malformed apiVersion": {manifest("{apiVersion: apps/v1/beta, kind: Deployment, " + meta + "}"), []problem{{"manifest.apiVersion", "not an apiVersion"}}},
		"no kind":                {manifest("{apiVersion: v1, " + meta + "}"), []problem{{"manifest.kind", "missing"}}},
		"a plural kind":          {manifest("{apiVersion: v1, kind: configmaps, " + meta + "}"), []problem{{"manifest.kind", "not a kind"}}},
		"no name":                {manifest("{apiVersion: v1, kind: ConfigMap, metadata: {}}"), []problem{{"manifest.metadata.name", "missing"}}},
		"a malformed name":       {manifest("{apiVersion: v1, kind: ConfigMap, metadata: {name: a/b}}"), []problem{{"manifest.metadata.name", "not a name"}}},
		"generateName":           {manifest("{apiVersion: v1, kind: ConfigMap, metadata: {generateName: a-}}"), []problem{{"manifest.metadata.generateName", "cannot generate names"}}},
		"a container without name": {
			manifest("{apiVersion: apps/v1, kind: Deployment, " + meta + ", spec: {template: {spec: {containers: [{name: a}, {image: i}]}}}}"),
			[]problem{{"manifest.spec.template.spec.containers[1].name", "no name"}},
		},
		"a null list item": {manifest("{apiVersion: v1, kind: X, " + meta + ", spec: {l: [a, null]}}"), []problem{{"manifest.spec.l[1]", "null"}}},
		"a label that is a number": {
			manifest("{apiVersion: v1, kind: ConfigMap, metadata: {name: x, labels: {app.kubernetes.io/version: 1.2}}}"),
			[]problem{{`manifest.metadata.labels["app.kubernetes.io/version"]`, "put it in quotes"}},
		},
		"an unknown policy": {
			program(object(t, "{apiVersion: v1, kind: ConfigMap, %s}", meta), map[string]any{"deletionPropagation": "Later"}),
			[]problem{{"deletionPropagation", "Background, Foreground, Orphan"}},
		},
		"a wrong connection": {
			program(object(t, "{apiVersion: v1, kind: ConfigMap, %s}", meta), map[string]any{"clusterConnection": map[string]any{"token": "t"}}),
			[]problem{{"clusterConnection.token", "needs host"}},
		},
		"everything at once, in yaml": {
			resource.NewPropertyMapFromMap(map[string]any{
				"yaml":                "apiVersion: x/y/z\nkind: pods\nmetadata: {name: A B/, namespace: N S}\n",
				"deletionPropagation": "no",
				"clusterConnection":   map[string]any{"host": "h", "kubeconfig": "k"},
				"other":               true,
			}),
			[]problem{
				{"yaml.apiVersion", "not an apiVersion"}, {"yaml.kind", "not a kind"}, {"yaml.metadata.name", "not a name"},
				{"yaml.metadata.namespace", "not the name of a namespace"}, {"deletionPropagation", "one of"},
				{"clusterConnection.host", "kubeconfig"}, {"other", "no input"},
			},
		},
	} {
		t.Run(what+" [O55]", func(t *testing.T) {
			_, err := p.resource(t, "x").check(c.in, true)
			requireProblems(t, err, c.want...)
		})
	}
	t.Run("and the network was not needed", func(t *testing.T) { assert.Zero(t, called()) })
}

func TestWhatRealManifestsCarryIsDropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	user := newUser(t)
	lived := func(name string) map[string]any {
		return object(t, `
apiVersion: v1
kind: ConfigMap
metadata:
  name: %s
  namespace: %s
  uid: 1b1a9f0e-0000-0000-0000-000000000000
  resourceVersion: "12"
  generation: 3
  creationTimestamp: "2020-01-01T00:00:00Z"
  selfLink: /api/v1/x
  managedFields: [{manager: kubectl, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {}}}]
  labels: null
  annotations: {keep: "yes", drop: null}
data: {a: "1", n: null}
status: {phase: Active}
`, name, w.namespace)
	}
	t.Run("with one warning that names it [O55]", func(t *testing.T) {
		p := start(t, inline(user))
		in := program(lived("lived"))
		s := p.resource(t, "lived").mustUp("create", in)
		warnings := p.log.warnings()
		require.Len(t, warnings, 1)
		for _, dropped := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "selfLink", "managedFields"} {
			assert.Contains(t, warnings[0], "metadata."+dropped)
		}
		assert.Contains(t, warnings[0], "status")
		assert.Equal(t, map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"a": "1"},
			"metadata": map[string]any{"name": "lived", "namespace": w.namespace, "annotations": map[string]any{"keep": "yes"}},
		}, at(t, s.inputs, "manifest"))
		live := w.get("ConfigMap", "lived")
		assert.NotContains(t, live.Object["data"], "n")
		assert.NotContains(t, live.GetAnnotations(), "drop")
		s.mustUp("same", in)
		s.mustUp("same", program(w.configMap("lived", nil), map[string]any{"manifest": at(t, s.inputs, "manifest")}))
	})
	t.Run("without a word where it says nothing [O55]", func(t *testing.T) {
		p := start(t, inline(user))
		in := program(object(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: quiet, namespace: %s, creationTimestamp: null}, data: {a: b}, status: {}}", w.namespace))
		p.resource(t, "quiet").mustUp("create", in).mustUp("same", in)
		assert.Empty(t, p.log.warnings())
	})
	t.Run("a null in a Deployment, everywhere [O55]", func(t *testing.T) {
		p := start(t, inline(user))
		in := program(w.deployment(t, "nulls"))
		for _, path := range []string{
			"manifest.metadata.creationTimestamp", "manifest.spec.strategy", "manifest.spec.template.metadata.creationTimestamp",
			"manifest.spec.template.spec.containers[0].resources", "manifest.spec.template.spec.containers[0].env[0].valueFrom",
		} {
			in = with(t, in, path, nil)
		}
		p.resource(t, "nulls").mustUp("create", in).mustUp("same", in)
		assert.Empty(t, p.log.warnings())
	})
}

func TestImport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := start(t, inline(newUser(t)))
	cluster := fmt.Sprintf("system:%s", w.namespace)
	for id, manifest := range map[string]map[string]any{
		"v1/ConfigMap/" + w.namespace + "/cm":                 w.configMap("cm", map[string]any{"app.properties": "x=1"}),
		"apps/v1/Deployment/" + w.namespace + "/web":          w.deployment(t, "web"),
		"v1/ServiceAccount/" + w.namespace + "/bare":          object(t, "{apiVersion: v1, kind: ServiceAccount, metadata: {name: bare, namespace: %s}}", w.namespace),
		"v1/Namespace/" + w.namespace + "-two":                object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: %s-two}}", w.namespace),
		"rbac.authorization.k8s.io/v1/ClusterRole/" + cluster: object(t, "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: '%s'}, rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]}", cluster),
		"v1/Service/" + w.namespace + "/svc": object(t, `{apiVersion: v1, kind: Service, metadata: {name: svc, namespace: %s, annotations: {
			kubectl.kubernetes.io/last-applied-configuration: "{}", keep: "yes"}}, spec: {type: NodePort, selector: {a: b}, ports: [{port: 80}]}}`, w.namespace),
	} {
		t.Run(id+" round trip, and the next preview is empty [O65] [O67]", func(t *testing.T) {
			before := w.create(manifest)
			s := p.resource(t, id)
			require.NoError(t, s.importID(id))
			assert.Equal(t, id, string(s.id))
			in := s.inputs
			for _, key := range []string{"uid", "resourceVersion", "managedFields", "creationTimestamp", "generation"} {
				assert.NotContains(t, at(t, in, "manifest.metadata"), key)
			}
			assert.Nil(t, at(t, in, "manifest.status"))
			assert.NotContains(t, clear(in), "last-applied-configuration")
			assert.Empty(t, s.mustDiff(in))
			s.mustUp("same", in).mustUp("same", in)
			kind := manifest["kind"].(string)
			assert.Equal(t, before.GetResourceVersion(), w.get(kind, before.GetName()).GetResourceVersion(), "only read")

			changed := with(t, in, "manifest.metadata.labels", map[string]any{"new": "yes"})
			s.mustUp("update", changed).mustUp("same", changed)
			live := w.get(kind, before.GetName())
			assert.Equal(t, "yes", live.GetLabels()["new"], "[O66]")
			assert.Equal(t, before.GetUID(), live.GetUID())
		})
	}
	t.Run("an object that is not there is an error [O68]", func(t *testing.T) {
		require.ErrorContains(t, p.resource(t, "no").importID("v1/ConfigMap/"+w.namespace+"/no"), "cannot read ConfigMap "+w.namespace+"/no: not found (404)")
	})
	t.Run("an ID that is none is an error", func(t *testing.T) {
		require.Error(t, p.resource(t, "no").importID("nonsense"))
	})
}
