package releases_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// The law of draws. A value that a template draws is that of one field of one object.
//
//   - No object ever gets the value of another one.
//   - A value stays, and comes back when its object does, unless its template asks for something else or it was to be rotated.
//     An object that is renamed keeps it if nothing else in the chart comes or goes; otherwise it may have a new one.
//   - If one object goes from a file and another one comes to it, that looks like a new name, and no templates tell it from one. One that
//     comes back to a value of its own does not come.
//   - What was to be rotated never has its old value again.

// place is a field of a document, by their numbers and names.
type place struct {
	document int
	field    string
}

func (l place) String() string { return fmt.Sprintf("%s of document %d", l.field, l.document) }

// drawn is what is known of the value of a place.
type drawn struct {
	value, draw, name string
	file              int
	// there is whether the last update had it.
	there bool
	// rotated says that a rotation has named it since it was seen, and hidden that it was not there then.
	rotated, hidden bool
	// doubtful says that an update that failed may have drawn it again.
	doubtful bool
}

// draws is the table of all values that a life has seen.
type draws struct {
	at     map[place]drawn
	owners map[string]place
	// named are the names of objects and fields that have had a value.
	named map[string]bool
	// asked are the entries of rotate that have been heard.
	asked []string
}

func newDraws() draws {
	return draws{at: map[place]drawn{}, owners: map[string]place{}, named: map[string]bool{}}
}

// forget is what a destroy does: the release is another one after that.
func (d *draws) forget() {
	d.at, d.named, d.asked = map[place]drawn{}, map[string]bool{}, nil
}

// rotate hears the entries of an update.
func (d *draws) rotate(entries []string) {
	for _, entry := range entries {
		if slices.Contains(d.asked, entry) {
			continue
		}
		for at, known := range d.at {
			if at.field == entry {
				known.rotated, known.hidden = true, !known.there
				d.at[at] = known
			}
		}
	}
	d.asked = slices.Clone(entries)
}

// doubt notes that an update with these entries did not come to its end: it may have heard them, or that others are gone.
func (d *draws) doubt(entries []string) {
	for at, known := range d.at {
		if slices.Contains(entries, at.field) || slices.Contains(d.asked, at.field) {
			known.doubtful = true
			d.at[at] = known
		}
	}
}

// hears reports whether an update will draw something again that it renders.
func (d *draws) hears(m *model) bool {
	for _, document := range m.rendered() {
		for _, f := range m.fieldsOf(document) {
			if slices.Contains(m.rotate, f.name) && !slices.Contains(d.asked, f.name) && d.at[place{document.number, f.name}].value != "" {
				return true
			}
		}
	}
	return false
}

func (p *play) judgeDraws(live [2]objects) {
	m, table := &p.m, &p.draws
	if m.absent {
		table.forget()
		return
	}
	table.rotate(m.rotate)
	now := map[place]drawn{}
	for _, d := range m.rendered() {
		object := live[m.space][d.idIn(m.releaseName())]
		if object == nil || d.hook != nil {
			continue
		}
		for _, f := range m.fieldsOf(d) {
			if f.isDrawn() {
				now[place{d.number, f.name}] = drawn{value: dataOf(object)[f.name], draw: f.draw, name: d.name, file: d.file, there: true}
			}
		}
	}
	moved := table.movements(now)
	places := slices.SortedFunc(maps.Keys(now), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.document, b.document), cmp.Compare(a.field, b.field))
	})
	for _, at := range places {
		p.judgeOwner(at, now[at])
	}
	for _, at := range places {
		p.judgeDraw(at, now, moved)
	}
	for at := range table.at {
		if _, there := now[at]; !there && p.lookedAlike(at, func(int) bool { return true }) {
			delete(table.at, at) // The other one has its value.
		}
	}
	for at, known := range table.at {
		if _, there := now[at]; !there {
			known.there = false
			table.at[at] = known
		}
	}
	maps.Copy(table.at, now)
	for at, d := range now {
		table.owners[d.value] = at
		table.named[d.name+" "+at.field] = true
		p.secrets[d.value] = at.String()
	}
}

