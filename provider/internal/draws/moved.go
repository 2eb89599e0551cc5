package draws

import (
	"maps"
	"slices"
	"strings"
)

// mostRounds is how many renderings may follow the first one. A value that moves can be the argument of another draw, whose
// value is found only then; charts do not nest them deeper.
const mostRounds = 4

// Again returns the session for another rendering of the same templates, in which each call site has the value of its place. It is
// nil if this one has them, and the rendering is final. found are the texts that the rendering has made: only then it is known what
// a value is for. If parts of them are unknown, whole is false, and nothing moves. Authorities without a private key that were asked for it
// are made again first.
func (s *Session) Again(found []Text, whole bool) *Session {
	if s.options.Missing.exchanges || s.options.Missing.apart {
		return nil
	}
	if again := s.reissued(found); again != nil || !whole {
		return again
	}
	s.places = s.find(found)
	m := s.match(found)
	s.doubtful = m.doubtful
	options, changed := m.options()
	if !changed || s.round == mostRounds {
		return nil
	}
	again := s.next(options)
	again.round++
	for to, from := range m.of {
		if from.text == to {
			continue
		}
		if earlier, is := s.moved[from.text]; is {
			delete(again.moved, from.text)
			again.moved[to] = earlier
			continue
		}
		again.moved[to] = from.text
	}
	return again
}

// Options are those with which other renderings of the same templates get the same values.
func (s *Session) Options() Options { return s.options }

// Moved returns the keys of the call sites that have got the value of another one, with the keys of those.
func (s *Session) Moved() map[string]string { return s.moved }

// Doubtful returns the keys for which values are drawn although there are some that may be theirs.
func (s *Session) Doubtful() []string { return s.doubtful }

// held is a value that is stored.
type held struct {
	key
	text string
	// age is 0 for what the last rendering has used, and more the longer nobody has used it.
	age   int
	value Value
}

// site is a call site of this rendering.
type site struct {
	key
	text      string
	arguments string
	fate      fate
	places    []string
}

// matching finds out whose value is whose.
type matching struct {
	session *Session
	objects map[string]bool
	sites   []*site
	values  []*held
	// of is the value that each site is to have, given says which values are taken.
	of       map[string]*held
	given    map[*held]bool
	doubtful []string
}

// match gives each value to the site that it belongs to.
//
// What is rendered in the same field of the same object is the same value, wherever in the templates it is drawn. Otherwise a site
// keeps its value. A site without one gets that of a site that is no longer written in the templates, if there is no other one that it
// might be, on either side.
func (s *Session) match(found []Text) *matching {
	m := &matching{session: s, objects: map[string]bool{}, of: map[string]*held{}, given: map[*held]bool{}}
	for _, text := range found {
		m.objects[text.Object] = true
	}
	for _, text := range slices.Sorted(maps.Keys(s.answers)) {
		answer := s.answers[text]
		if k, is := parseKey(text); is && answer.fate != rotated {
			m.sites = append(m.sites, &site{k, text, answer.value.Arguments, answer.fate, s.places[text]})
		}
	}
	for age, values := range append(Former{s.options.Stored}, s.options.Former...) {
		for _, text := range slices.Sorted(maps.Keys(values)) {
			if k, is := parseKey(text); is && !s.isToRotate(text) {
				m.values = append(m.values, &held{k, text, age, values[text]})
			}
		}
	}
	m.byPlace()
	m.byKey()
	m.renamed()
	m.doubt()
	return m
}

func (m *matching) give(s *site, value *held) { m.of[s.text], m.given[value] = value, true }

// fits says whether a site could have drawn a value.
func (s *site) fits(h *held) bool { return s.call == h.call && s.arguments == h.value.Arguments }

// byPlace gives sites the values that were rendered where they are now. If two could have it, neither does.
func (m *matching) byPlace() {
	sites, values := map[string][]*site{}, map[string][]*held{}
	for _, s := range m.sites {
		sites[s.call+"\n"+s.arguments] = append(sites[s.call+"\n"+s.arguments], s)
	}
	for _, h := range m.values {
		values[h.call+"\n"+h.value.Arguments] = append(values[h.call+"\n"+h.value.Arguments], h)
	}
	for call := range sites {
		for m.someByPlace(sites[call], values[call]) {
		}
	}
}

