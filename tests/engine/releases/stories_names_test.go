package releases_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine/defects"
)

const claim = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: {{ .Release.Name }}-data }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`

// formerly is a resource with the alias of its former name.
func formerly(name string, r resource) resource {
	r.Options = map[string]any{"aliases": []any{map[string]any{"name": name}}}
	return r
}

func TestAChartThatIsRenamedKeepsItsClaim(t *testing.T) {
	defects.Open(t, "[D94]", "the claim is another one", func(t testing.TB) {
		l := newLife(t)
		folder := l.chart("web", "1.0.0", files{"templates/claim.yaml": claim})
		l.declare(program{"shop": l.release(folder, nil)})
		l.up(engine.Options{})
		before := l.get("PersistentVolumeClaim/shop-data").GetUID()
		l.declare(program{"store": formerly("shop", l.release(folder, nil))})
		l.up(engine.Options{})
		after := l.live(l.space)["PersistentVolumeClaim/shop-data"]
		require.NotNil(t, after, "the claim is another one: it is gone")
		assert.Equal(t, before, after.GetUID(), "the claim is another one")
	})
}

func TestARenameThatGetsItsAliasLater(t *testing.T) {
	for kind, inputs := range map[string]map[string]any{"Chart": {"releaseName": "shop"}, "Manifests": nil} {
		t.Run(kind, func(t *testing.T) {
			defects.Open(t, "[D95]", "[ManagedElsewhere]", func(t testing.TB) {
				l := newLife(t)
				of := l.release(l.chart("web", "1.0.0", files{"templates/web.yaml": plain("ConfigMap", "web", `a: "1"`)}), inputs)
				if kind == "Manifests" {
					of = l.set(plain("ConfigMap", "web", `a: "1"`))
				}
				l.declare(program{"shop": of})
				l.up(engine.Options{})
				l.declare(program{"store": of})
				l.fails(engine.Up, engine.Options{})
				l.declare(program{"store": formerly("shop", of)})
				l.up(engine.Options{})
			})
		})
	}
}

// set is a Manifests of this text.
func (l *life) set(text string) resource {
	return resource{Type: "k8sconnect:Manifests", Properties: map[string]any{"content": text, "namespace": l.space}}
}

func TestDefinitionsThatAreSkippedLater(t *testing.T) {
	defects.Open(t, "[D97]", "[InstancesRemain]", func(t testing.TB) {
		l := newLife(t)
		folder := l.chart("web", "1.0.0", files{
			"crds/boxes.yaml": `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: boxes.releases.example.com }
spec:
  group: releases.example.com
  scope: Namespaced
  names: { kind: Box, plural: boxes }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
`,
			"templates/box.yaml": "apiVersion: releases.example.com/v1\nkind: Box\nmetadata: { name: box }\n",
		})
		of := func(crds string) resource {
			r := l.release(folder, map[string]any{"crds": crds})
			r.Options = map[string]any{"customTimeouts": map[string]any{"delete": "2s"}}
			return r
		}
		l.declare(program{"shop": of("include")})
		l.up(engine.Options{})
		l.declare(program{"shop": of("skip")})
		l.up(engine.Options{})
	})
}
