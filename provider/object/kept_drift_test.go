package object

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestWhetherTheProgramHasChangedWhatTheAPIServerNames(t *testing.T) {
	pod := func(image, deadline, label any) map[string]any {
		return map[string]any{
			"metadata": map[string]any{"labels": map[string]any{"rev": label}},
			"spec":     map[string]any{"activeDeadlineSeconds": deadline, "containers": []any{map[string]any{"name": "main", "image": image}}},
		}
	}
	for name, test := range map[string]struct {
		was, is map[string]any
		causes  []string
		want    bool
	}{
		"a label is not near a field of the spec [D50]":                       {pod("a", int64(1), "1"), pod("a", int64(1), "2"), []string{"spec.activeDeadlineSeconds"}, false},
		"the field itself is [D50]":                                           {pod("a", int64(1), "1"), pod("a", int64(2), "1"), []string{"spec.activeDeadlineSeconds"}, true},
		"a field in what is named is [D50]":                                   {pod("a", int64(1), "1"), pod("a", int64(2), "1"), []string{"spec"}, true},
		"a list around what is named is, whichever item has changed":          {pod("a", int64(1), "1"), pod("b", int64(1), "1"), []string{"spec.containers[1].image"}, true},
		"what has left the manifest has changed":                              {pod("a", int64(1), "1"), map[string]any{"metadata": map[string]any{}}, []string{"spec.containers"}, true},
		"a refusal that names nothing may be about everything":                {pod("a", int64(1), "1"), pod("a", int64(1), "2"), []string{""}, true},
		"a name that the manifest does not have stands for what is around it": {pod("a", int64(1), "1"), pod("a", int64(2), "1"), []string{"spec.persistentvolumesource"}, true},
		"and for nothing else":                                                {pod("a", int64(1), "1"), pod("a", int64(1), "2"), []string{"spec.persistentvolumesource"}, false},
		"a rule of the whole object may be about everything":                  {pod("a", int64(1), "1"), pod("a", int64(1), "2"), []string{"<nil>"}, true},
		"a key that is a number stands for its map":                           {map[string]any{"m": map[string]any{"0": "a"}}, map[string]any{"m": map[string]any{"0": "b"}}, []string{"m[0]"}, true},
		"1 and 1.0 are one value":                                             {pod("a", int64(1), "1"), pod("a", 1.0, "2"), []string{"spec"}, false},
		"the first address of a Service is what its manifest has as one":      {map[string]any{"spec": map[string]any{"clusterIP": "a"}}, map[string]any{"spec": map[string]any{"clusterIP": "b"}}, []string{"spec.clusterIPs[0]", "spec.clusterIP"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			places := placesIn([]any{test.was, test.is}, test.causes)
			assert.Equal(t, test.want, base{last: &inputs{applied: test.was}}.hasChangedNear(inputs{applied: test.is}, places))
			assert.True(t, base{}.hasChangedNear(inputs{applied: test.is}, places), "without the last run, nothing is known")
		})
	}
}

func TestWhichDriftStays(t *testing.T) {
	drift := []drifted{
		{path: fieldpath.MakePathOrDie("spec", "suspend"), managers: "kueue"},
		{path: fieldpath.MakePathOrDie("spec", "template", "spec", "nodeSelector"), managers: "kueue"},
		{path: fieldpath.MakePathOrDie("metadata", "labels", "team"), managers: "someone"},
	}
	names := func(drift []drifted) (names []string) {
		for _, d := range drift {
			names = append(names, d.path.String())
		}
		return names
	}
	nearby, same := nearTo(drift, [][]string{{"spec", "template"}})
	assert.Equal(t, []string{".spec.template.spec.nodeSelector"}, names(nearby))
	assert.Equal(t, []string{".spec.suspend", ".spec.template.spec.nodeSelector"}, names(same), "and all of the same manager")
	nearby, same = nearTo(drift, [][]string{{"spec", "completions"}})
	assert.Empty(t, nearby)
	assert.Empty(t, same)
}
