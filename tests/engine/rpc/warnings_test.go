package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// warned is what the user has been warned of on one resource, so far.
func (l *engineLog) warned(urn resource.URN) []string {
	return l.where(func(m *pulumirpc.LogRequest) bool {
		return m.GetSeverity() == pulumirpc.LogSeverity_WARNING && m.GetUrn() == string(urn)
	})
}

// TestWarningsOfTheServer has what the API server warns of reach the user once in a run, on the resource that it is
// about. A field that it does not know is more than a warning: it is refused.
func TestWarningsOfTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	group := w.group()
	deprecated := func(kind, text string) {
		definition := definitionOf(t, group, kind, sized)
		versions := definition["spec"].(map[string]any)["versions"].([]any)
		versions[0].(map[string]any)["deprecated"], versions[0].(map[string]any)["deprecationWarning"] = true, text
		w.define(definition)
		w.served(group, kind)
	}
	deprecated("Gadget", "use Widget instead")
	deprecated("Gizmo", "there will be no more of these")

	type subject struct {
		*session
		manifest map[string]any
		path     string
		value    any
		want     string
	}
	subjects := func(p *process) []*subject {
		return []*subject{
			{
				p.resource(t, "gadget"), custom(t, group, "Gadget", w.namespace, "{size: 1}"),
				"manifest.spec.size", 2, "use Widget instead",
			}, {
				p.resource(t, "gizmo"), custom(t, group, "Gizmo", w.namespace, "{size: 1}"),
				"manifest.spec.size", 2, "there will be no more of these",
			}, {
				p.resource(t, "endpoints"), object(t, "{apiVersion: v1, kind: Endpoints, metadata: {name: it, namespace: %s, labels: {a: b}}}", w.namespace),
				"manifest.metadata.labels.a", "c", "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
			}, {
				p.resource(t, "field"), object(t, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: it, namespace: %s}
spec:
  replicas: 1
  selector: {matchLabels: {app: it}}
  template:
    metadata: {labels: {app: it}}
    spec: {nodeSelector: {beta.kubernetes.io/os: linux}, containers: [{name: main, image: nginx}]}`, w.namespace),
				"manifest.spec.replicas", 2,
				`spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead`,
			},
		}
	}
	p := start(t, inline(newUser(t)))
	all := subjects(p)
	wantOnce := func(t *testing.T, p *process) {
		t.Helper()
		for _, s := range all {
			assert.Equal(t, []string{s.want}, p.log.warned(s.urn), s.urn.Name())
		}
		assert.Len(t, p.log.warnings(), len(all))
	}
	// each does something to all at once, in a run of its own.
	each := func(t *testing.T, act func(s *subject) error) *process {
		t.Helper()
		p := start(t, inline(newUser(t)))
		var acts []func() error
		for _, s := range all {
			s.in(p)
			acts = append(acts, func() error { return act(s) })
		}
		together(t, acts...)
		return p
	}

	t.Run("in the preview of a create", func(t *testing.T) {
		wantOnce(t, each(t, func(s *subject) error {
			_, _, err := s.preview(program(s.manifest))
			return err
		}))
	})
	t.Run("in a create", func(t *testing.T) {
		wantOnce(t, each(t, func(s *subject) error { return s.create(program(s.manifest)) }))
	})
	t.Run("in the preview of an update", func(t *testing.T) {
		wantOnce(t, each(t, func(s *subject) error {
			did, _, err := s.preview(with(t, program(s.manifest), s.path, s.value))
			assert.Equal(t, "update", did)
			return err
		}))
	})
	t.Run("in an update, though it asks with a dry-run before", func(t *testing.T) {
		wantOnce(t, each(t, func(s *subject) error {
			did, err := s.up(with(t, program(s.manifest), s.path, s.value))
			assert.Equal(t, "update", did)
			return err
		}))
	})
	t.Run("and not while nothing changes", func(t *testing.T) {
		p := each(t, func(s *subject) error {
			did, err := s.up(with(t, program(s.manifest), s.path, s.value))
			assert.Equal(t, "same", did)
			return err
		})
		assert.Empty(t, p.log.warnings())
	})
	t.Run("an unknown field is refused", func(t *testing.T) {
		s := p.resource(t, "unknown")
		manifest := w.configMap("unknown", nil)
		require.NoError(t, unstructured.SetNestedField(manifest, "x", "dota"))
		_, _, err := s.preview(program(manifest))
		assert.ErrorContains(t, err, "dota")
	})
}
