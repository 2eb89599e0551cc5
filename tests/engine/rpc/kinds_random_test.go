package rpc_test

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	// mostChanges is how many fields someone changes at once, mostTries how many values are tried for one, and
	// mostPruned how many parts of a manifest are left out.
	mostChanges, mostTries, mostPruned = 5, 8, 12
)

// meddle chooses changes that the API server lets someone make, each for itself: a field that it refuses to change,
// that it sets back, or that changes another field too, is passed over. Whoever changes the key of an item has removed
// that item and added one of his own, so items are removed and keys not changed.
func (c *kindCase) meddle(t *testing.T, random *rand.Rand, units []unit, live *unstructured.Unstructured) []change {
	t.Helper()
	wanted := 1 + random.IntN(mostChanges)
	now := live.DeepCopy()
	var chosen []change
	for _, at := range random.Perm(len(units)) {
		u := units[at]
		value, depth := locate(now.Object, u.steps)
		if len(chosen) == wanted {
			break
		}
		if u.key || u.shell || c.isOneWay(u) || depth < len(u.steps) || slices.ContainsFunc(chosen, func(c change) bool { return within(c.steps, u.steps) }) {
			continue
		}
		for tries, candidate := range candidates(random, u, value) {
			if tries == mostTries {
				break
			}
			after := now.DeepCopy()
			candidate.make(after.Object)
			if !c.possible(t, now, after) {
				c.refused++
				continue
			}
			now, chosen = after, append(chosen, candidate)
			c.changed++
			c.reachedBeyondMetadata = c.reachedBeyondMetadata || u.steps[0] != "f:metadata"
			break
		}
	}
	return chosen
}

// oneWay are fields that the API server lets anybody change in one direction only (a claim grows), that make others
// immutable when they are changed (a Job that is not suspended), or that may be changed only together with another. Nobody
// can put them right. A definition that serves no version is not deleted, because nobody can see its objects.
var oneWay = map[string][]string{
	"job":                   {"f:suspend", "f:completions"},
	"pod":                   {"f:activeDeadlineSeconds", "f:tolerations", "f:schedulingGates"},
	"persistentvolumeclaim": {"f:resources"},

	"customresourcedefinition": {"f:served"},
}

func (c *kindCase) isOneWay(u unit) bool {
	return slices.ContainsFunc(u.steps, func(step string) bool { return slices.Contains(oneWay[c.name], step) })
}

// possible reports whether the API server makes just this of an object.
func (c *kindCase) possible(t *testing.T, before, after *unstructured.Unstructured) bool {
	t.Helper()
	if asJSON(substance(before)) == asJSON(substance(after)) {
		return false
	}
	answer, err := c.replace(t, after, true)
	for apierrors.IsConflict(err) { // a controller has written the status meanwhile
		var live *unstructured.Unstructured
		if live, err = c.get(t); err == nil {
			after.SetResourceVersion(live.GetResourceVersion())
			answer, err = c.replace(t, after, true)
		}
	}
	return err == nil && asJSON(substance(answer)) == asJSON(substance(after))
}

// candidates are changes of a unit to try.
func candidates(random *rand.Rand, u unit, value any) []change {
	removal := change{steps: u.steps, remove: true}
	if u.item {
		return []change{removal}
	}
	var tries []change
	for _, other := range others(random, value) {
		// An item that is owned as a whole has its keys inside.
		if last := u.steps[len(u.steps)-1]; agreement(other, last) == len(keysOf(last)) {
			tries = append(tries, change{steps: u.steps, value: other})
		}
	}
	if random.IntN(4) == 0 {
		return append([]change{removal}, tries...)
	}
	return append(tries, removal)
}

// words are the values of which a field takes only some.
var words = [][]string{
	{"TCP", "UDP", "SCTP"}, {"Always", "IfNotPresent", "Never", "OnFailure"}, {"Retain", "Delete"}, {"Ignore", "Fail"},
	{"Exact", "Equivalent", "Prefix", "ImplementationSpecific"}, {"RollingUpdate", "Recreate", "OnDelete"},
	{"Local", "Cluster"}, {"Allow", "Forbid", "Replace", "Deny"}, {"In", "NotIn"}, {"Exists", "DoesNotExist"},
	{"Normal", "Warning"}, {"AlwaysAllow", "IfHealthyBudget"}, {"red", "green", "blue"}, {"None", "NoneOnDryRun"},
	{"Max", "Min", "Disabled"}, {"Percent", "Pods"}, {"PreferClose", "PreferSameZone"}, {"HTTP", "HTTPS"},
	{"NoSchedule", "PreferNoSchedule", "NoExecute"}, {"CREATE", "UPDATE", "DELETE"}, {"true", "false"}, {"File", "Never"},
	{"ClusterFirst", "Default"}, {"OldestEmulationVersion", "Other"}, {"DoNotSchedule", "ScheduleAnyway"}, {"IfNeeded", "Never"},
	{"FailJob", "Ignore", "Count"}, {"ReadWriteOnce", "ReadOnlyMany"}, {"Delete", "Retain"}, {"DirectoryOrCreate", "Directory"},
}

