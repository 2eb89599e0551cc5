package rpc_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPreviewOfACreate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	user := newUser(t)
	p := start(t, inline(user))

	t.Run("the projection and the identity are known [O5]", func(t *testing.T) {
		did, outputs, err := p.resource(t, "planned").preview(program(w.deployment(t, "planned")))
		require.NoError(t, err)
		assert.Equal(t, "create", did)
		assert.Equal(t, "nginx:1", at(t, outputs, "manifest.spec.template.spec.containers[0].image"))
		assert.Equal(t, map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment", "namespace": w.namespace, "name": "planned",
			"uid": unknownText, "revision": unknownText,
		}, at(t, outputs, "resourceRef"))
		assert.False(t, w.exists("Deployment", "planned"))
	})

	take := requests(t, user)
	check := func(t *testing.T, name string, in resource.PropertyMap, known bool) {
		t.Helper()
		take() // what came before
		did, outputs, err := p.resource(t, name).preview(in)
		require.NoError(t, err)
		assert.Equal(t, "create", did)
		assert.Equal(t, unknownText, at(t, outputs, "manifest"), "nothing is invented")
		assert.Equal(t, unknownText, at(t, outputs, "fieldOwnership"))
		for _, key := range []string{"uid", "revision"} {
			assert.Equal(t, unknownText, at(t, outputs, "resourceRef."+key))
		}
		want := map[bool]any{true: "mystery", false: unknownText}[known]
		assert.Equal(t, want, at(t, outputs, "resourceRef.name"))
		asked := take()
		if !known {
			assert.Empty(t, asked, "no request")
			return
		}
		asked = slices.DeleteFunc(asked, func(request string) bool { return strings.HasPrefix(request, "discovery ") })
		assert.Equal(t, []string{"GET"}, asked, "it is only looked whether the object exists")
	}
	for depth := 1; depth <= 12; depth++ {
		for what, inner := range map[string]any{
			"leaf": unknown(), "list": []any{"x", unknown()}, "map": map[string]any{"k": unknown(), "l": "x"},
			"secret": resource.MakeSecret(unknown()),
		} {
			t.Run(fmt.Sprintf("an unknown %s %d levels deep [O6]", what, depth), func(t *testing.T) {
				manifest := w.configMap("mystery", nil)
				v := inner
				for range depth - 1 {
					v = map[string]any{"below": v}
				}
				manifest["spec"] = v
				check(t, "mystery", program(manifest), true)
			})
		}
	}
	t.Run("the preview says which values they are, and no key of a secret map [O6] [D45]", func(t *testing.T) {
		said := func(s *session, in resource.PropertyMap) string {
			t.Helper()
			_, _, err := s.in(p.again(t)).preview(in)
			require.NoError(t, err)
			return s.process.log.all()
		}
		manifest := w.configMap("mystery", m{"a.b": unknown()})
		manifest["secret"] = resource.MakeSecret(resource.NewProperty(resource.NewPropertyMapFromMap(m{"hunter2": unknown()})))
		manifest["list"] = []any{"x", m{"y": unknown()}}
		in := program(manifest, ignoring("spec"), m{"ignoreFields": []any{unknown()}})
		assert.Contains(t, said(p.resource(t, "mystery"), in),
			`4 value(s) of the resource are known only after the apply: manifest.data["a.b"], manifest.list[1].y, manifest.secret, ignoreFields`)
		assert.Contains(t, said(p.resource(t, "whole"), program(unknown())), "1 value(s) of the resource are known only after the apply: manifest")
		patch := patching(w.configMap("mystery", nil), m{"patch": m{"data": m{"a": unknown()}}})
		assert.Contains(t, said(patchIn(t, p, "patch"), patch), "1 value(s) of the resource are known only after the apply: patch.data.a")
	})
	t.Run("the whole manifest is unknown [O6]", func(t *testing.T) { check(t, "whole", program(unknown()), false) })
	t.Run("yaml is unknown [O6]", func(t *testing.T) {
		check(t, "text", resource.PropertyMap{"yaml": unknown()}, false)
	})
	t.Run("the name is unknown [O6]", func(t *testing.T) {
		manifest := w.configMap("x", nil)
		manifest["metadata"] = map[string]any{"name": unknown(), "namespace": w.namespace}
		check(t, "nameless", program(manifest), false)
	})
	t.Run("an update with an unknown value shows where, and nothing of the rest [O6]", func(t *testing.T) {
		in := program(w.configMap("later", nil))
		s := p.resource(t, "later").mustUp("create", in)
		s.refresh = false
		take()
		next := program(w.configMap("later", map[string]any{"a": "1", "b": unknown()}))
		assert.Equal(t, map[string]string{"manifest.data.b": "update"}, s.mustDiff(next))
		_, outputs, err := s.preview(next)
		require.NoError(t, err)
		assert.Equal(t, unknownText, at(t, outputs, "manifest"))
		assert.Equal(t, at(t, s.outputs, "resourceRef.uid"), at(t, outputs, "resourceRef.uid"), "the uid stays")
		assert.Empty(t, take())
	})
	t.Run("a value that was unknown arrives right [O6]", func(t *testing.T) {
		s := p.resource(t, "arrives")
		manifest := w.configMap("arrives", map[string]any{"a": unknown()})
		_, _, err := s.preview(program(manifest))
		require.NoError(t, err)
		s.mustUp("create", program(w.configMap("arrives", map[string]any{"a": "known"})))
		assert.Equal(t, "known", w.value("ConfigMap", "arrives", "data", "a"))
	})
}