// movements are the places that are new, gone or under another name since the last update.
func (d *draws) movements(now map[place]drawn) map[place]bool {
	moved := map[place]bool{}
	for at, is := range now {
		if was, known := d.at[at]; !known || !was.there || was.name != is.name || was.draw != is.draw {
			moved[at] = true
		}
	}
	for at, was := range d.at {
		if _, there := now[at]; !there && was.there {
			moved[at] = true
		}
	}
	return moved
}

// lookedAlike reports whether a field has gone since the last update, and one like it has come in its file, of such a document.
func (p *play) lookedAlike(at place, come func(document int) bool) bool {
	for i := range len(p.since) - 1 {
		before, after := p.since[i], p.since[i+1]
		draw := p.draws.at[at].draw
		gone, new := before.drawing(at.field, draw), after.drawing(at.field, draw)
		for name := range gone {
			if _, stays := new[name]; stays {
				delete(gone, name)
				delete(new, name)
			}
		}
		for name := range new {
			if p.draws.named[name+" "+at.field] {
				delete(new, name)
			}
		}
		if len(gone) != 1 || len(new) != 1 {
			continue
		}
		for _, one := range gone {
			for _, other := range new {
				if one.number == at.document && one.file == other.file && come(other.number) {
					return true
				}
			}
		}
	}
	return false
}

// drawing are the objects for which templates draw a field, by their names. One that is switched on comes like one that is new.
func (m *model) drawing(name, draw string) map[string]document {
	all := map[string]document{}
	for _, d := range m.objects() {
		if slices.ContainsFunc(m.fieldsOf(d), func(f field) bool { return f.name == name && f.draw == draw }) {
			all[d.name] = d
		}
	}
	return all
}

// mayHaveBeen reports whether another document of the file, which is switched off under a name that no update has seen, draws such a field: it
// may be the one that had the value.
func (p *play) mayHaveBeen(at place) bool {
	of, _ := p.m.document(at.document)
	on := map[int]bool{}
	for _, d := range p.m.rendered() {
		on[d.number] = true
	}
	draws := func(d document) bool {
		return slices.ContainsFunc(p.m.fieldsOf(d), func(f field) bool { return f.name == at.field && f.isDrawn() })
	}
	return slices.ContainsFunc(p.m.documents, func(d document) bool {
		return !on[d.number] && d.file == of.file && draws(d) && p.draws.at[place{d.number, at.field}].name != d.name
	})
}

// judgeOwner wants that a value is not that of another place.
func (p *play) judgeOwner(at place, is drawn) {
	owner, owned := p.draws.owners[is.value]
	if owned && owner != at && !p.lookedAlike(owner, func(document int) bool { return document == at.document }) {
		p.breaks("draws", []string{"another's"}, "%s (%s) has the value of %s (%s)", at, is.name, owner, p.draws.at[owner].name)
	}
}

// judgeDraw wants that a value stays, or is another one if it was to be rotated.
func (p *play) judgeDraw(at place, now map[place]drawn, moved map[place]bool) {
	is := now[at]
	was, known := p.draws.at[at]
	if owner, owned := p.draws.owners[is.value]; owned && owner != at {
		return // That is told already.
	}
	if !known || was.draw != is.draw || was.doubtful || p.lookedAlike(at, func(document int) bool { return document != at.document }) {
		return
	}
	facts := []string{}
	if len(p.since) > 2 {
		facts = append(facts, "versions between")
	}
	if was.hidden {
		facts = append(facts, "hidden")
	}
	switch same := was.value == is.value; {
	case was.rotated && same:
		p.breaks("draws", append(facts, "rotated"), "%s (%s) was to be rotated, and has its old value", at, is.name)
	case was.rotated || same:
	case was.name != is.name && (len(moved) > 1 || len(p.since) > 2 || !was.there || was.file != is.file || p.mayHaveBeen(at)):
	default:
		p.breaks("draws", append(facts, "lost"), "%s (%s) has another value than before", at, is.name)
	}
}