// someByPlace gives values of one call, and reports whether it has found any.
func (m *matching) someByPlace(sites []*site, values []*held) (some bool) {
	forSite := map[*site]*held{}
	forValue := map[*held]*site{}
	for _, s := range sites {
		if m.of[s.text] == nil {
			forSite[s] = best(values, func(h *held) (int, bool) { return s.agreement(h), !m.given[h] && s.isAt(h) })
		}
	}
	for _, h := range values {
		if !m.given[h] {
			forValue[h] = best(sites, func(s *site) (int, bool) { return s.agreement(h), m.of[s.text] == nil && s.isAt(h) })
		}
	}
	for s, h := range forSite {
		if h != nil && forValue[h] == s {
			m.give(s, h)
			some = true
		}
	}
	return some
}

// best returns the only one that agrees most.
func best[T any](all []*T, agreement func(*T) (int, bool)) (found *T) {
	most, single := -1, false
	for _, one := range all {
		switch agrees, is := agreement(one); {
		case !is || agrees < most:
		case agrees == most:
			single = false
		default:
			most, found, single = agrees, one, true
		}
	}
	if !single {
		return nil
	}
	return found
}

// isAt says whether a site is where a value was. One of the two may be in more places than the other.
func (s *site) isAt(h *held) bool {
	mine, theirs := decisive(s.places), decisive(h.value.Places)
	return s.fits(h) && len(mine) > 0 && len(theirs) > 0 && (within(mine, theirs) || within(theirs, mine))
}

// agreement is how much a site has in common with that of a value, which is better the younger it is.
func (s *site) agreement(h *held) int {
	agreement := -h.age
	for _, same := range []bool{s.loops() == h.loops(), s.hint == h.hint, s.object == h.object, s.number == h.number, slices.Equal(s.place, h.place)} {
		agreement *= 2
		if same {
			agreement++
		}
	}
	return agreement + 1<<20
}

// byKey leaves a site what is stored for it. An element of a list that is known by its position alone does not keep the value of
// another object, since nobody knows whether it is the same one.
func (m *matching) byKey() {
	for _, s := range m.sites {
		for _, h := range m.values {
			if m.of[s.text] != nil || h.text != s.text || !s.fits(h) || m.given[h] {
				continue
			}
			mine, theirs := decisive(s.places), decisive(h.value.Places)
			if s.isByPosition() && len(mine) > 0 && len(theirs) > 0 && !meet(mine, theirs) || m.session.options.withheld[s.text] {
				continue
			}
			m.give(s, h)
		}
	}
}

// wants are the sites without a value, free the values in use of sites that are written nowhere any more.
func (m *matching) wants() (sites []*site) {
	return slices.DeleteFunc(slices.Clone(m.sites), func(s *site) bool { return m.of[s.text] != nil })
}

func (m *matching) free() (values []*held) {
	return slices.DeleteFunc(slices.Clone(m.values), func(h *held) bool {
		return m.given[h] || h.age > 0 || m.session.options.Source.has(h.key)
	})
}

// renamed gives the value of a site that is gone to the only one that has come, if that may be its object under another name: in the same
// file, where the object of before is no longer there. Of values without places, it is enough that there is no other.
func (m *matching) renamed() {
	labels := map[string]bool{}
	for _, s := range m.sites {
		_, site := s.inFile()
		labels[labelOf(site)] = true
	}
	for _, h := range m.values {
		_, site := h.inFile()
		labels[labelOf(site)] = true
	}
	for _, sameObject := range []bool{true, false} {
		sites, values := map[string][]*site{}, map[string][]*held{}
		for _, s := range m.wants() {
			group := s.group(s.arguments, sameObject)
			sites[group] = append(sites[group], s)
		}
		for _, h := range m.free() {
			group := h.group(h.value.Arguments, sameObject)
			values[group] = append(values[group], h)
		}
		pairs := map[*site]*held{}
		for group, from := range values {
			to := sites[group]
			if group == "" || len(from) != 1 || len(to) != 1 || !sameObject && m.session.options.Source.hasElsewhere(from[0].key) {
				continue
			}
			unknown := from[0].value.Places == nil
			if unknown || !sameObject && m.isRenamed(to[0], from[0]) && !m.session.options.Source.hasAnother(from[0].key, labels) {
				pairs[to[0]] = from[0]
			}
		}
		if !sameObject {
			withdraw(pairs, sites, values)
		}
		for to, from := range pairs {
			m.give(to, from)
		}
	}
}

