package tracked

import (
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestTheManagerIsTheOneOfTheURN(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		saved             string
		on, next          string
		writes, wasBefore string
		renamed           bool
	}{
		"a state that has it":                        {"new", "new", "", "new", "", false},
		"a state without one: imported":              {"", "new", "", "new", "", false},
		"a state of a former name gets it by update": {"old", "old", "new", "new", "old", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := State{Manager: test.saved}
			on, next := s.OnObject("new")
			assert.Equal(t, []string{test.on, test.next}, []string{on, next})
			writes, former := s.ForUpdate("new")
			assert.Equal(t, []string{test.writes, test.wasBefore}, []string{writes, former})
			assert.Equal(t, test.renamed, s.IsRenamed("new"))
			assert.Equal(t, test.renamed, s.RenamingDiff("new", true).HasChanges)
			assert.False(t, s.RenamingDiff("new", false).HasChanges, "a refresh has nothing to tell")
		})
	}
}

func TestATargetIsSeenUnderTheNameThatIsOnTheObject(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		on   []string
		want string
	}{
		"the former one":          {[]string{"former"}, "former"},
		"the new one":             {[]string{"new"}, "new"},
		"both, as the new one":    {[]string{"former", "new"}, "new"},
		"neither, as the new one": {[]string{"helm"}, "new"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live := &unstructured.Unstructured{Object: map[string]any{}}
			var entries []metav1.ManagedFieldsEntry
			for _, manager := range test.on {
				entries = append(entries, metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationApply})
			}
			live.SetManagedFields(entries)
			seen := Target{Manager: "new", Also: "former"}.AsOn(live)
			assert.Equal(t, test.want, seen.Manager)
			assert.ElementsMatch(t, []string{"new", "former"}, seen.Own())
		})
	}
}
