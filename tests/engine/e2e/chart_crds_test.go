package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/types"
)

// crateStory is a release whose chart defines a kind, of which somebody has made an object.
type crateStory struct {
	chartStory

	files              map[string]string
	definition, theirs string
	uids               map[string]types.UID
}

func newCrateStory(t *testing.T) *crateStory {
	t.Helper()
	s := &crateStory{chartStory: newChartStory(t)}
	group := "crates-" + s.space + ".example.com"
	fill := strings.NewReplacer("GROUP", group, "SPACE", s.space)
	s.files = map[string]string{
		"crds/crates.yaml": fill.Replace(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: crates.GROUP }
spec:
  group: GROUP
  scope: Namespaced
  names: { kind: Crate, plural: crates }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, properties: { size: { type: integer } } } } }]
`),
		"templates/web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: web }\n",
	}
	s.definition, s.theirs = "apiextensions.k8s.io/v1/CustomResourceDefinition/crates."+group, group+"/v1/Crate/"+s.space+"/theirs"
	s.chart(t, "1.0.0", s.files)
	s.declare(t, "")
	s.up(t)
	s.kube.create(t, s.theirs, fmt.Sprintf("apiVersion: %s/v1\nkind: Crate\nmetadata: {name: theirs}\n", group))
	s.uids = map[string]types.UID{s.definition: s.kube.get(t, s.definition).GetUID(), s.theirs: s.kube.get(t, s.theirs).GetUID()}
	return s
}

// stays wants that the definition and the object are what they were.
func (s *crateStory) stays(t *testing.T) {
	t.Helper()
	for id, uid := range s.uids {
		assert.Equal(t, uid, s.kube.get(t, id).GetUID(), id)
	}
}

// brings has the chart define another field.
func (s *crateStory) brings(t *testing.T, version, field string) {
	t.Helper()
	s.files["crds/crates.yaml"] = strings.Replace(s.files["crds/crates.yaml"], "size: {", field+": { type: string }, size: {", 1)
	s.chart(t, version, s.files)
}

// hasField reports whether the kind has a field.
func (s *crateStory) hasField(t *testing.T, field string) bool {
	t.Helper()
	return strings.Contains(fmt.Sprint(s.kube.value(t, s.definition, "spec", "versions")), field+":")
}

// managers are who owns which fields of the definition, the API server aside.
func (s *crateStory) managers(t *testing.T) (owners []string) {
	t.Helper()
	for _, entry := range s.kube.get(t, s.definition).GetManagedFields() {
		if entry.Subresource == "" {
			owners = append(owners, fmt.Sprint(entry.Manager, " ", entry.Operation, " ", entry.FieldsV1))
		}
	}
	return owners
}

func TestDefinitionsThatAReleaseLeavesOut(t *testing.T) { // [D97]
	t.Parallel()
	s := newCrateStory(t)
	managers := s.managers(t)
	step(t, "stay in the cluster", func(t *testing.T) {
		s.declare(t, "crds: skip")
		out := s.preview(t)
		assert.NotContains(t, out, "to delete")
		assert.Contains(t, out, "These definitions are left out now. They stay in the cluster, and this component neither updates nor deletes them: crates.")
		s.up(t)
		s.stays(t)
		assert.Equal(t, managers, s.managers(t), "who owns their fields stays, too")
		s.previewEmpty(t)
	})
	step(t, "are not compared with anything", func(t *testing.T) {
		s.kube.merge(t, s.definition, `{"spec":{"names":{"shortNames":["cr"]}}}`)
		s.brings(t, "1.1.0", "color")
		assert.NotContains(t, s.preview(t), "CustomResourceDefinition.crates")
		s.up(t)
		s.refresh(t)
		s.stays(t)
		assert.False(t, s.hasField(t, "color"))
		s.previewEmpty(t)
	})
	step(t, "are taken up again without adoption", func(t *testing.T) {
		s.declare(t, "")
		assert.Contains(t, s.preview(t), "color")
		s.up(t)
		s.stays(t)
		assert.True(t, s.hasField(t, "color"))
		assert.Subset(t, s.managers(t), managers)
		s.previewEmpty(t)
	})
	step(t, "are taken up again, also if nothing has changed", func(t *testing.T) {
		s.declare(t, "crds: skip")
		s.up(t)
		s.declare(t, "")
		s.up(t)
		s.kube.merge(t, s.definition, `{"spec":{"names":{"plural":"crates","listKind":"Crates"}}}`)
		s.brings(t, "1.2.0", "weight")
		s.up(t)
		assert.True(t, s.hasField(t, "weight"))
	})
	step(t, "outlive the release", func(t *testing.T) {
		s.declare(t, "crds: skip")
		s.up(t)
		s.destroy(t)
		s.kube.gone(t, "v1/ConfigMap/"+s.space+"/web")
		s.stays(t)
	})
}

func TestDefinitionsThatAReleaseLeavesOutInAnUpdateThatFails(t *testing.T) { // [D97]
	t.Parallel()
	s := newCrateStory(t)
	s.files["templates/broken.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: Broken }\n"
	s.chart(t, "1.1.0", s.files)
	s.declare(t, "crds: skip")
	s.upFails(t)
	s.stays(t)
	delete(s.files, "templates/broken.yaml")
	s.chart(t, "1.2.0", s.files)
	assert.NotContains(t, s.preview(t), "to delete")
	s.up(t)
	s.stays(t)
	s.previewEmpty(t)
	step(t, "stay when the program no longer has the release", func(t *testing.T) {
		s.program(t, "resources: {}\n")
		s.up(t)
		s.stays(t)
	})
}

func TestDefinitionsThatSomethingElseManages(t *testing.T) { // [D97]
	t.Parallel()
	s := newCrateStory(t)
	group := strings.TrimPrefix(s.definition, "apiextensions.k8s.io/v1/CustomResourceDefinition/crates.")
	s.files["templates/own.yaml"] = "apiVersion: " + group + "/v1\nkind: Crate\nmetadata: { name: own }\n"
	s.files["templates/defined.yaml"] = strings.NewReplacer("crates.", "boxes.", "Crate", "Box", "plural: crates", "plural: boxes").Replace(s.files["crds/crates.yaml"])
	s.chart(t, "1.1.0", s.files)
	s.declare(t, "deletionPropagation: Background")
	s.up(t)
	boxes := strings.Replace(s.definition, "crates.", "boxes.", 1)
	s.kube.get(t, boxes)
	delete(s.files, "templates/defined.yaml")
	s.chart(t, "1.2.0", s.files)
	declare := func(crds, more string) {
		s.program(t, "resources:\n  shop:\n    type: k8sconnect:Chart\n    properties: { chart: ./web, namespace: %s, deletionPropagation: Background%s }\n%s", s.space, crds, more)
	}
	manager := strings.Fields(s.managers(t)[0])[0]
	others := fmt.Sprintf("  kinds:\n    type: k8sconnect:Manifests\n    properties: { files: [web/crds/crates.yaml], takeOverFrom: [%q] }\n", manager)
	declare(", crds: skip", others)
	s.up(t)
	s.stays(t)
	s.kube.gone(t, boxes) // It is no definition of the folder.
	assert.NotContains(t, fmt.Sprint(s.managers(t)), manager)
	s.previewEmpty(t)
	declare("", others)
	assert.Contains(t, s.upFails(t), "[ManagedElsewhere]")
	declare(", crds: skip", others)
	s.up(t)
	s.previewEmpty(t)
	declare(", crds: skip", "")
	assert.Contains(t, s.upFails(t), "[InstancesRemain]")
	s.stays(t)
}
