package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// foreign is what a KubeObject has where a typed resource has something else.
var foreign = regexp.MustCompile(`manifest[.\["]|index:KubeObject|(^|[^.\w])(ignoreFields|takeOverFrom|conflictPolicy|adopt: true)\b|yaml: \{`)

func TestMessagesOfTypedResources(t *testing.T) { // [K15]
	t.Parallel()
	s, k, space := newStack(t), kubeOf(t, shared.Get(t)), shared.Get(t).Namespace(t)
	s.extend(t, "kinds=v1/ConfigMap", live(t))
	id := "v1/ConfigMap/" + space + "/it"
	theirs := func(data string) {
		k.apply(t, id, "other", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, namespace: "+space+"}, data: "+data+"}")
	}
	config := func(more string) {
		s.program(t, "%s", "resources:"+typedResource("it", "core/v1:ConfigMap", "{metadata: {name: it, namespace: "+space+"}, "+more+"}"))
	}
	says := func(t *testing.T, out string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			assert.Contains(t, out, want)
		}
		for line := range strings.Lines(out) {
			// The engine shows the properties of the resource, among them the options in their place.
			if !strings.HasPrefix(line, "    ") || strings.Contains(line, "warning:") || strings.Contains(line, "error:") {
				assert.NotRegexp(t, foreign, line)
			}
		}
	}
	theirs(`{a: "1"}`)
	step(t, "how to bring in an object that exists", func(t *testing.T) {
		config(`data: {a: "2"}`)
		says(t, s.previewFails(t), "pulumi import --generate-code=false k8sconnect:core/v1:ConfigMap NAME '"+id+"'", "`k8sconnect.adopt: true`")
	})
	step(t, "whose fields are in conflict", func(t *testing.T) {
		config(`data: {a: "2"}, k8sconnect: {adopt: true, conflictPolicy: fail}`)
		says(t, s.upFails(t), `  k8sconnect.ignoreFields: ["data.a"]`, `set k8sconnect.conflictPolicy to "force"`)
		config(`data: {a: "2"}, k8sconnect: {adopt: true, conflictPolicy: fail, ignoreFields: ["data.a"]}`)
		s.up(t)
		assert.Equal(t, map[string]any{"a": "1"}, k.value(t, id, "data"))
	})
	step(t, "what others keep", func(t *testing.T) {
		config(`data: {a: "2"}`)
		s.up(t)
		theirs(`{a: "2"}`)
		config("k8sconnect: {ignoreFields: [data.none]}")
		says(t, s.preview(t), `k8sconnect.takeOverFrom: ["other"]`, `warning: ConfigMap `+space+`/it: k8sconnect.ignoreFields "data.none" selects nothing`)
		config(`k8sconnect: {takeOverFrom: [other]}`)
		s.up(t)
		assert.Nil(t, k.value(t, id, "data"))
	})
	step(t, "what is not known yet", func(t *testing.T) {
		s.program(t, "%s", "resources:"+typedResource("it", "core/v1:ConfigMap", "{metadata: {name: it, namespace: "+space+`}, data: {a: "1"}}`)+
			typedResource("first", "core/v1:ConfigMap", "{metadata: {name: first, namespace: "+space+"}}")+
			typedResource("second", "core/v1:ConfigMap", "{metadata: {name: second, namespace: "+space+`}, data: {a: "${first.k8sconnect.resourceRef.uid}"},
      k8sconnect: {ignoreFields: ["data.${first.k8sconnect.resourceRef.uid}"]}}`))
		says(t, s.preview(t), "known only after the apply: data.a, k8sconnect.ignoreFields")
	})
	step(t, "of a big object", func(t *testing.T) {
		big := strings.Repeat("0123456789", 30_000)
		config(`data: {a: "1", big: "` + big + `"}`)
		s.up(t)
		config(`data: {a: "2", big: "` + big + `"}`)
		out := s.preview(t)
		says(t, out, `data.a: "1" -> "2"`)
		assert.NotContains(t, out, "yaml")
		assert.Contains(t, s.run(t, "preview"), "[diff: ~data]")
		ignoring := func(paths string) {
			s.program(t, "%s", "resources:"+typedResource("it", "core/v1:ConfigMap", "{metadata: {name: it, namespace: "+space+`}, data: {a: "2", big: "`+big+`"}}`)+
				"    options: {ignoreChanges: ["+paths+"]}\n")
		}
		for paths, want := range map[string]string{
			`"data.a"`:           "ignoreChanges names data.a, and Pulumi cannot keep a part",
			`"data", "metadata"`: "cannot keep all fields of such a big object",
			`"k8sconnect"`:       "ignoreChanges names k8sconnect, which holds such a big object",
		} {
			ignoring(paths)
			says(t, s.previewFails(t), want)
		}
		ignoring(`"*"`)
		s.previewEmpty(t)
		ignoring(`"k8sconnect.adopt"`)
		assert.NotContains(t, s.preview(t), "error")
	})
}