func TestCreate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := start(t, inline(newUser(t)))

	t.Run("a namespace, made and destroyed [O1]", func(t *testing.T) {
		in := program(object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: %s-one}}", w.namespace))
		s := p.resource(t, "ns").mustUp("create", in).mustUp("same", in)
		assert.Equal(t, "v1/Namespace/"+w.namespace+"-one", string(s.id))
	})
	t.Run("a pod with containers [O2]", func(t *testing.T) {
		in := program(object(t, `{apiVersion: v1, kind: Pod, metadata: {name: pod, namespace: %s},
			spec: {containers: [{name: a, image: i}, {name: b, image: j, ports: [{containerPort: 80}]}]}}`, w.namespace))
		s := p.resource(t, "pod").mustUp("create", in).mustUp("same", in)
		assert.Equal(t, "j", at(t, s.outputs, "manifest.spec.containers[1].image"))
	})
	t.Run("the namespace of the configuration where none is named [O3]", func(t *testing.T) {
		config := inline(newUser(t))
		config["namespace"] = w.namespace
		manifest := w.configMap("homeless", nil)
		manifest["metadata"] = map[string]any{"name": "homeless"}
		s := start(t, config).resource(t, "homeless").mustUp("create", program(manifest)).mustUp("same", program(manifest))
		assert.Equal(t, "v1/ConfigMap/"+w.namespace+"/homeless", string(s.id))
		assert.True(t, w.exists("ConfigMap", "homeless"))
	})
	t.Run("the namespace default where nothing says otherwise [O3]", func(t *testing.T) {
		manifest := w.configMap(w.namespace, nil)
		manifest["metadata"] = map[string]any{"name": w.namespace}
		s := p.resource(t, "default").mustUp("create", program(manifest))
		assert.Equal(t, "v1/ConfigMap/default/"+w.namespace, string(s.id))
		require.NoError(t, s.destroy())
	})
	t.Run("a namespace on a cluster-scoped object is ignored with a warning [O4]", func(t *testing.T) {
		p := start(t, inline(newUser(t)))
		in := program(object(t, "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: %s, namespace: x}, rules: []}", w.namespace))
		s := p.resource(t, "role").mustUp("create", in)
		require.Len(t, p.log.warnings(), 1)
		assert.Contains(t, p.log.warnings()[0], "metadata.namespace is ignored")
		s.mustUp("same", in)
		assert.Equal(t, "rbac.authorization.k8s.io/v1/ClusterRole/"+w.namespace, string(s.id))
		require.NoError(t, s.destroy())
	})
	t.Run("yaml text is the manifest; comments, formatting and order are no diff [O7]", func(t *testing.T) {
		text := func(format string) resource.PropertyMap {
			return resource.PropertyMap{"yaml": resource.NewProperty(fmt.Sprintf(format, w.namespace))}
		}
		s := p.resource(t, "text")
		s.mustUp("create", text("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: text\n  namespace: %s\ndata:\n  a: \"1\"\n  b: |\n    two\n    lines\n"))
		s.mustUp("same", text("# a comment\n---\nkind: ConfigMap\napiVersion: v1\ndata: {b: \"two\\nlines\\n\", a: '1'}\nmetadata: {namespace: %s, name: text}\n"))
		s.mustUp("same", program(w.configMap("text", map[string]any{"a": "1", "b": "two\nlines\n"})))
		assert.Nil(t, at(t, s.inputs, "yaml"))
	})
	t.Run("1 MB, 100 labels, unicode, lines [O12]", func(t *testing.T) {
		labels := map[string]any{}
		for i := range 100 {
			labels[fmt.Sprintf("example.com/label-%d", i)] = fmt.Sprint(i)
		}
		manifest := w.configMap("big", map[string]any{
			"big": strings.Repeat("x", 1_000_000), "text": "Grüße, 世界 🚀\n\ttab \"quoted\" \\ back", "lines": "a\n\nb\n",
		})
		manifest["metadata"].(map[string]any)["labels"] = labels
		s := p.resource(t, "big").mustUp("create", program(manifest)).mustUp("same", program(manifest))
		assert.Equal(t, "Grüße, 世界 🚀\n\ttab \"quoted\" \\ back", w.value("ConfigMap", "big", "data", "text"))
		assert.Len(t, w.value("ConfigMap", "big", "metadata", "labels"), 100)
		requireText(t, s)
	})
	t.Run("${ in a value is just text [O57]", func(t *testing.T) {
		in := program(w.configMap("dollar", map[string]any{"a": "${HOME} $${x} {{ .y }}"}))
		p.resource(t, "dollar").mustUp("create", in).mustUp("same", in)
		assert.Equal(t, "${HOME} $${x} {{ .y }}", w.value("ConfigMap", "dollar", "data", "a"))
	})
	t.Run("whole numbers arrive as integers", func(t *testing.T) {
		in := program(w.deployment(t, "numbers"))
		p.resource(t, "numbers").mustUp("create", in)
		assert.Equal(t, int64(2), w.value("Deployment", "numbers", "spec", "replicas"))
	})
}

