package releases_test

import (
	"fmt"
	"slices"
	"strings"
)

// change is what somebody does to the program or the chart. The numbers choose; a change that is not possible does nothing, so
// that a life can be told again without some of its steps.
type change func(m *model, a, b int)

// changes are all of them, with how often they are drawn.
var changes = map[string]struct {
	weight int
	do     change
}{
	"add a document":            {12, func(m *model, a, b int) { m.add(a, b) }},
	"add a hook":                {7, func(m *model, a, b int) { m.addHook(a, b) }},
	"add what needs a hook":     {2, func(m *model, a, b int) { m.addNeeding(a, b) }},
	"add an operator":           {2, func(m *model, a, b int) { m.addOperator(a, b) }},
	"remove a document":         {8, removeDocument},
	"bring a document back":     {6, bringBack},
	"rename a document":         {9, renameDocument},
	"move to another file":      {2, func(m *model, a, b int) { m.with(a, func(d *document) { d.file = b % 3 }) }},
	"reorder the documents":     {2, reorder},
	"switch":                    {9, flip},
	"change a value":            {5, changeValue},
	"draw a longer value":       {1, drawLonger},
	"change the users":          {3, changeUsers},
	"reweigh a hook":            {2, func(m *model, a, b int) { m.withHook(a, func(d *document) { d.hook.weight = b%7 - 3 }) }},
	"change the events of hook": {4, changeEvents},
	"a hook fails":              {3, func(m *model, a, b int) { m.withImage(a, fmt.Sprintf("fails:%d", b%9)) }},
	"a hook is repaired":        {4, repairHook},
	"move to another namespace": {3, func(m *model, _, b int) { m.space = b % 2 }},
	"rename the Chart":          {1, renameChart},
	"rename the release":        {1, func(m *model, _, b int) { m.release = fmt.Sprintf("rel%d", b%3) }},
	"skip hooks":                {1, func(m *model, _, _ int) { m.skipHooks = !m.skipHooks }},
	"rotate":                    {5, rotate},
	"go back":                   {3, goBack},
	"no Chart":                  {1, func(m *model, _, _ int) { m.absent = !m.absent }},
	"change the set":            {3, changeSet},
	"rename the set":            {1, renameSet},
	"change the objects beside": {2, func(m *model, _, _ int) { m.config++ }},
	"change the Task":           {7, changeChore},
}

func (m *model) with(number int, do func(*document)) {
	if len(m.documents) > 0 {
		do(&m.documents[number%len(m.documents)])
	}
}

func (m *model) withHook(number int, do func(*document)) {
	hooks := []*document{}
	for i := range m.documents {
		if m.documents[i].isJob() {
			hooks = append(hooks, &m.documents[i])
		}
	}
	if len(hooks) > 0 {
		do(hooks[number%len(hooks)])
	}
}

func (m *model) withImage(number int, image string) {
	m.withHook(number, func(d *document) { d.image = image })
}

// changeEvents changes those of the hook that fails, if one does: so people repair what has failed.
func changeEvents(m *model, a, b int) {
	for i := range m.documents {
		if d := &m.documents[i]; d.isJob() && strings.HasPrefix(d.image, "fails:") {
			d.image, d.hook.events = strings.Replace(d.image, "fails:", "hook:", 1), eventsOf(b)
			return
		}
	}
	m.withHook(a, func(d *document) { d.hook.events = eventsOf(b) })
}

// goBack has the documents of the version before the one that was brought up last.
func goBack(m *model, _, _ int) {
	if m.earlier == nil {
		return
	}
	m.documents = copies(m.earlier)
	m.removed = slices.DeleteFunc(m.removed, func(d document) bool { _, there := m.document(d.number); return there })
}

func repairHook(m *model, a, b int) {
	for i := range m.documents {
		if d := &m.documents[i]; d.isJob() && strings.HasPrefix(d.image, "fails:") {
			d.image = fmt.Sprintf("hook:%d", b%9)
			return
		}
	}
	m.withImage(a, fmt.Sprintf("hook:%d", b%9))
}

func (m *model) number() int { m.next++; return m.next }

