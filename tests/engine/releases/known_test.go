package releases_test

// defect is a row of the table of known defects: in which way a law is broken by it.
type defect struct {
	number, law string
	facts       []string
}

// defectsKnown are those that the search meets and goes on. Each has a story of its own. A row is as narrow as can be: what it
// does not say is new.
var defectsKnown = []defect{
	{"D140", "objects", []string{"left", "hook", "upgrades alone"}},
	{"D141", "ways out", []string{"broken state", "continued"}},
	{"D141", "previews", []string{"broken state", "continued"}},
	{"D143", "ways out", []string{"[ManagedElsewhere]", "of a delete hook"}},
	{"D143", "previews", []string{"[ManagedElsewhere]", "of a delete hook"}},
	{"D144", "ways out", []string{"[ManagedElsewhere]", "renamed in part"}},
	{"D144", "previews", []string{"[ManagedElsewhere]", "renamed in part"}},
	{"D144", "ways out", []string{"[ManagedElsewhere]", "left by a Chart of another name"}},
	{"D144", "previews", []string{"[ManagedElsewhere]", "left by a Chart of another name"}},
	{"D144", "ways out", []string{"[ManagedElsewhere]", "kept hook object of a former name"}},
	{"D144", "previews", []string{"[ManagedElsewhere]", "kept hook object of a former name"}},
	{"D145", "objects", []string{"left", "a rename was killed"}},
	{"D146", "ways out", []string{"[ManagedElsewhere]", "renamed while hooks were skipped"}},
	{"D146", "previews", []string{"[ManagedElsewhere]", "renamed while hooks were skipped"}},
	{"D162", "ways out", []string{"comes after it", "renamed in part"}},
	{"D162", "previews", []string{"comes after it", "renamed in part"}},
}

// known is the number of the defect that breaks a law in this way; empty if it is new.
func known(v violation) string {
	for _, d := range defectsKnown {
		if d.law == v.law && v.has(d.facts...) {
			return d.number
		}
	}
	return ""
}
