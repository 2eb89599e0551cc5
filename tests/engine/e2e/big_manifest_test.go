package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// bigDefinition is a CustomResourceDefinition with a deep schema of about this size in bytes, as those of large operators
// are.
func bigDefinition(kind string, size int) map[string]any {
	leaves := 0
	leaf := func() map[string]any {
		leaves++
		return map[string]any{"type": "string", "description": fmt.Sprintf("Field %d says what a generator makes, and of what.", leaves)}
	}
	var nested func(depth int) map[string]any
	nested = func(depth int) map[string]any {
		properties := map[string]any{"name": leaf(), "value": leaf()}
		if depth > 0 {
			properties["template"] = nested(depth - 1)
		}
		schema := map[string]any{"type": "object", "properties": properties}
		if depth%2 == 0 {
			return map[string]any{"type": "array", "items": schema}
		}
		return schema
	}
	groups := map[string]any{}
	for made := 0; made < size; {
		group := nested(8)
		text, err := json.Marshal(group)
		if err != nil {
			panic(err)
		}
		groups[fmt.Sprintf("group%d", len(groups))] = group
		made += len(text)
	}
	plural := strings.ToLower(kind) + "s"
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": plural + ".big.example.com", "labels": map[string]any{"team": "blue"}},
		"spec": map[string]any{
			"group": "big.example.com", "scope": "Namespaced",
			"names": map[string]any{"kind": kind, "listKind": kind + "List", "plural": plural, "singular": strings.ToLower(kind)},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object", "properties": map[string]any{"spec": map[string]any{"type": "object", "properties": groups}},
				}},
			}},
		},
	}
}

// properties counts the properties in a value of a state, itself among them.
func properties(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			n += properties(member)
		}
	case []any:
		for _, item := range v {
			n += properties(item)
		}
	}
	return n
}

func TestABigDefinition(t *testing.T) {
	t.Parallel()
	const size, id = 300_000, "apiextensions.k8s.io/v1/CustomResourceDefinition/generators.big.example.com"
	k, s := kubeOf(t, shared.Get(t)), newStack(t)
	definition := bigDefinition("Generator", size)
	declare := func(t *testing.T, more string) {
		text, err := json.Marshal(definition)
		require.NoError(t, err)
		s.declare(t, string(text), more, "")
	}
	description := func(v map[string]any) map[string]any {
		group, _ := at(v, "spec", "versions", 0, "schema", "openAPIV3Schema", "properties", "spec", "properties", "group1", "items", "properties", "name").(map[string]any)
		return group
	}
	const place = "spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.group1.items.properties.name.description"
	// short wants that the command has not printed the manifest.
	short := func(t *testing.T, out string) {
		t.Helper()
		assert.Less(t, len(out), size/20, "the manifest is not printed")
	}

	step(t, "is made, and is a text of few properties for Pulumi [M25]", func(t *testing.T) {
		declare(t, "")
		s.up(t)
		r := s.export(t).get(t, "object")
		assert.Less(t, properties(r.Inputs)+properties(r.Outputs), 60)
		assert.Equal(t, map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
			"metadata": map[string]any{"name": "generators.big.example.com"}}, r.Outputs["manifest"])
		assert.Equal(t, "blue", k.value(t, id, "metadata", "labels", "team"))
	})
	step(t, "is unchanged, also where the program has it as text [M25]", func(t *testing.T) {
		s.previewEmpty(t)
		s.up(t, "--expect-no-changes")
		s.refresh(t, "--expect-no-changes")
		text, err := yaml.Marshal(definition)
		require.NoError(t, err)
		s.file(t, "definition.yaml", string(text))
		s.program(t, "resources: {object: {type: 'k8sconnect:KubeObject', properties: {yaml: {'fn::readFile': ./definition.yaml}}}}")
		s.previewEmpty(t)
	})
	step(t, "has drifted, and the preview names the fields with their values and owners [M25]", func(t *testing.T) {
		declare(t, "")
		k.jsonPatch(t, id, `[{op: replace, path: /metadata/labels/team, value: red}, {op: replace, path: "/`+
			strings.NewReplacer("[", "/", "]", "", ".", "/").Replace(place)+`", value: Something else}]`)
		out := s.preview(t)
		short(t, out)
		assert.Contains(t, out, "~ 1 to update")
		assert.Contains(t, out, `metadata.labels.team: "red" -> "blue" (owned by someone)`)
		assert.Contains(t, out, place+`: "Something else" -> "Field 19 says what a generator makes, and of what." (owned by someone)`)
		assert.Equal(t, 1, strings.Count(out, "too big for Pulumi to show what differs"), out)
		short(t, s.run(t, "preview"))
		s.up(t)
		assert.Equal(t, "blue", k.value(t, id, "metadata", "labels", "team"))
		s.previewEmpty(t)
	})
	step(t, "is updated in place, and the preview names the change [M25]", func(t *testing.T) {
		description(definition)["description"] = "Another description."
		declare(t, "")
		out := s.preview(t)
		short(t, out)
		assert.Contains(t, out, "~ 1 to update")
		assert.Contains(t, out, place+`: "Field 19 says what a generator makes, and of what." -> "Another description."`)
		uid := k.get(t, id).GetUID()
		s.up(t)
		assert.Equal(t, "Another description.", description(k.get(t, id).Object)["description"])
		assert.Equal(t, uid, k.get(t, id).GetUID())
		s.previewEmpty(t)
	})
	step(t, "is imported into another stack, whose program has it as a tree [M25]", func(t *testing.T) {
		second := newStack(t)
		generated := second.importResource(t, "taken", id)
		assert.Contains(t, generated, "openAPIV3Schema:")
		second.file(t, "Pulumi.yaml", "name: "+second.project+"\nruntime: yaml\n"+generated)
		second.previewEmpty(t)
		second.up(t, "--expect-no-changes")
		second.run(t, "state", "delete", "--yes", "--force", string(second.export(t).get(t, "taken").URN))
	})
	step(t, "is not replaced where a small one would not be [M25]", func(t *testing.T) {
		spec, _ := definition["spec"].(map[string]any)
		spec["scope"] = "Cluster"
		declare(t, "onImmutable: replace")
		assert.Contains(t, s.previewFails(t), "nothing proves that a replacement would help")
	})
	step(t, "gets another name by a replacement [M25]", func(t *testing.T) {
		definition = bigDefinition("Maker", size)
		declare(t, "")
		out := s.preview(t)
		short(t, out)
		assert.Contains(t, out, "+-1 to replace")
		assert.Contains(t, out, `metadata.name: "generators.big.example.com" -> "makers.big.example.com"`)
		s.up(t)
		k.gone(t, id)
	})
	step(t, "shrinks and grows in place [M25]", func(t *testing.T) {
		definition = bigDefinition("Maker", 2000)
		declare(t, "")
		assert.Contains(t, s.preview(t), "~ 1 to update")
		s.up(t)
		assert.NotNil(t, at(s.export(t).get(t, "object").Outputs, "manifest", "spec"))
		s.previewEmpty(t)
		definition = bigDefinition("Maker", size)
		declare(t, "")
		out := s.preview(t)
		short(t, out)
		assert.Contains(t, out, "~ 1 to update")
		s.up(t)
		s.previewEmpty(t)
	})
	step(t, "is destroyed [M25]", func(t *testing.T) {
		s.destroy(t)
		k.gone(t, strings.Replace(id, "generators", "makers", 1))
	})
}