// add adds an object with data, some drawn, or a workload of them.
func (m *model) add(a, b int) {
	n := m.number()
	d := document{number: n, kind: "Secret", name: fmt.Sprintf("%s%d", []string{"admin", "web", "cache", "zoo"}[a%4], n), prefixed: a/4%3 == 0, file: b % 3}
	if b/3%3 == 0 {
		d.toggle = fmt.Sprintf("on%d", n)
		m.toggles[d.toggle] = b/9%3 > 0
	}
	draws := []string{drawShort, drawShort, drawShort, drawUUID, drawKey, drawLong, drawShort, drawCA}
	if a/5 < 15 { // a certificate is dear
		draws = draws[:7]
	}
	switch a / 12 % 8 {
	case 0, 1, 2:
		d.fields = []field{{name: "password", draw: draws[b/30%len(draws)]}}
	case 3:
		d.fields = []field{{name: "password", draw: drawShort}, {name: "token", draw: draws[b/30%len(draws)]}, {name: "rev", literal: "0"}}
	case 4:
		d.fields = []field{{users: true}, {name: "given", password: true}}
	case 5:
		d.kind, d.fields = "ConfigMap", []field{{name: "salt", draw: draws[b/30%len(draws)]}, {name: "rev", literal: "0"}}
	case 6:
		d.kind, d.fields = "ConfigMap", []field{{name: "rev", literal: "0"}}
	case 7:
		d.kind, d.image, d.uses = "Deployment", "web:1", m.some("ConfigMap", b/4)
		if b%4 == 0 {
			d.kind, d.uses = "PersistentVolumeClaim", 0
		}
	}
	m.documents = append(m.documents, d)
}

// addHook adds a Job of some events, or what Jobs need.
func (m *model) addHook(a, b int) {
	n := m.number()
	d := document{
		number: n, kind: "Job", name: fmt.Sprintf("%s%d", []string{"migrate", "begin", "seed"}[a%3], n), file: b % 3,
		// What stays of a release is not in the way of one with another name.
		prefixed: true,
		image:    "hook:0", hook: &hook{events: eventsOf(b), weight: a%7 - 3},
	}
	d.hook.policies = []string{"", "", "before-hook-creation", "hook-succeeded", "before-hook-creation,hook-succeeded"}[b/7%5]
	switch a / 7 % 4 {
	case 0:
		d.kind, d.image, d.fields = "ConfigMap", "", []field{{name: "rev", literal: "0"}}
	case 1:
		d.kind, d.image = "ServiceAccount", ""
		d.hook.weight -= 5
	default:
		d.uses = m.some("ServiceAccount", b)
		if account, found := m.document(d.uses); found && b%2 == 0 { // as charts have it
			d.hook.events = slices.Clone(account.hook.events)
			d.hook.weight = max(d.hook.weight, account.hook.weight+1)
		} else {
			d.uses = 0
		}
	}
	m.documents = append(m.documents, d)
}

// addNeeding adds a workload that needs an object that a hook after the objects makes and leaves, and a Job of that event.
func (m *model) addNeeding(a, b int) {
	events := [][]string{{"post-install"}, {"post-install", "post-upgrade"}}[a%2]
	made := document{
		number: m.number(), kind: "ConfigMap", prefixed: true, file: b % 3, fields: []field{{name: "rev", literal: "0"}},
		hook: &hook{events: events, weight: -5},
	}
	made.name = fmt.Sprintf("settings%d", made.number)
	ends := document{
		number: m.number(), kind: "Job", prefixed: true, file: a % 3, image: "hook:0", hook: &hook{events: slices.Clone(events), weight: b % 3},
	}
	ends.name = fmt.Sprintf("welcome%d", ends.number)
	needs := document{number: m.number(), kind: "Deployment", file: b / 3 % 3, image: "web:1", uses: made.number}
	needs.name = fmt.Sprintf("needs%d", needs.number)
	m.documents = append(m.documents, made, ends, needs)
}

// addOperator adds a workload that may be the operator of a custom resource, which is a hook, and a Job that comes after that.
func (m *model) addOperator(a, b int) {
	events := eventsOf(a % 6)
	operator := document{number: m.number(), kind: "Deployment", file: b % 3, image: "web:1", operates: true}
	operator.name = fmt.Sprintf("operator%d", operator.number)
	operated := document{
		number: m.number(), kind: shop, prefixed: true, file: a % 3, fields: []field{{name: "rev", literal: "0"}}, hook: &hook{events: events, weight: -5},
	}
	operated.name = fmt.Sprintf("stand%d", operated.number)
	ends := document{
		number: m.number(), kind: "Job", prefixed: true, file: b / 3 % 3, image: "hook:0", hook: &hook{events: slices.Clone(events), weight: b % 3},
	}
	ends.name = fmt.Sprintf("count%d", ends.number)
	m.documents = append(m.documents, operator, operated, ends)
}

// some is the number of a document of a kind, or 0.
func (m *model) some(kind string, choice int) int {
	numbers := []int{0}
	for _, d := range m.documents {
		if d.kind == kind {
			numbers = append(numbers, d.number)
		}
	}
	return numbers[choice%len(numbers)]
}

