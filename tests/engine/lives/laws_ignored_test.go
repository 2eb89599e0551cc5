package lives_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// The law: an operation does not change the live value at a place that the program ignores, in whichever spelling it does so.
// Where the place is, the generator of programs knows. Excepted are objects that were made anew, and items of lists that have
// left the program.
const keptIgnored = "what the program ignores does not change"

// keptApart holds it.
func (l *life) keptApart(_ operation, before map[*thing]*unstructured.Unstructured, result engine.Result) {
	for _, th := range l.things {
		was, now := before[th], l.place.live(th.kind(), th.object)
		if was == nil || now == nil || was.GetUID() != now.GetUID() || now.GetDeletionTimestamp() != nil {
			continue
		}
		for _, ignored := range th.ignores {
			value, there := get(was.Object, ignored.place)
			if !there || !hasItems(folded(th.manifest), ignored.place) {
				continue
			}
			l.book.count("held: " + keptIgnored)
			if is, _ := get(now.Object, ignored.place); !equal(value, is) && ignored.spelling != "metadata" {
				l.breaks(violation{law: keptIgnored, thing: th, before: was, text: fmt.Sprintf(
					"%s of %s was %s and is %s, although the program ignores %s.\n%s",
					ignored.place, th.object, asJSON(value), asJSON(is), ignored.spelling, result.Output)})
				return
			}
		}
	}
}
