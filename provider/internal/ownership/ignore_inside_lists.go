package ownership

import "k8s.io/apimachinery/pkg/runtime"

// overlayList pairs the items of both lists by what is not ignored of them, copies the ignored parts of each pair, and puts the
// live items that are ignored as a whole where they are.
func overlayList(wanted, live []any, paths [][]selector) (any, error) {
	pairing := newPairing(itemsOf(wanted, paths), itemsOf(live, paths))
	pairing.pair(func(own, theirs item) bool { return Equal(own.rest, theirs.rest) })
	pairing.pair(func(own, theirs item) bool { return isPartOf(own.rest, theirs.rest) })
	pairing.pair(func(own, theirs item) bool { return sameName(own.rest, theirs.rest) })
	if err := pairing.pairRest(); err != nil {
		return nil, err
	}
	result := make([]any, 0, len(wanted))
	for i, v := range wanted {
		own, with := pairing.own[i], pairing.with[i]
		if own.whole {
			continue // replaced by the live one
		}
		if with >= 0 && len(own.below) > 0 {
			var err error
			if v, err = overlay(v, live[with], own.below); err != nil {
				return nil, err
			}
		}
		result = append(result, v)
	}
	for j, v := range live {
		if pairing.theirs[j].whole {
			at := min(j, len(result))
			result = append(result[:at], append([]any{runtime.DeepCopyJSONValue(v)}, result[at:]...)...)
		}
	}
	return result, nil
}

// item is an item of a list of which a part may be ignored.
type item struct {
	// below are the paths to the parts that are ignored.
	below [][]selector
	// whole means that all of it is.
	whole bool
	// rest is the item without these parts.
	rest any
}

func itemsOf(list []any, paths [][]selector) []item {
	items := make([]item, len(list))
	for i, v := range list {
		items[i].rest = runtime.DeepCopyJSONValue(v)
		for _, steps := range paths {
			switch {
			case !steps[0].selects(v):
			case len(steps) == 1:
				items[i].whole = true
			default:
				items[i].below = append(items[i].below, steps[1:])
				items[i].rest = prune(items[i].rest, steps[1:])
			}
		}
	}
	return items
}

// pairing says which items of the wanted and the live list are the same.
type pairing struct {
	own, theirs []item
	// with is the live item of each wanted one, or -1.
	with []int
	used []bool
}

func newPairing(own, theirs []item) *pairing {
	p := &pairing{own: own, theirs: theirs, with: make([]int, len(own)), used: make([]bool, len(theirs))}
	for i := range p.with {
		p.with[i] = -1
	}
	return p
}

// pair pairs items that fit and have no partner yet.
func (p *pairing) pair(fits func(own, theirs item) bool) {
	for i := range p.own {
		for j := range p.theirs {
			if p.with[i] < 0 && !p.used[j] && !p.own[i].whole && !p.theirs[j].whole && fits(p.own[i], p.theirs[j]) {
				p.with[i], p.used[j] = j, true
			}
		}
	}
}

// pairRest pairs by their positions what is left and has ignored parts, or fails if positions do not tell.
func (p *pairing) pairRest() error {
	var alone, left []int
	for i, own := range p.own {
		if p.with[i] < 0 && own.isPartlyIgnored() {
			alone = append(alone, i)
		}
	}
	for j, theirs := range p.theirs {
		if !p.used[j] && theirs.isPartlyIgnored() {
			left = append(left, j)
		}
	}
	if len(alone) != len(left) || len(p.own) != len(p.theirs) {
		if len(alone) > 0 && len(left) > 0 {
			return ErrNoMatch
		}
		return nil
	}
	for n, i := range alone {
		if i != left[n] {
			return ErrNoMatch
		}
		p.with[i] = left[n]
	}
	return nil
}

func (i item) isPartlyIgnored() bool { return !i.whole && len(i.below) > 0 }

// isPartOf reports whether whole contains everything in part: the API server may have added defaults.
func isPartOf(part, whole any) bool {
	switch part := part.(type) {
	case map[string]any:
		object, ok := whole.(map[string]any)
		if !ok {
			return false
		}
		for name, v := range part {
			if other, ok := object[name]; !ok || !isPartOf(v, other) {
				return false
			}
		}
		return true
	case []any:
		list, ok := whole.([]any)
		if !ok || len(list) != len(part) {
			return false
		}
		for i, v := range part {
			if !isPartOf(v, list[i]) {
				return false
			}
		}
		return true
	default:
		return Equal(part, whole)
	}
}

// sameName reports whether two items have the same name or key.
func sameName(a, b any) bool {
	one, ok := a.(map[string]any)
	other, too := b.(map[string]any)
	if !ok || !too {
		return false
	}
	for _, key := range []string{"name", "key", "id"} {
		if v, has := one[key]; has && isScalar(v) {
			return Equal(v, other[key])
		}
	}
	return false
}