func eventsOf(choice int) []string {
	return slices.Clone([][]string{
		{"pre-install"}, {"post-install"}, {"pre-install", "pre-upgrade"}, {"post-install", "post-upgrade"}, {"pre-upgrade"}, {"post-upgrade"},
		{"pre-delete"}, {"post-delete"}, {"pre-install", "pre-delete"},
	}[choice%9])
}

func removeDocument(m *model, a, _ int) {
	if len(m.documents) > 0 {
		i := a % len(m.documents)
		m.removed = append(m.removed, m.documents[i])
		m.documents = slices.Delete(m.documents, i, i+1)
	}
}

func bringBack(m *model, a, _ int) {
	if len(m.removed) > 0 {
		i := a % len(m.removed)
		m.documents = append(m.documents, m.removed[i])
		m.removed = slices.Delete(m.removed, i, i+1)
	}
}

func renameDocument(m *model, a, b int) {
	n := m.number()
	if i := slices.IndexFunc(m.documents, func(d document) bool { return len(d.fields) > 0 && d.fields[0].isDrawn() }); i >= 0 && b%2 == 0 {
		m.documents[i].name = fmt.Sprintf("%s%d", []string{"alpha", "shop", "zeta"}[a%3], n)
		return
	}
	m.with(a, func(d *document) { d.name = fmt.Sprintf("%s%d", []string{"alpha", "shop", "zeta"}[b%3], n) })
}

func reorder(m *model, a, _ int) {
	if n := len(m.documents); n > 1 {
		i, j := a%n, a/n%n
		m.documents[i], m.documents[j] = m.documents[j], m.documents[i]
	}
}

func flip(m *model, a, _ int) {
	toggles := []string{}
	for _, d := range m.documents {
		if d.toggle != "" {
			toggles = append(toggles, d.toggle)
		}
	}
	if len(toggles) > 0 {
		toggle := toggles[a%len(toggles)]
		m.toggles[toggle] = !m.toggles[toggle]
	}
}

func changeValue(m *model, a, b int) {
	m.with(a, func(d *document) {
		if d.kind == "Deployment" {
			d.image = fmt.Sprintf("web:%d", b%9)
		}
		for i := range d.fields {
			if d.fields[i].name == "rev" {
				d.fields[i].literal = fmt.Sprint(b % 9)
			}
		}
	})
}

func drawLonger(m *model, a, _ int) {
	m.with(a, func(d *document) {
		for i := range d.fields {
			if d.fields[i].draw == drawShort {
				d.fields[i].draw = drawLong
				return
			}
		}
	})
}

func changeUsers(m *model, a, b int) {
	user := fmt.Sprintf("user%d", b%5)
	switch i := slices.Index(m.users, user); {
	case i < 0:
		m.users = slices.Insert(m.users, a%(len(m.users)+1), user)
	case a%2 == 0:
		m.users = slices.Delete(m.users, i, i+1)
	default:
		slices.Reverse(m.users)
	}
}

func renameChart(m *model, a, _ int) {
	if m.release == "" && a%3 > 0 {
		m.release = m.releaseName()
	}
	m.former, m.resource = append(m.former, m.resource), fmt.Sprintf("shop%d", m.number())
}

func rotate(m *model, a, _ int) {
	if len(m.rotate) > 0 {
		m.rotate = nil
		return
	}
	m.rotate = []string{[]string{"password", "password", "token", "salt"}[a%4]}
}

func changeSet(m *model, a, b int) {
	n := m.number()
	one := document{number: n, kind: "ConfigMap", name: fmt.Sprintf("set%d", n), fields: []field{{name: "rev", literal: fmt.Sprint(b % 9)}}}
	switch len(m.set) {
	case 0:
		m.set = append(m.set, one)
	default:
		i := a % len(m.set)
		switch b % 4 {
		case 0:
			m.set = slices.Delete(m.set, i, i+1)
		case 1:
			m.set[i].name = one.name
		case 2:
			m.set[i].fields[0].literal += "x"
		default:
			m.set = append(m.set, one)
		}
	}
}

func renameSet(m *model, _, _ int) {
	m.setFormer, m.setName = append(m.setFormer, m.setName), fmt.Sprintf("set%d", m.number())
}

func changeChore(m *model, a, b int) {
	runOn := [][]string{{"create"}, {"create", "update"}, {"delete"}, {"update"}, {"create", "delete"}}[b%5]
	switch {
	case m.chore == nil:
		m.chores++ // another resource, as one that was removed may run at its end
		m.chore = &chore{image: "hook:0", runOn: runOn}
	case a%8 == 0:
		m.chore = nil
	case a%8 < 3:
		m.chore.runOn = runOn
	case a%8 < 5:
		m.chore.image = "fails:0"
	default:
		m.chore.image = "hook:0"
		m.chore.rev++
	}
}
