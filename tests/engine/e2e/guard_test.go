package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What is taken down only in part is of no use to the objects of others, and the rest of it is lost.
func TestObjectsOfOthersAreFoundBeforeAnythingIsDeleted(t *testing.T) { // [M6]
	t.Parallel()
	const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: crates.GROUP }
spec:
  group: GROUP
  scope: Namespaced
  names: { kind: Crate, plural: crates }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, properties: { size: { type: integer } } } } }]
`
	const objects = `
apiVersion: v1
kind: ConfigMap
metadata: { name: one, namespace: SPACE }
---
apiVersion: v1
kind: Secret
metadata: { name: two, namespace: SPACE }
---
apiVersion: GROUP/v1
kind: Crate
metadata: { name: own, namespace: SPACE }
`
	story := func(t *testing.T, s chartStory, group string) {
		t.Helper()
		s.up(t)
		s.previewEmpty(t)
		theirs := group + "/v1/Crate/" + s.space + "/theirs"
		s.kube.create(t, theirs, fmt.Sprintf("apiVersion: %s/v1\nkind: Crate\nmetadata: {name: theirs}\n", group))
		assert.Contains(t, s.runFails(t, "destroy", "--yes", "--skip-preview"), "was not taken down: 1 object of kind Crate."+group)
		for _, id := range []string{"v1/ConfigMap/" + s.space + "/one", "v1/Secret/" + s.space + "/two", theirs} {
			s.kube.get(t, id)
		}
		s.kube.remove(t, theirs)
		s.destroy(t)
		s.kube.gone(t, "v1/ConfigMap/"+s.space+"/one")
	}
	t.Run("of a set", func(t *testing.T) {
		t.Parallel()
		s := newChartStory(t)
		group := "guard-" + s.space + ".example.com"
		fill := strings.NewReplacer("GROUP", group, "SPACE", s.space)
		s.file(t, "all.yaml", fill.Replace(definition+"---"+objects))
		s.program(t, "%s", "\nresources:\n  set:\n    type: k8sconnect:Manifests\n    properties:\n      files: [all.yaml]\n      deletionPropagation: Background\n")
		story(t, s, group)
	})
	t.Run("of a chart", func(t *testing.T) {
		t.Parallel()
		s := newChartStory(t)
		group := "guard-" + s.space + ".example.com"
		fill := strings.NewReplacer("GROUP", group, "SPACE", s.space)
		s.chart(t, "1.0.0", map[string]string{"crds/crates.yaml": fill.Replace(definition), "templates/all.yaml": fill.Replace(objects)})
		s.declare(t, "deletionPropagation: Background")
		story(t, s, group)
	})
}
