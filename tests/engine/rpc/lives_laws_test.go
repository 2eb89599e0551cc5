package rpc_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	apiquantity "k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The laws of a life.
const (
	noDeadEnd  = "no dead end: once nothing fails any more, an up of a valid program, a refresh and a destroy succeed"
	sameUID    = "no object is replaced unless the preview and the up say so, and there is no other way"
	keptApart  = "what others set, what nobody owns and what is ignored does not change"
	othersOwn  = "no object of another stack is written or deleted"
	hidden     = "nobody can read a secret"
	asWanted   = "after an up the object has what the program says, and there is nothing left to do"
	waitsAgain = "a Wait waits again when the object that it waits for was written"
	foreseen   = "an up does what the preview says, and a preview writes nothing"
	elsewhere  = "what is in another cluster than the connection leads to is not forgotten, deleted or written"
	notBlind   = "a preview and an up fail where the cluster cannot be read"
)

func law(law, format string, args ...any) error { return &failure{law, fmt.Errorf(format, args...)} }

func breaksLaw(err error) bool {
	var broken *failure
	return errors.As(err, &broken)
}

// tenant is a stack that may have the object.
type tenant struct {
	// managers are the names under which it owns fields.
	managers []string
	manifest map[string]any
	// ignores are the parts of the object that the program ignores.
	ignores func(path string) bool
	// forgets are those of them of which the state does not know that they were applied.
	forgets func(path string) bool
	// takesOver are the managers that the program takes the object over from.
	takesOver []string
	// applied is what the state says that was applied. What left the program of it goes with a takeover, also where it was
	// released in favour of the manager that it is taken from.
	applied map[string]leafValue
}

// inState is the stack to a destroy, which has no program: the state says what it takes over.
func (w tenant) inState(s *session) tenant {
	w.takesOver = nil
	if names, ok := plain(s.inputs["takeOverFrom"]).([]any); ok {
		for _, name := range names {
			w.takesOver = append(w.takesOver, name.(string))
		}
	}
	return w
}

// landlord is the manager of another KubeObject that has the object; "" if there is none.
func (w tenant) landlord(live *unstructured.Unstructured) string {
	for _, entry := range live.GetManagedFields() {
		if strings.HasPrefix(entry.Manager, "k8sconnect-") && !strings.HasPrefix(entry.Manager, "k8sconnect-patch-") &&
			!slices.Contains(w.managers, entry.Manager) && !slices.Contains(w.takesOver, entry.Manager) {
			return entry.Manager
		}
	}
	return ""
}

// apart compares the object before and after a command of a stack: what is not for this stack to change.
func (l *life) apart(before, after *unstructured.Unstructured, by tenant) error {
	if before == nil {
		return nil
	}
	landlord := by.landlord(before)
	if after == nil || after.GetUID() != before.GetUID() {
		if landlord != "" {
			return law(othersOwn, "the object of %s is gone", landlord)
		}
		return nil
	}
	if landlord != "" {
		return l.untouched(before, after, landlord)
	}
	owned, sets, now := l.ownedIn(before), setBy(by.manifest), leavesIn(after.Object)
	for at, was := range leavesIn(before.Object) {
		if asJSON(now[at].value) == asJSON(was.value) {
			continue
		}
		said := fmt.Sprintf("%s was %s and is %s", at, asJSON(was.value), asJSON(now[at].value))
		// A part of a list that is owned as a whole is ignored as long as the program has the list.
		if by.ignores(at) && !by.forgets(at) && (len(wholeOf(was.path)) == len(was.path) || sets[wholeOf(was.path).String()]) {
			return law(keptApart, "%s, although it is ignored", said)
		}
		ours, theirs := owned.by(was.path, by.managers...)
		if sets[wholeOf(was.path).String()] || ours && !theirs || theirs && by.takesFrom(owned, was) || l.isInTheWay(at) {
			continue
		}
		return law(keptApart, "%s, and it is not ours: %t, others': %t", said, ours, theirs)
	}
	return nil
}