func TestABigConfigMap(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s, space := kubeOf(t, c), newStack(t), c.Namespace(t)
	id := "v1/ConfigMap/" + space + "/big"
	padding := strings.Repeat("0123456789abcdef", 12_000)
	declare := func(t *testing.T, metadata, data, more string) {
		t.Helper()
		s.declare(t, fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: big, namespace: %s%s}, immutable: true, data: {pad: %q, %s}}",
			space, metadata, padding, data), more, "")
	}
	isText := func(t *testing.T) {
		t.Helper()
		require.Contains(t, s.export(t).get(t, "object").Inputs, "yaml")
	}

	step(t, "is replaced where a small one would be [M25]", func(t *testing.T) {
		declare(t, "", "color: blue", "")
		s.up(t)
		isText(t)
		uid := k.get(t, id).GetUID()
		declare(t, "", "color: red", "")
		out := s.preview(t)
		assert.Contains(t, out, "+-1 to replace")
		assert.Contains(t, out, `data.color: "blue" -> "red"`)
		assert.NotContains(t, out, padding)
		declare(t, "", "color: red", "onImmutable: fail")
		assert.Contains(t, s.previewFails(t), "data.color cannot be changed on an existing object")
		declare(t, "", "color: red", "")
		s.up(t)
		assert.NotEqual(t, uid, k.get(t, id).GetUID())
		s.previewEmpty(t)
	})
	step(t, "keeps its secrets out of the state and of what is printed [M25]", func(t *testing.T) {
		declare(t, "", "color: {'fn::secret': hunter22}", "")
		out := s.preview(t)
		assert.Contains(t, out, "+-1 to replace")
		assert.Contains(t, out, "data.color: [secret] -> [secret]")
		assert.NotContains(t, out, "hunter22")
		assert.NotContains(t, s.up(t), "hunter22")
		isText(t)
		assert.NotContains(t, s.export(t).text, "hunter22")
		assert.NotContains(t, s.export(t).text, padding, "the whole text is secret")
	})
	step(t, "is not replaced because a value of it is not known yet [M25]", func(t *testing.T) {
		const first = `
resources:
  first:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: first, namespace: %s}}}
`
		s.program(t, first+declared("object", fmt.Sprintf(
			"{apiVersion: v1, kind: ConfigMap, metadata: {name: big, namespace: %s, labels: {uid: '${first.resourceRef.uid}'}}, immutable: true, data: {pad: %q, color: {'fn::secret': hunter22}}}",
			space, padding), "", ""), space)
		uid := k.get(t, id).GetUID()
		out := s.preview(t)
		assert.Contains(t, out, "~ 1 to update")
		assert.NotContains(t, out, "replace")
		assert.NotContains(t, out, padding)
		s.up(t)
		assert.Equal(t, uid, k.get(t, id).GetUID())
		assert.Equal(t, string(k.get(t, "v1/ConfigMap/"+space+"/first").GetUID()), k.value(t, id, "metadata", "labels", "uid"))
		isText(t)
		s.previewEmpty(t)
	})
	step(t, "stays as it is under ignoreChanges [M25]", func(t *testing.T) {
		ignoring := func(path string) {
			s.program(t, "resources:\n"+declared("object", fmt.Sprintf(
				"{apiVersion: v1, kind: ConfigMap, metadata: {name: big, namespace: %s}, data: {pad: %q, color: green}}", space, padding), "", "ignoreChanges: ["+path+"]"))
		}
		for _, part := range []string{"manifest.data", "manifest.data.color"} {
			ignoring(part)
			assert.Contains(t, s.upFails(t), "ignoreChanges names "+part+", and Pulumi cannot keep a part", "Pulumi would remove it, or let the change pass")
			assert.Equal(t, "hunter22", k.value(t, id, "data", "color"))
		}
		ignoring("manifest")
		assert.NotContains(t, s.preview(t), "object:", "nothing of it changes")
		s.up(t)
		isText(t)
		assert.Equal(t, "hunter22", k.value(t, id, "data", "color"))
	})
}
