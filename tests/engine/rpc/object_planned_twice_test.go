package rpc_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAPreviewRefusesAnObjectThatTheProgramCreatesTwice(t *testing.T) {
	t.Parallel()
	t.Run("the second resource is refused, and names the first [D81]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t)))
		in := program(w.configMap("web", nil))
		did, _, err := s.resource(t, "one").preview(in)
		require.NoError(t, err)
		assert.Equal(t, "create", did)
		_, _, err = s.resource(t, "two").preview(in)
		require.ErrorContains(t, err, `is in this program twice: the KubeObject "one" creates it as well`)
		require.ErrorContains(t, err, "[ManagedElsewhere]")
	})
	t.Run("also where a value is not known yet, the namespace is the default one, or the version is another one [D81]", func(t *testing.T) {
		t.Parallel()
		s, w := start(t, inline(newUser(t))), newWorld(t)
		manifest := m{"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "metadata": m{"name": "web"}, "spec": m{
			"maxReplicas": 2, "scaleTargetRef": m{"kind": "Deployment", "apiVersion": "apps/v1", "name": "web"},
		}}
		_, _, err := s.resource(t, "one").preview(program(manifest))
		require.NoError(t, err)
		again := m{"apiVersion": "autoscaling/v2", "kind": manifest["kind"], "metadata": m{"name": "web", "namespace": "default"}, "spec": manifest["spec"]}
		_, _, err = s.resource(t, "two").preview(program(again))
		require.ErrorContains(t, err, "twice")
		_, _, err = s.resource(t, "three").preview(with(t, program(again), "manifest.spec.maxReplicas", resource.MakeComputed(resource.NewProperty(""))))
		require.ErrorContains(t, err, "twice")
		_, _, err = s.resource(t, "elsewhere").preview(program(m{"apiVersion": "autoscaling/v2", "kind": manifest["kind"], "metadata": m{"name": "web", "namespace": w.namespace}, "spec": manifest["spec"]}))
		require.NoError(t, err)
	})
	t.Run("two clusters have an object of each name [D81]", func(t *testing.T) {
		t.Parallel()
		c := newTwo(t)
		s := c.to(c.one)
		_, _, err := s.resource(t, "one").preview(program(c.one.configMap("web", nil), m{"clusterConnection": inline(c.one.user)}))
		require.NoError(t, err)
		_, _, err = s.resource(t, "two").preview(program(c.one.configMap("web", nil), m{"clusterConnection": inline(c.two.user)}))
		require.NoError(t, err)
	})
	t.Run("a preview can be repeated [D81]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "one")
		for range 2 {
			_, _, err := s.preview(program(w.configMap("web", nil)))
			require.NoError(t, err)
		}
	})
}