var (
	firstNumber = regexp.MustCompile(`\d+`)
	lastNumber  = regexp.MustCompile(`\d+(\D*)$`)
)

// others are values of the same type that a field may take as well. Of a list or map that is owned as a whole, one value
// inside is another one.
func others(random *rand.Rand, value any) []any {
	var result []any
	switch value := value.(type) {
	case string:
		for _, alike := range words {
			if slices.Contains(alike, value) {
				for _, word := range alike {
					result = append(result, word)
				}
			}
		}
		result = append(result, value+"x", value+"-x", "x"+value, firstNumber.ReplaceAllStringFunc(value, increment),
			lastNumber.ReplaceAllStringFunc(value, func(text string) string {
				digits := firstNumber.FindString(text)
				return increment(digits) + text[len(digits):]
			}), value+"1", "eHh4"+value)
	case bool:
		result = append(result, !value)
	case int64:
		result = append(result, value+1, value-1)
	case float64:
		result = append(result, value+1, value/2)
	case map[string]any:
		for _, key := range shuffledKeys(random, value) {
			for _, other := range others(random, value[key]) {
				whole := runtime.DeepCopyJSON(value)
				whole[key] = other
				result = append(result, whole)
			}
		}
	case []any:
		for _, i := range random.Perm(len(value)) {
			for _, other := range others(random, value[i]) {
				whole := runtime.DeepCopyJSONValue(value).([]any)
				whole[i] = other
				result = append(result, whole)
			}
		}
		if len(value) > 1 {
			result = append(result, slices.Clone(value[:len(value)-1]))
		}
	}
	return result
}

func increment(digits string) string {
	number, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return digits
	}
	return strconv.FormatUint(number+1, 10)
}

func shuffledKeys(random *rand.Rand, object map[string]any) []string {
	keys := slices.Sorted(maps.Keys(object))
	random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys
}

// prune leaves out parts of a manifest at random, those that the API server can do without.
func (c *kindCase) prune(t *testing.T, random *rand.Rand, manifest map[string]any) map[string]any {
	t.Helper()
	for range random.IntN(mostPruned) {
		places := parts(manifest, nil)
		if len(places) == 0 {
			break
		}
		if smaller := without(manifest, places[random.IntN(len(places))]); c.accepts(t, smaller) {
			manifest = smaller
		}
	}
	return manifest
}

// parts are the places of a manifest that may be left out, the larger ones first.
func parts(tree any, above []any) [][]any {
	var places [][]any
	visit := func(segment, child any) {
		place := append(slices.Clone(above), segment)
		if segment == "served" {
			return // see oneWay
		}
		switch asJSON(place) {
		case `["apiVersion"]`, `["kind"]`, `["metadata","name"]`, `["metadata","namespace"]`:
			return
		case `["metadata"]`:
		default:
			places = append(places, place)
		}
		places = append(places, parts(child, place)...)
	}
	switch tree := tree.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(tree)) {
			visit(key, tree[key])
		}
	case []any:
		for i, item := range tree {
			visit(i, item)
		}
	}
	return places
}

// without is a manifest without the part at the place.
func without(manifest map[string]any, place []any) map[string]any {
	smaller := runtime.DeepCopyJSON(manifest)
	cut(smaller, place)
	return smaller
}

func cut(tree any, place []any) any {
	last := len(place) == 1
	switch tree := tree.(type) {
	case map[string]any:
		name := place[0].(string)
		if last {
			delete(tree, name)
		} else {
			tree[name] = cut(tree[name], place[1:])
		}
	case []any:
		at := place[0].(int)
		if last {
			return append(slices.Clone(tree[:at]), tree[at+1:]...)
		}
		tree[at] = cut(tree[at], place[1:])
	}
	return tree
}

// shrinking is how long a failure is made smaller.
const shrinking = time.Minute

// shrink tells a story that failed again with less of everything, as long as it fails in the same step.
func (c *kindCase) shrink(t *testing.T, smallest told) told {
	t.Helper()
	deadline := time.Now().Add(shrinking)
	fails := func(manifest map[string]any, changes []change) bool {
		again := c.tell(t, manifest, func(units []unit, _ *unstructured.Unstructured) []change {
			return slices.DeleteFunc(slices.Clone(changes), func(wanted change) bool {
				return !slices.ContainsFunc(units, func(u unit) bool { return slices.Equal(u.steps, wanted.steps) })
			})
		})
		same := again.err != nil && again.err.step == smallest.err.step
		if same {
			smallest = again
		}
		return same
	}
	for shrunk := true; shrunk; {
		shrunk = false
		for i := 0; i < len(smallest.changes) && time.Now().Before(deadline); i++ {
			fewer := slices.Concat(smallest.changes[:i], smallest.changes[i+1:])
			shrunk = fails(smallest.manifest, fewer) || shrunk
		}
		for i := 0; time.Now().Before(deadline); {
			places := parts(smallest.manifest, nil)
			if i >= len(places) {
				break
			}
			smaller := without(smallest.manifest, places[i])
			if c.accepts(t, smaller) && fails(smaller, smallest.changes) {
				shrunk = true // another place is there now
			} else {
				i++
			}
		}
	}
	return smallest
}