// untouched proves that nothing was written to an object of another stack. What is released of it has the same values.
func (l *life) untouched(before, after *unstructured.Unstructured, landlord string) error {
	was, is := leavesIn(before.Object), leavesIn(after.Object)
	for at := range is {
		if _, ok := was[at]; !ok {
			was[at] = leafValue{}
		}
	}
	for at := range was {
		if asJSON(was[at].value) != asJSON(is[at].value) {
			return law(othersOwn, "the object is that of %s: %s was %s and is %s", landlord, at, asJSON(was[at].value), asJSON(is[at].value))
		}
	}
	if had, has := l.ownedIn(before)[landlord], l.ownedIn(after)[landlord]; has == nil || !had.Equals(has) {
		return law(othersOwn, "%s does not own what it owned of its object", landlord)
	}
	return nil
}

// releasedManager owns what a KubeObject has released in favour of another one.
const releasedManager = "k8sconnect.released"

// takesFrom reports whether all other owners of a value are managers that the program takes over from.
func (w tenant) takesFrom(owned owned, leaf leafValue) bool {
	names := append(slices.Clone(w.managers), w.takesOver...)
	if _, was := w.applied[leaf.path.String()]; was && len(w.takesOver) > 0 {
		names = append(names, releasedManager)
	}
	_, theirs := owned.by(leaf.path, names...)
	return !theirs
}

// isInTheWay reports whether a value is a default that goes with what the program says.
func (l *life) isInTheWay(at string) bool {
	return l.wants.recreate && strings.HasPrefix(at, ".spec.strategy.rollingUpdate")
}

// leftBehind is a value that only we own, and that the program does not say.
func (l *life) leftBehind(live *unstructured.Unstructured, by tenant) string {
	owned, sets := l.ownedIn(live), setBy(by.manifest)
	for at, leaf := range leavesIn(live.Object) {
		if ours, theirs := owned.by(leaf.path, by.managers...); ours && !theirs && !sets[wholeOf(leaf.path).String()] && !by.ignores(at) {
			return at
		}
	}
	return ""
}

// lacks compares what is wanted with what is live. Of lists of named items, the wanted ones have to be there in the wanted
// order.
func lacks(wanted, live any, path string) error { return lacking(wanted, live, path, true) }

// lacksAnywhere is the same in any order.
func lacksAnywhere(wanted, live any, path string) error { return lacking(wanted, live, path, false) }

func lacking(wanted, live any, path string, inOrder bool) error {
	switch wanted := wanted.(type) {
	case m:
		object, _ := live.(m)
		for key, value := range wanted {
			if err := lacking(value, object[key], path+"."+key, inOrder); err != nil {
				return err
			}
		}
		return nil
	case []any:
		items, _ := live.([]any)
		if first, ok := wanted[0].(m); !ok {
			break
		} else if first["name"] == nil {
			return lacksItems(wanted, items, path)
		}
		last := -1
		for _, item := range wanted {
			name := item.(m)["name"]
			at := slices.IndexFunc(items, func(i any) bool { return i.(m)["name"] == name })
			for i := at + 1; i < len(items) && at >= 0 && !inOrder; i++ {
				if items[i].(m)["name"] == name {
					at = i // of two variables of one name, the last one counts
				}
			}
			if at < 0 || inOrder && at <= last {
				return fmt.Errorf("%s: %v is at %d, and what is before it in the program at %d", path, name, at, last)
			}
			last = at
			if err := lacking(item, items[at], fmt.Sprintf("%s[%s]", path, name), inOrder); err != nil {
				return err
			}
		}
		return nil
	}
	if strings.HasSuffix(path, ".cpu") {
		a, errA := apiquantity.ParseQuantity(fmt.Sprint(wanted))
		b, errB := apiquantity.ParseQuantity(fmt.Sprint(live))
		if errA == nil && errB == nil && a.Cmp(b) == 0 {
			return nil
		}
	}
	if asJSON(wanted) != asJSON(live) {
		return fmt.Errorf("%s is %s and not %s", path, asJSON(live), asJSON(wanted))
	}
	return nil
}

// lacksItems compares lists that belong to their owner as a whole.
func lacksItems(wanted, live []any, path string) error {
	if len(wanted) != len(live) {
		return fmt.Errorf("%s is %s and not %s", path, asJSON(live), asJSON(wanted))
	}
	for i, item := range wanted {
		if err := lacks(item, live[i], fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

func versionOf(live *unstructured.Unstructured) string {
	if live == nil {
		return ""
	}
	return live.GetResourceVersion()
}

func uidOf(live *unstructured.Unstructured) string {
	if live == nil {
		return ""
	}
	return string(live.GetUID())
}