// withdraw takes back what an object would get of another one if it does not get all: then nobody knows whether it is the same one.
func withdraw(pairs map[*site]*held, sites map[string][]*site, values map[string][]*held) {
	doubtful := map[string]bool{}
	for group, wanting := range sites {
		for _, s := range wanting {
			if pairs[s] == nil && len(values[group]) > 0 {
				doubtful[objectOf(firstOf(s.places))] = true
			}
		}
	}
	delete(doubtful, "")
	for s := range pairs {
		if doubtful[objectOf(firstOf(s.places))] {
			delete(pairs, s)
		}
	}
}

// firstOf is the first of the places that say whose a value is; empty if there is none.
func firstOf(places []string) string {
	if of := decisive(places); len(of) > 0 {
		return of[0]
	}
	return ""
}

// group is what a site and a value have in common if one may be the other; empty if there is too little.
func (k key) group(arguments string, sameObject bool) string {
	common := []string{k.hint, k.call, k.loops(), arguments}
	if sameObject {
		if k.object == "" {
			return ""
		}
		common = append(common, k.object)
	}
	return strings.Join(common, "\n")
}

// isRenamed says whether an object with a value may have another name now.
func (m *matching) isRenamed(s *site, h *held) bool {
	return slices.Equal(s.place, h.place) && (len(s.places) > 0) == (len(h.value.Places) > 0) &&
		!slices.ContainsFunc(decisive(h.value.Places), func(place string) bool { return m.objects[objectOf(place)] })
}

// doubt finds the sites for which there was something that may be theirs.
func (m *matching) doubt() {
	candidates := map[string]bool{}
	for _, h := range m.free() {
		if !m.session.options.Source.hasElsewhere(h.key) {
			candidates[h.group(h.value.Arguments, false)] = true
		}
	}
	for _, s := range m.wants() {
		own := slices.ContainsFunc(m.values, func(h *held) bool { return h.text == s.text && s.fits(h) && h.age == 0 && !m.given[h] })
		if own || candidates[s.group(s.arguments, false)] {
			m.doubtful = append(m.doubtful, s.text)
		}
	}
}

// options are those of another rendering. They have changed if a site is to have another value than in this one.
func (m *matching) options() (Options, bool) {
	o, changed, withheld := m.session.options, false, map[string]bool{}
	for _, s := range m.wants() {
		withheld[s.text] = true
		changed = changed || s.fate != missing
	}
	stored, former, displaced := maps.Clone(o.Stored), Former{}, Values{}
	for _, values := range o.Former {
		former = append(former, maps.Clone(values))
	}
	if stored == nil {
		stored = Values{}
	}
	for to, h := range m.of {
		if to == h.text && (h.age == 0 || m.session.answers[to].value.same(h.value)) {
			continue
		}
		changed = true
		if h.age == 0 {
			delete(stored, h.text)
		} else {
			delete(former[h.age-1], h.text)
		}
	}
	for to, h := range m.of {
		if before, is := stored[to]; is && !before.same(h.value) {
			displaced[to] = before
		}
		if h.age == 0 || to != h.text || !m.session.answers[to].value.same(h.value) {
			stored[to] = h.value
		}
	}
	if len(displaced) > 0 {
		former = append(Former{displaced}, former...)
	}
	o.Stored, o.Former, o.withheld = stored, former, withheld
	return o, changed
}
