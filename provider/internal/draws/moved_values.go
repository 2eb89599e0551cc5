package draws

import (
	"maps"
	"slices"
	"strings"
)

// mostRounds limits the renderings after the first one. A value that moves can be the argument of another draw, whose value is found only
// in the next rendering; charts do not nest draws deeper.
const mostRounds = 4

// Again returns the session for another rendering of the same templates, in which each call site has the value of its place. It is nil if
// this rendering already has them: then it is final. found are the texts of this rendering, which show what each value is used for. Before
// values move, authorities whose unknown private key was asked for are made again.
func (s *Session) Again(found []Text) *Session {
	if s.options.Missing.exchanges || s.options.Missing.apart {
		return nil
	}
	if again := s.reissued(found); again != nil {
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

// AgainInPart is Again for a rendering of which some texts are unknown: nothing moves.
func (s *Session) AgainInPart(found []Text) *Session {
	if s.options.Missing.exchanges || s.options.Missing.apart {
		return nil
	}
	return s.reissued(found)
}

// Options are the options with which other renderings of the same templates get the same values.
func (s *Session) Options() Options { return s.options }

// Moved returns the keys of the call sites that have got a value from another call site, with the keys of the latter.
func (s *Session) Moved() map[string]string { return s.moved }

// Doubtful returns the keys for which values are drawn although stored values exist that may belong to them.
func (s *Session) Doubtful() []string { return s.doubtful }

// held is a value that is stored.
type held struct {
	key
	text string
	// age is 0 for a value that the last rendering has used. It grows with each rendering that leaves the value unused.
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

// matching finds out which value belongs to which site.
type matching struct {
	session *Session
	objects map[string]bool
	sites   []*site
	values  []*held
	// of is the value that each site should have. given are the values that are taken.
	of       map[string]*held
	given    map[*held]bool
	doubtful []string
}

// match gives each value to the site that it belongs to.
//
// Texts in the same field of the same object are the same value, wherever in the templates it is drawn. Otherwise a site keeps its value. A
// site without a value gets the value of a site that is no longer in the templates, if neither side has another candidate.
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

// fits reports whether a site could have drawn a value.
func (s *site) fits(h *held) bool { return s.call == h.call && s.arguments == h.value.Arguments }

// byPlace gives sites the values that were rendered in their current places. If two sites could have a value, neither gets it.
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

// someByPlace gives values of one kind of call to sites, and reports whether it has given any.
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

// best returns the element with the highest agreement, or nil if several have it.
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

// isAt reports whether a site is where a value was. Either of the two may be in more places than the other.
func (s *site) isAt(h *held) bool {
	mine, theirs := decisive(s.places), decisive(h.value.Places)
	return s.fits(h) && len(mine) > 0 && len(theirs) > 0 && (within(mine, theirs) || within(theirs, mine))
}

// agreement rates how much a site has in common with the former site of a value. A younger value is rated higher.
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

// byKey lets a site keep the value that is stored for it. An element of a list that is identified only by its position does not keep the
// value of another object, because it may not be the same element.
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

// wants are the sites without a value. free are the values in use whose sites are no longer in the templates.
func (m *matching) wants() (sites []*site) {
	return slices.DeleteFunc(slices.Clone(m.sites), func(s *site) bool { return m.of[s.text] != nil })
}

func (m *matching) free() (values []*held) {
	return slices.DeleteFunc(slices.Clone(m.values), func(h *held) bool {
		return m.given[h] || h.age > 0 || m.session.options.Source.has(h.key)
	})
}

// renamed gives the value of a site that is gone to a new site, if it is the only candidate and may be the same object under another name:
// it is in the same file, and the former object no longer exists. For values without places, it is enough that there is no other candidate.
func (m *matching) renamed() {
	labels := m.labels()
	for _, sameObject := range []bool{true, false} {
		sites, values := m.grouped(sameObject)
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

// grouped returns what wants a value and the values that are free, by what has to be equal for a rename.
func (m *matching) grouped(sameObject bool) (sites map[string][]*site, values map[string][]*held) {
	groupOf := key.group
	if sameObject {
		groupOf = key.groupInObject
	}
	sites, values = map[string][]*site{}, map[string][]*held{}
	for _, s := range m.wants() {
		group := groupOf(s.key, s.arguments)
		sites[group] = append(sites[group], s)
	}
	for _, h := range m.free() {
		group := groupOf(h.key, h.value.Arguments)
		values[group] = append(values[group], h)
	}
	return sites, values
}

// labels are those of all places, with and without a value.
func (m *matching) labels() map[string]bool {
	labels := map[string]bool{}
	for _, s := range m.sites {
		_, site := s.inFile()
		labels[labelOf(site)] = true
	}
	for _, h := range m.values {
		_, site := h.inFile()
		labels[labelOf(site)] = true
	}
	return labels
}

// withdraw takes back the values that one object would get from another unless it gets all of them: otherwise they may be different
// objects.
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

// firstOf is the first of the decisive places; empty if there is none.
func firstOf(places []string) string {
	if of := decisive(places); len(of) > 0 {
		return of[0]
	}
	return ""
}

// group is what a site and a value must have in common to match.
func (k key) group(arguments string) string {
	return strings.Join([]string{k.hint, k.call, k.loops(), arguments}, "\n")
}

// groupInObject is group for the same object; empty if there is no object.
func (k key) groupInObject(arguments string) string {
	if k.object == "" {
		return ""
	}
	return k.group(arguments) + "\n" + k.object
}

// isRenamed reports whether the object of a value may have another name now.
func (m *matching) isRenamed(s *site, h *held) bool {
	return slices.Equal(s.place, h.place) && (len(s.places) > 0) == (len(h.value.Places) > 0) &&
		!slices.ContainsFunc(decisive(h.value.Places), func(place string) bool { return m.objects[objectOf(place)] })
}

// doubt finds the sites without a value for which a stored value may exist.
func (m *matching) doubt() {
	candidates := map[string]bool{}
	for _, h := range m.free() {
		if !m.session.options.Source.hasElsewhere(h.key) {
			candidates[h.group(h.value.Arguments)] = true
		}
	}
	for _, s := range m.wants() {
		own := slices.ContainsFunc(m.values, func(h *held) bool { return h.text == s.text && s.fits(h) && h.age == 0 && !m.given[h] })
		if own || candidates[s.group(s.arguments)] {
			m.doubtful = append(m.doubtful, s.text)
		}
	}
}

// options are the options of another rendering. They have changed if a site should have another value than in this rendering.
func (m *matching) options() (Options, bool) {
	o, changed, withheld := m.session.options, false, map[string]bool{}
	for _, s := range m.wants() {
		withheld[s.text] = true
		changed = changed || s.fate != missing
	}
	stored, former, moved := m.withoutMoved()
	changed = changed || moved
	displaced := Values{}
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

// withoutMoved returns copies of the stored and the former values without those that go to another place.
func (m *matching) withoutMoved() (stored Values, former Former, moved bool) {
	stored = maps.Clone(m.session.options.Stored)
	if stored == nil {
		stored = Values{}
	}
	former = Former{}
	for _, values := range m.session.options.Former {
		former = append(former, maps.Clone(values))
	}
	for to, h := range m.of {
		if to == h.text && (h.age == 0 || m.session.answers[to].value.same(h.value)) {
			continue
		}
		moved = true
		if h.age == 0 {
			delete(stored, h.text)
		} else {
			delete(former[h.age-1], h.text)
		}
	}
	return stored, former, moved
}
