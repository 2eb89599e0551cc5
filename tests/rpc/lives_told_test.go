package rpc_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLivesThatWentWrong tells the stories that TestEveryLife has found, each as short as it was found.
func TestLivesThatWentWrong(t *testing.T) {
	t.Parallel()
	says := func(change func(p *wanted)) step {
		return step{"the program changes", func(l *life) error {
			change(&l.wants)
			return nil
		}}
	}
	up, refreshed := step{"up", (*life).up}, step{"refresh", (*life).refresh}
	bakeryTakes := step{"the bakery takes the object over", func(l *life) error {
		l.bakery.takes = true
		return nil
	}}
	for what, story := range map[string]struct {
		cast  cast
		steps []step
	}{
		"a Wait waits again when drift was put right after an update that was not confirmed [D10]": {cast{"ConfigMap", "ConfigMap"}, []step{
			says(func(p *wanted) { p.wait = waitsForObject }), up, nextWrite("it is lost", loseRequest), changed, up,
		}},
		"a default is not in the way of a program that takes over as well [D1]": {cast{"Deployment", "ConfigMap"}, []step{
			up, says(func(p *wanted) { p.takeOver, p.recreate = true, true }), up,
		}},
		"no secret is shown where the operations of a JSON patch change their positions [D4]": {cast{"ConfigMap", "ConfigMap"}, []step{
			says(func(p *wanted) { p.patch, p.secret = "jsonPatch", 1 }), up, says(func(p *wanted) { p.guarded = true }), up, refreshed,
		}},
		"what the program ignores from now on stays where it takes over as well [D2] [D31]": {cast{"Deployment", "ConfigMap"}, []step{
			up, says(func(p *wanted) { p.ignored = true }), bakeryTakes, {"up of the bakery", (*life).bakeryUps}, up,
		}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			if broken := newLife(t, newLifeBook(t), story.cast).story(story.steps); broken != nil {
				require.NoError(t, broken)
			}
		})
	}
}