func TestRefreshBeforeUpdate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for mode, want := range map[string]bool{"preview": true, "refresh": false} {
		t.Run("driftDetection "+mode+" [O28]", func(t *testing.T) {
			g := newGateway(t)
			config := g.connection()
			config["driftDetection"] = mode
			in, after := program(w.configMap(mode, nil)), program(w.configMap(mode, map[string]any{"a": "9"}))
			s := start(t, config).resource(t, mode).mustUp("create", in)
			assert.Equal(t, want, s.refresh, "Create")
			assert.Equal(t, want, s.mustRead().refresh, "Read")
			s.mustUp("update", after)
			assert.Equal(t, want, s.refresh, "Update")
			require.NoError(t, s.importID("v1/ConfigMap/"+w.namespace+"/"+mode))
			assert.Equal(t, want, s.refresh, "import")

			g.next(isApply, loseReply)
			other := s.process.resource(t, mode+"-pending")
			require.Error(t, other.create(program(w.configMap(mode+"-pending", nil))))
			assert.Equal(t, want, other.refresh, "failed Create")
			g.always(isGet, halveReply)
			assert.Equal(t, want, other.mustRead().refresh, "failed Read")
			g.next(isApply, loseReply)
			inputs, err := other.check(program(w.configMap(mode+"-pending", nil)), false)
			require.NoError(t, err)
			g.heal()
			g.next(isApply, loseReply)
			other.outputs["resourceRef"].ObjectValue()["uid"] = resource.NewProperty(w.value("ConfigMap", mode+"-pending", "metadata", "uid").(string))
			require.Error(t, other.update(inputs))
			assert.Equal(t, want, other.refresh, "failed Update")
		})
	}
}

func TestSchemaHidesWhatIsHidden(t *testing.T) {
	t.Parallel()
	resp, err := startUnconfigured(t).GetSchema(t.Context(), schemaRequest)
	require.NoError(t, err)
	assert.True(t, json.Valid(resp.Schema))
	assert.NotContains(t, string(resp.Schema), `"__`)
	assert.Contains(t, string(resp.Schema), `"k8sconnect:index:KubeObject"`)
}
