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
	refreshed := step{"refresh", (*life).refresh}
	lost := step{"up, and its state is lost", func(l *life) error { return l.upLost(l.parts...) }}
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
		"a destroy takes over what the state says, whatever the program says now [D31]": {cast{"ConfigMap", "ConfigMap"}, []step{
			bakeryTakes, {"up of the bakery", (*life).bakeryUps}, up,
			{"the bakery does not take the object over any more", func(l *life) error {
				l.bakery.takes = false
				return nil
			}},
			{"destroy of the bakery", (*life).bakeryDestroys},
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
		"what nobody owns stays when our last field beside it leaves [D48]": {cast{"ConfigMap", "ConfigMap"}, []step{
			says(func(p *wanted) { p.label = true }), up, {"there are values that nobody owns", (*life).orphan},
			says(func(p *wanted) { p.label = false }), up,
		}},
		"a limit below the request of others replaces nothing [D1]": {cast{"Deployment", "ConfigMap"}, []step{
			says(func(p *wanted) { p.unlimited = true }), up, requested, says(func(p *wanted) { p.unlimited = false }), up,
		}},
		"a list that the program has again keeps the part of it that is ignored again [D2]": {cast{"Deployment", "ConfigMap"}, []step{
			says(func(p *wanted) { p.tolerates = true }), up, timed,
			says(func(p *wanted) { p.tolerates, p.ignoresSeconds = false, true }), up,
			says(func(p *wanted) { p.ignoresSeconds = false }), says(func(p *wanted) { p.tolerates, p.ignoresSeconds = true, true }), up,
		}},
		"what nobody owns stays when a field leaves that was ignored until then [D48] [O37]": {cast{"Deployment", "ConfigMap"}, []step{
			says(func(p *wanted) { p.annotation, p.ignoresAnnotation = true, true }), up, {"there are values that nobody owns", (*life).orphan},
			says(func(p *wanted) { p.annotation, p.ignoresAnnotation = false, false }), up,
		}},
		"what was released in favour of another stack leaves with a takeover back [D32] [O82]": {cast{"Deployment", "ConfigMap"}, []step{
			says(func(p *wanted) { p.extra = true }), up, bakeryTakes, {"up of the bakery", (*life).bakeryUps},
			says(func(p *wanted) { p.extra = false }),
		}},
		"what the program no longer has and no longer ignores goes [O37]": {cast{"ConfigMap", "ConfigMap"}, []step{
			says(func(p *wanted) { p.annotation, p.ignoresAnnotation = true, true }), up,
			says(func(p *wanted) { p.annotation, p.ignoresAnnotation = false, false }), up,
		}},
		"a part of a list that belongs to us as a whole is ignored [D2]": {cast{"Deployment", "ConfigMap"}, []step{
			says(func(p *wanted) { p.tolerates, p.ignoresSeconds = true, true }), up, says(func(p *wanted) { p.label = true }), up,
		}},
		"a lost reply to an update that cannot be taken back ends no stack [D3]": {cast{"ConfigMap", "ConfigMap"}, []step{
			up, says(func(p *wanted) { p.frozen = true }), nextWrite("its reply is lost", loseReply), up, refreshed, {"destroy", (*life).destroy},
		}},
		"expired credentials after an update without effect end no stack [D3]": {cast{"Deployment", "ConfigMap"}, []step{
			up, says(func(p *wanted) { p.whole = true }), up, {"the credentials are renewed", (*life).renew}, refreshed, up,
		}},
		"a secret that a JSON patch adds to a list is hidden [D4]": {cast{"ConfigMap", "Deployment"}, []step{
			says(func(p *wanted) { p.patch, p.secret = "jsonPatch", 1 }), up, refreshed,
		}},
		"another order of the same items is a change [D6]": {cast{"Deployment", "ConfigMap"}, []step{
			up, says(func(p *wanted) { p.swapped = true }), up,
		}},
		"an object that an earlier run has made and left gets the order of the program [D6] [O88]": {cast{"Deployment", "ConfigMap"}, []step{
			up, says(func(p *wanted) { p.swapped = true }), {"up elsewhere, and back here", emigrates(false)},
		}},
		"what another stack has imported is not written by it, nor deleted [D31]": {cast{"ConfigMap", "ConfigMap"}, []step{
			up, {"the bakery imports the object", (*life).bakeryImports}, {"up of the bakery", (*life).bakeryUps}, {"destroy of the bakery", (*life).bakeryDestroys},
		}},
		"a preview shows a new list without its ignored part, as the up makes it": {cast{"Deployment", "ConfigMap"}, []step{
			says(func(p *wanted) { p.annotation, p.ignoresSeconds = true, true }), up,
			says(func(p *wanted) { p.tolerates, p.ignoresAnnotation = true, true }), up,
		}},
		"a preview that a default is in the way of leaves the ignored part of a list as it is, as the up does": {cast{"Deployment", "ConfigMap"}, []step{
			says(func(p *wanted) { p.tolerates = true }), up, says(func(p *wanted) { p.ignoresSeconds, p.recreate = true, true }), up,
		}},
		"what a lost run has made secret is hidden in an object [D4]": {cast{"ConfigMap", "ConfigMap"}, []step{
			says(func(p *wanted) { p.extra = true }), up, says(func(p *wanted) { p.secret = 1 }), lost, refreshed,
		}},
		"what a lost run has made secret is hidden in a list of a Patch [D4]": {cast{"ConfigMap", "Deployment"}, []step{
			says(func(p *wanted) { p.patch = "mergePatch" }), up, says(func(p *wanted) { p.secret = 1 }), lost, refreshed,
		}},
		"a secret that the patch no longer has is hidden in a list that others have changed [D4]": {cast{"Deployment", "Deployment"}, []step{
			says(func(p *wanted) { p.patch, p.secret = "mergePatch", 1 }), up, says(func(p *wanted) { p.secret = 0 }),
			{"the target is edited", (*life).editTarget}, up,
		}},
		"what the state has is kept while the address leads to another cluster [D8]": {cast{"Deployment", "ConfigMap"}, []step{
			says(func(p *wanted) { p.patch, p.wait = "patch", waitsForObject }), up, {"the address leads elsewhere", (*life).exchanged},
		}},
		"an object that is made in another cluster leaves the one here alone [D8]": {cast{"ConfigMap", "ConfigMap"}, []step{
			says(func(p *wanted) { p.patch, p.wait = "patch", waitsForObject }), up,
			{"the address leads elsewhere", emigrates(false)}, {"the program leads elsewhere", emigrates(true)},
		}},
		"no name is shown of a secret map that was ignored, and that others keep [D4] [D32]": {cast{"ConfigMap", "ConfigMap"}, []step{
			says(func(p *wanted) { p.notes, p.ignoresNotes = true, true }), up, notedToo,
			says(func(p *wanted) { p.notes, p.ignoresNotes = false, false }), up,
		}},
		"a Wait waits again after drift was put right [D10]": {cast{"Deployment", "ConfigMap"}, []step{
			says(func(p *wanted) { p.wait = waitsForObject }), up, changed, up,
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
