package rpc_test

import (
	"maps"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// What an object is called may be known only after the apply. Such a value is usually what it was, so nothing is replaced for it;
// but the preview does not hide that it may be another object.

// whose is a manifest with other values for what names the object.
func whose(manifest map[string]any, metadata map[string]any, more map[string]any) map[string]any {
	other, named := maps.Clone(manifest), maps.Clone(manifest["metadata"].(m))
	maps.Copy(named, metadata)
	other["metadata"] = named
	maps.Copy(other, more)
	return other
}

func TestAPreviewOfAnObjectWhoseNameIsNotKnownYet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := start(t, inline(newUser(t)))
	const asks = "whether the resource stays with this object is known only after the apply "
	previewed := func(t *testing.T, s *session, in resource.PropertyMap, did string) resource.PropertyMap {
		t.Helper()
		s.in(s.process.again(t))
		was, outputs, err := s.preview(in)
		require.NoError(t, err)
		require.Equal(t, did, was)
		return outputs
	}
	refs := func(t *testing.T, outputs resource.PropertyMap) m {
		t.Helper()
		ref, ok := at(t, outputs, "resourceRef").(m)
		require.True(t, ok)
		delete(ref, "revision")
		return ref
	}

	t.Run("shows no name and no uid of it, and says what goes if it is another one", func(t *testing.T) {
		manifest := w.configMap("named", nil)
		s := p.resource(t, "named").mustUp("create", program(manifest))
		outputs := previewed(t, s, program(whose(manifest, m{"name": unknown()}, nil)), "update")
		assert.Equal(t, m{"apiVersion": "v1", "kind": "ConfigMap", "namespace": w.namespace, "name": unknownText, "uid": unknownText}, refs(t, outputs))
		said := s.process.log.all()
		assert.Contains(t, said, "ConfigMap "+w.namespace+"/named: "+asks+"(manifest.metadata.name). If it does not, the update deletes the object (lost with it: its data)")
		assert.Empty(t, s.process.log.warnings(), "the program brings the data again")

		assert.Equal(t, map[string]string{"manifest.metadata.name": "update"}, s.mustDiff(program(whose(manifest, m{"name": unknown()}, nil))))
		s.in(s.process.again(t)).mustUp("same", program(manifest))
		assert.NotContains(t, s.process.log.all(), asks, "the value is what it was")
		s.in(s.process.again(t)).mustUp("replace", program(whose(manifest, m{"name": "other"}, nil)))
	})
	t.Run("warns if the object holds data that no program has", func(t *testing.T) {
		claim := object(t, `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: disk, namespace: %s},
			spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`, w.namespace)
		s := p.resource(t, "disk").mustUp("create", program(claim))
		previewed(t, s, program(whose(claim, m{"name": unknown()}, nil)), "update")
		warned := s.process.log.warned(s.urn)
		require.Len(t, warned, 1)
		assert.Contains(t, warned[0], asks+"(manifest.metadata.name)")
		assert.Contains(t, warned[0], "(lost with it: the data of its volume, unless the reclaim policy of the volume is Retain)")
		assert.Contains(t, warned[0], "--target")
	})
	t.Run("with all of its metadata", func(t *testing.T) {
		manifest := w.configMap("metadata", nil)
		s := p.resource(t, "metadata").mustUp("create", program(manifest))
		outputs := previewed(t, s, program(m{"apiVersion": "v1", "kind": "ConfigMap", "metadata": unknown(), "data": manifest["data"]}), "update")
		assert.Equal(t, m{"apiVersion": "v1", "kind": "ConfigMap", "namespace": unknownText, "name": unknownText, "uid": unknownText}, refs(t, outputs))
		assert.Contains(t, s.process.log.all(), asks+"(manifest.metadata.namespace, manifest.metadata.name)")
	})
	t.Run("with all of the manifest", func(t *testing.T) {
		s := p.resource(t, "whole").mustUp("create", program(w.configMap("whole", nil)))
		for _, in := range []resource.PropertyMap{program(unknown()), {"yaml": unknown()}} {
			outputs := previewed(t, s, in, "update")
			assert.Equal(t, m{"apiVersion": unknownText, "kind": unknownText, "namespace": unknownText, "name": unknownText, "uid": unknownText}, refs(t, outputs))
			assert.Contains(t, s.process.log.all(), "ConfigMap "+w.namespace+"/whole: "+asks+"(manifest)")
		}
	})
	t.Run("is a replacement if what is known differs", func(t *testing.T) {
		manifest := w.configMap("differs", nil)
		s := p.resource(t, "differs").mustUp("create", program(manifest))
		for what, in := range map[string]map[string]any{
			"kind":               whose(manifest, m{"name": unknown()}, m{"kind": "Secret", "data": m{"a": "MQ=="}}),
			"metadata.namespace": whose(manifest, m{"name": unknown(), "namespace": "another"}, nil),
			"metadata.name":      whose(manifest, m{"name": "another", "namespace": unknown()}, nil),
		} {
			outputs := previewed(t, s, program(in), "replace")
			assert.Equal(t, unknownText, at(t, outputs, "resourceRef.uid"), what)
			assert.NotContains(t, s.process.log.all(), asks, "it is certain")
			assert.Equal(t, map[string]string{"manifest." + what: "update-replace"}, s.mustDiff(program(in)))
		}
	})
	t.Run("does not mind the namespace of a kind that has none", func(t *testing.T) {
		role := object(t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: %s}, rules: []}`, w.namespace)
		s := start(t, inline(shared.Get(t).Admin())).resource(t, "role").mustUp("create", program(role))
		outputs := previewed(t, s, program(whose(role, m{"namespace": unknown()}, nil)), "update")
		assert.Equal(t, s.outputs["resourceRef"].ObjectValue()["uid"].StringValue(), at(t, outputs, "resourceRef.uid"))
		assert.NotContains(t, s.process.log.all(), asks)
		require.NoError(t, s.destroy())
	})
}

func TestAPreviewOfAPatchWhoseTargetIsNotKnownYet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply("owner", w.configMap("it", nil))
	s := patched(t, w, start(t, inline(newUser(t))), "it").mustUp("create", patching(w.configMap("it", nil), setting("patch", data("a", "9"))))
	unnamed := whose(w.configMap("it", nil), m{"name": unknown()}, nil)
	for what, c := range map[string]struct {
		in   resource.PropertyMap
		want m
		said string
	}{
		"its name": {
			patching(unnamed, setting("patch", data("a", "9"))),
			m{"apiVersion": "v1", "kind": "ConfigMap", "namespace": w.namespace, "name": unknownText, "uid": unknownText},
			"is known only after the apply (target.name). If it does not, the update hands back its fields with their values",
		},
		"all of it": {
			patching(unnamed, setting("patch", data("a", "9")), m{"target": unknown()}, removes),
			m{"apiVersion": unknownText, "kind": unknownText, "namespace": unknownText, "name": unknownText, "uid": unknownText},
			"is known only after the apply (target). If it does not, the update removes what the Patch has added",
		},
	} {
		s.in(s.process.again(t))
		did, outputs, err := s.preview(c.in)
		require.NoError(t, err)
		assert.Equal(t, "update", did, what)
		ref := at(t, outputs, "resourceRef").(m)
		delete(ref, "revision")
		assert.Equal(t, c.want, ref, what)
		assert.Contains(t, s.process.log.all(), c.said, what)
	}
	did, _, err := s.preview(patching(whose(unnamed, nil, m{"kind": "Secret"}), setting("patch", data("a", "9"))))
	require.NoError(t, err)
	assert.Equal(t, "replace", did, "the kind is known")
}

func TestAPreviewOfAWaitForWhatIsNotKnownYet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create(w.configMap("it", nil))
	ref := refTo(w.configMap("it", nil))
	s := start(t, inline(newUser(t))).wait(t, "it").mustUp("create", waiting(ref, until("field", "data.a", "20s")))
	for want, kind := range map[string]string{"update": "ConfigMap", "replace": "Secret"} {
		unnamed := m{"apiVersion": "v1", "kind": kind, "name": unknown(), "namespace": w.namespace}
		did, outputs, err := s.in(s.process.again(t)).preview(waiting(unnamed, until("field", "data.a", "20s")))
		require.NoError(t, err)
		assert.Equal(t, want, did)
		assert.Equal(t, unknownText, at(t, outputs, "status"))
	}
}

// The engine also asks with unknown values in the update: which of its dependents are deleted together with what is deleted before it
// is replaced. Those that keep their names stay.
func TestAReplacementDeletesNoDependentThatKeepsItsName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := start(t, inline(newUser(t)))
	frozen := func(v string) resource.PropertyMap {
		return program(whose(w.configMap("frozen", m{"a": v}), nil, m{"immutable": true}))
	}
	first, object := p.resource(t, "frozen"), p.resource(t, "object")
	patch, wait := p.resource(t, "patch"), p.wait(t, "wait")
	patch.urn = urnOfType(patchType, "patch")
	w.apply("owner", w.configMap("theirs", nil))
	run := func(kind engine.Kind, v string) *engineOperation {
		return newOperation(kind, engine.Options{}, func(o *engineOperation) error {
			of := func(key resource.PropertyKey) map[resource.PropertyKey][]resource.URN {
				return map[resource.PropertyKey][]resource.URN{key: {first.urn}}
			}
			for _, register := range []func() error{
				func() error { return o.register(first, frozen(v), nil) },
				func() error { return o.register(object, program(w.configMap("frozen-too", nil)), of("manifest")) },
				func() error {
					return o.register(patch, patching(w.configMap("theirs", nil), setting("patch", data("a", "9"))), of("target"))
				},
				func() error {
					return o.register(wait, waiting(refTo(w.configMap("theirs", nil)), until("field", "data.a", "20s")), of("resourceRef"))
				},
			} {
				if err := register(); err != nil {
					return err
				}
			}
			return nil
		}, first, object, patch, wait).run()
	}
	require.NoError(t, run(engine.Up, "1").err)
	uid := w.value("ConfigMap", "frozen-too", "metadata", "uid")
	o := run(engine.Up, "2")
	require.NoError(t, o.err)
	assert.Equal(t, "replace", o.of(first.urn).did())
	for _, dependent := range []*session{object, patch, wait} {
		assert.Equal(t, "same", o.of(dependent.urn).did(), dependent.urn)
	}
	assert.Equal(t, uid, w.value("ConfigMap", "frozen-too", "metadata", "uid"))
}
