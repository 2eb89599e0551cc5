package rpc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The engine honours ignoreChanges before Check: it puts the values of the last run back, into the inputs of the program. The inputs of
// the last run have the manifest in one form, the program may have it in the other.

// asYAML is a program that has its ConfigMap as text.
func (w world) asYAML(name, a, b string) resource.PropertyMap {
	return resource.PropertyMap{"yaml": resource.NewProperty(fmt.Sprintf(
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: %s}\ndata: {a: %q, b: %q}\n", name, w.namespace, a, b))}
}

func TestIgnoreChangesOfAManifestThatIsText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := start(t, inline(newUser(t)))
	values := func(name string) any { return w.value("ConfigMap", name, "data") }
	made := func(t *testing.T, name, path string, in resource.PropertyMap) *session {
		t.Helper()
		s := p.resource(t, name)
		s.ignore = []string{path}
		return s.mustUp("create", in)
	}
	unchanged := m{"a": "1", "b": "1"}

	for i, path := range []string{"manifest", "yaml", "*"} {
		t.Run(path+" stays as it was", func(t *testing.T) {
			name := fmt.Sprint("whole", i)
			s := made(t, name, path, w.asYAML(name, "1", "1"))
			for range 2 {
				s.in(s.process.again(t)).mustUp("same", w.asYAML(name, "2", "2"))
			}
			assert.Equal(t, unchanged, values(name))
			changed := w.asYAML(name, "2", "2")
			changed["conflictPolicy"] = resource.NewProperty("fail")
			changed["ignoreFields"] = resource.NewProperty([]resource.PropertyValue{resource.NewProperty("data.b")})
			if path != "*" {
				s.in(s.process.again(t)).mustUp("update", changed)
				assert.Equal(t, unchanged, values(name), "not even when something else changes")
			}
			s.ignore = nil
			s.in(s.process.again(t)).mustUp("update", w.asYAML(name, "2", "2"))
			assert.Equal(t, m{"a": "2", "b": "2"}, values(name))
		})
	}
	for i, path := range []string{"manifest.data", "manifest.data.a", `manifest["data"]["a"]`, "manifest.data.*", "manifest.*", "*.data.a", "yaml.data.a"} {
		t.Run(path+" is refused as soon as it changes, and never applied", func(t *testing.T) {
			name := fmt.Sprint("part", i)
			s := made(t, name, path, w.asYAML(name, "1", "1"))
			s.in(s.process.again(t)).mustUp("same", w.asYAML(name, "1", "1"))
			for _, do := range []func(resource.PropertyMap) error{
				func(in resource.PropertyMap) error { _, _, err := s.preview(in); return err },
				func(in resource.PropertyMap) error { _, err := s.up(in); return err },
			} {
				s.in(s.process.again(t))
				err := do(w.asYAML(name, "2", "2"))
				require.Error(t, err)
				parsed, parseErr := resource.ParsePropertyPath(path)
				require.NoError(t, parseErr)
				require.ErrorContains(t, err, "ignoreChanges names "+parsed.String())
				require.ErrorContains(t, err, "as text in yaml")
				require.ErrorContains(t, err, "Nothing was changed")
				require.ErrorContains(t, err, "ignoreFields")
			}
			assert.Equal(t, unchanged, values(name))
			if strings.HasSuffix(path, ".a") || strings.HasSuffix(path, `"]`) {
				s.in(s.process.again(t)).mustUp("update", w.asYAML(name, "1", "3"))
				assert.Equal(t, m{"a": "1", "b": "3"}, values(name), "what is beside it is applied")
			}
		})
	}
	t.Run("a secret text stays as it was, and secret", func(t *testing.T) {
		hidden := func(v string) resource.PropertyMap {
			return resource.PropertyMap{"yaml": resource.MakeSecret(w.asYAML("hidden", v, "1")["yaml"])}
		}
		s := made(t, "hidden", "manifest", hidden("1"))
		s.in(s.process.again(t)).mustUp("same", hidden("2"))
		assert.True(t, s.inputs["manifest"].IsSecret())
		assert.Equal(t, unchanged, values("hidden"))
	})
	t.Run("a part is kept once the program has it as a manifest", func(t *testing.T) {
		s := made(t, "turned", "manifest.data.a", w.asYAML("turned", "1", "1"))
		s.in(s.process.again(t)).mustUp("update", program(w.configMap("turned", m{"a": "2", "b": "2"})))
		assert.Equal(t, m{"a": "1", "b": "2"}, values("turned"))
		_, err := s.in(s.process.again(t)).up(w.asYAML("turned", "3", "2"))
		require.ErrorContains(t, err, "ignoreChanges names manifest.data.a", "and back")
		s.in(s.process.again(t)).mustUp("same", w.asYAML("turned", "1", "2"))
	})
	t.Run("a part that is not known yet does not block the preview", func(t *testing.T) {
		s := made(t, "computed", "manifest.data.a", w.asYAML("computed", "1", "1"))
		did, _, err := s.in(s.process.again(t)).preview(resource.PropertyMap{"yaml": unknown()})
		require.NoError(t, err)
		assert.Equal(t, "update", did)
	})
	t.Run("drift in a part is left alone", func(t *testing.T) {
		s := made(t, "drifts", "manifest.data.a", w.asYAML("drifts", "1", "1"))
		w.patch("ConfigMap", "drifts", data("a", "9"))
		s.in(s.process.again(t)).mustUp("same", w.asYAML("drifts", "1", "1"))
	})
	t.Run("a program that has both, or neither, is told so", func(t *testing.T) {
		in := program(w.configMap("both", m{"a": "1", "b": "1"}))
		s := p.resource(t, "both").mustUp("create", in)
		both := w.asYAML("both", "2", "2")
		both["manifest"] = in["manifest"]
		for _, ignore := range [][]string{nil, {"manifest.data"}, {"ignoreFields"}} {
			s.ignore = ignore
			_, err := s.in(s.process.again(t)).up(both)
			require.ErrorContains(t, err, "Give either manifest or yaml, not both.")
			_, err = s.in(s.process.again(t)).up(resource.PropertyMap{})
			require.ErrorContains(t, err, "Give the object as manifest, or as text in yaml.")
		}
		assert.Equal(t, unchanged, values("both"))
	})
}

func TestIgnoreChangesOfAManifestThatIsTooBig(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := start(t, inline(newUser(t)))
	padding := strings.Repeat("x", 400_000)
	tree := func(name, a string) resource.PropertyMap {
		return program(w.configMap(name, m{"pad": padding, "a": a}))
	}
	text := func(name, a string) resource.PropertyMap {
		return resource.PropertyMap{"yaml": resource.NewProperty(fmt.Sprintf(
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: %s}\ndata: {pad: %s, a: %q}\n", name, w.namespace, padding, a))}
	}
	const part = "Pulumi cannot keep a part of such a big manifest"
	for i, c := range []struct {
		path string
		in   func(name, a string) resource.PropertyMap
		why  string
	}{
		{"manifest", tree, ""}, {"yaml", tree, ""}, {"yaml", text, ""},
		{"manifest", text, `the program has the object in yaml. Nothing was changed.`},
		{"manifest.data.a", tree, part}, {"manifest.data.a", text, part}, {"yaml.data.a", text, part},
	} {
		name := fmt.Sprint("big", i)
		t.Run(fmt.Sprint(name, " ", c.path, " [M25]"), func(t *testing.T) {
			s := p.resource(t, name)
			s.ignore = []string{c.path}
			s.mustUp("create", c.in(name, "1"))
			require.True(t, s.inputs["yaml"].IsString(), "it is text")
			_, err := s.in(s.process.again(t)).up(c.in(name, "2"))
			if c.why == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, "ignoreChanges names "+c.path)
				require.ErrorContains(t, err, c.why)
			}
			assert.Equal(t, "1", w.value("ConfigMap", name, "data", "a"))
		})
	}
}
