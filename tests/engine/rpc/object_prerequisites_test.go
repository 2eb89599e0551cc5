package rpc_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// group is an API group of the test's own.
func (w world) group() string { return w.namespace + ".example.net" }

// customKind is the resource of a kind of a group of the test's own.
func customKind(group, kind string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: "v1", Resource: strings.ToLower(kind) + "s"}
}

// definitionOf is the CustomResourceDefinition of a namespaced kind. spec is the schema of its field spec.
func definitionOf(t testing.TB, group, kind, spec string) map[string]any {
	t.Helper()
	plural := customKind(group, kind).Resource
	return object(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[1]s.%[2]s}
spec:
  group: %[2]s
  scope: Namespaced
  names: {kind: %[3]s, plural: %[1]s, singular: %[4]s, listKind: %[3]sList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: %[5]s}}}
`, plural, group, kind, strings.ToLower(kind), spec)
}

// sized is a schema with a default, so that a live object has more than the manifest.
const sized = `{type: object, properties: {size: {type: integer}, color: {type: string, default: red}}}`

func custom(t testing.TB, group, kind, namespace, spec string) map[string]any {
	t.Helper()
	return object(t, "{apiVersion: %s/v1, kind: %s, metadata: {name: it, namespace: %s}, spec: %s}", group, kind, namespace, spec)
}

// define installs a CustomResourceDefinition as someone else.
func (w world) define(definition map[string]any) {
	w.t.Helper()
	_, err := w.client.Resource(definitions).Create(w.t.Context(), &unstructured.Unstructured{Object: definition}, metav1.CreateOptions{})
	require.NoError(w.t, err)
}

// served waits until the API server serves a kind.
func (w world) served(group, kind string) {
	w.t.Helper()
	eventually(w.t, func() bool {
		_, err := w.client.Resource(customKind(group, kind)).List(w.t.Context(), listAll)
		return err == nil
	}, "the kind is served")
}

// requireComplete proves that the state knows all of a custom object and that nothing is left to do.
func requireComplete(t *testing.T, w world, s *session, in resource.PropertyMap, group, kind string) {
	t.Helper()
	namespace, _ := at(t, s.outputs, "resourceRef.namespace").(string)
	live, err := w.client.Resource(customKind(group, kind)).Namespace(namespace).Get(t.Context(), "it", metav1.GetOptions{})
	require.NoError(t, err)
	assert.EqualValues(t, live.GetUID(), at(t, s.outputs, "resourceRef.uid"))
	assert.EqualValues(t, 3, at(t, s.outputs, "manifest.spec.size"))
	assert.Nil(t, at(t, s.outputs, "__pendingProjection"))
	assert.NotEmpty(t, at(t, s.outputs, "__appliedHash"))
	assert.Empty(t, s.initErrors)
	s.in(start(t, inline(newUser(t))))
	assert.Empty(t, drifted(s, in))
	s.mustUp("same", in)
	assert.Empty(t, s.warned())
}

// together creates all at once, as the engine does with what does not depend on each other.
func together(t *testing.T, creates ...func() error) {
	t.Helper()
	failures := make([]error, len(creates))
	var all sync.WaitGroup
	for i, create := range creates {
		all.Go(func() { failures[i] = create() })
	}
	all.Wait()
	for _, err := range failures {
		require.NoError(t, err)
	}
}

func TestANamespaceAKindAndItsObjectInOneGo(t *testing.T) {
	t.Parallel()
	oneGo := func(t *testing.T, w world, p *process, group, kind string) {
		t.Helper()
		space := w.namespace + "-new"
		namespace := program(object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", space))
		definition := program(definitionOf(t, group, kind, sized))
		in := program(custom(t, group, kind, space, "{size: 3}"))

		_, outputs, err := p.resource(t, "object").preview(in)
		require.NoError(t, err, "a preview cannot know it, and does not fail")
		assert.Equal(t, unknownText, at(t, outputs, "manifest"))
		assert.Equal(t, "it", at(t, outputs, "resourceRef.name"))

		p = start(t, inline(newUser(t)))
		first, second, third := p.resource(t, "namespace"), p.resource(t, "definition"), p.resource(t, "object")
		together(t,
			func() error { return third.create(in) },
			func() error { return second.create(definition) },
			func() error { return first.create(namespace) },
		)
		requireComplete(t, w, third, in, group, kind)
		first.in(third.process).mustUp("same", namespace)
		second.in(third.process).mustUp("same", definition)
	}
	t.Run("the object waits for both and ends complete [O13]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		oneGo(t, w, start(t, inline(newUser(t))), w.group(), "Gadget")
	})
	t.Run("discovery is refreshed if the group is already known with another kind [O14]", func(t *testing.T) {
		t.Parallel()
		w, p := newWorld(t), start(t, inline(newUser(t)))
		group := w.group()
		w.define(definitionOf(t, group, "Widget", sized))
		w.served(group, "Widget")
		known := program(custom(t, group, "Widget", w.namespace, "{size: 3}"))
		requireComplete(t, w, p.resource(t, "known").mustUp("create", known), known, group, "Widget")
		oneGo(t, w, p, group, "Gadget")
	})
	t.Run("discovery is refreshed in the same process as well [O14]", func(t *testing.T) {
		t.Parallel()
		w, p := newWorld(t), start(t, inline(newUser(t)))
		group := w.group()
		w.define(definitionOf(t, group, "Widget", sized))
		w.served(group, "Widget")
		p.resource(t, "known").mustUp("create", program(custom(t, group, "Widget", w.namespace, "{size: 3}")))
		in := program(custom(t, group, "Gadget", w.namespace, "{size: 3}"))
		s, definition := p.resource(t, "object"), p.resource(t, "definition")
		together(t,
			func() error { return s.create(in) },
			func() error { return definition.create(program(definitionOf(t, group, "Gadget", sized))) },
		)
		requireComplete(t, w, s, in, group, "Gadget")
	})
	t.Run("a kind that appears during the wait [O15]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		group := w.group()
		in := program(custom(t, group, "Gadget", w.namespace, "{size: 3}"))
		s := start(t, g.connection()).resource(t, "object")
		done := make(chan error, 1)
		go func() { done <- s.create(in) }()
		asked := 0
		eventually(t, func() bool {
			asked += len(g.takeSeen())
			return asked > 6
		}, "the kind has been asked for again and again")
		require.Empty(t, done, "it is still waiting")
		w.define(definitionOf(t, group, "Gadget", sized))
		require.NoError(t, <-done)
		requireComplete(t, w, s, in, group, "Gadget")
	})
}

func TestAPreviewAsksOnceForKindsThatItDefines(t *testing.T) { // [M2]
	t.Parallel()
	w := newWorld(t)
	user := newUser(t)
	p := start(t, inline(user))
	preview := func(name string, manifest map[string]any) {
		t.Helper()
		_, _, err := p.resource(t, name).preview(program(manifest))
		require.NoError(t, err)
	}
	preview("sizes", definitionOf(t, w.group(), "Size", sized))
	preview("shapes", definitionOf(t, w.group(), "Shape", sized))
	take := requests(t, user)
	for i := range 4 {
		for _, kind := range []string{"Size", "Shape"} {
			instance := custom(t, w.group(), kind, w.namespace, "{size: 3}")
			instance["metadata"].(map[string]any)["name"] = fmt.Sprint(strings.ToLower(kind), i)
			preview(fmt.Sprint(kind, i), instance)
		}
	}
	assert.Len(t, take(), 2, "the version, and whether it is an API server that does not have it")
}

func TestOnlyWhatMayComeIsWaitedFor(t *testing.T) {
	t.Parallel()
	w, user := newWorld(t), newUser(t)
	p := start(t, inline(user))
	group := w.group()
	w.define(definitionOf(t, group, "Gadget", sized))
	w.served(group, "Gadget")
	for what, manifest := range map[string]map[string]any{
		"an invalid value":               w.configMap("bad", map[string]any{"no/key": "x"}),
		"a typo":                         object(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: bad, namespace: %s}, dtaa: {a: b}}", w.namespace),
		"a wrong type in a custom kind":  custom(t, group, "Gadget", w.namespace, "{size: large}"),
		"a typo in a custom kind's spec": custom(t, group, "Gadget", w.namespace, "{sise: 3}"),
	} {
		t.Run(what+" fails at once [O16]", func(t *testing.T) {
			take := requests(t, user)
			s, began := p.resource(t, "bad"), time.Now()
			require.Error(t, s.create(program(manifest)))
			assert.Less(t, time.Since(began), 10*time.Second)
			assert.Empty(t, s.id, "nothing is saved")
			patches, asked := 0, 0
			for _, request := range take() {
				if request == "PATCH" {
					patches++
				} else {
					asked++
				}
			}
			assert.Equal(t, 1, patches, "it is tried once")
			assert.LessOrEqual(t, asked, 4, "beside the dry-runs that find out what is wrong")
		})
	}
}

func TestAPrerequisiteThatNeverComes(t *testing.T) {
	t.Parallel()
	fails := func(t *testing.T, s *session, in resource.PropertyMap) string {
		t.Helper()
		began := time.Now()
		err := s.create(in)
		took := time.Since(began)
		require.Error(t, err)
		assert.Empty(t, s.id, "nothing is saved")
		assert.Greater(t, took, 15*time.Second, "it was waited for")
		assert.Less(t, took, 35*time.Second)
		return err.Error()
	}
	t.Run("a kind: the error names it and its apiVersion [O17]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(custom(t, w.group(), "Gadget", w.namespace, "{size: 3}"))
		s := start(t, inline(newUser(t))).resource(t, "object")
		text := fails(t, s, in)
		assert.Contains(t, text, "Gadget")
		assert.Contains(t, text, w.group()+"/v1")
		assert.Contains(t, text, "CustomResourceDefinition")
		assert.NotContains(t, text, "amespace")
	})
	t.Run("a namespace: it is called a namespace problem, also after the wait [O19]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		absent := w.namespace + "-absent"
		manifest := w.configMap("homeless", nil)
		manifest["metadata"] = map[string]any{"name": "homeless", "namespace": absent}
		s := start(t, inline(newUser(t))).resource(t, "homeless")
		_, _, err := s.preview(program(manifest))
		require.NoError(t, err)
		assert.Contains(t, s.warned(), `Namespace "`+absent+`" does not exist yet`)
		text := fails(t, s, program(manifest))
		assert.Contains(t, text, `namespace "`+absent+`" does not exist`)
		assert.NotContains(t, text, "CustomResourceDefinition")
	})
	t.Run("the namespace of a custom object whose kind is known [O19]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		group := w.group()
		w.define(definitionOf(t, group, "Gadget", sized))
		w.served(group, "Gadget")
		in := program(custom(t, group, "Gadget", w.namespace+"-absent", "{size: 3}"))
		text := fails(t, start(t, inline(newUser(t))).resource(t, "object"), in)
		assert.Contains(t, text, `namespace "`+w.namespace+`-absent" does not exist`)
		assert.NotContains(t, text, "CustomResourceDefinition")
	})
}
