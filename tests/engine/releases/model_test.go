package releases_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// document is one object of a chart, a document in a template. Its number is its identity: another name, file or switch does
// not make it another one. No two have ever had the same name.
type document struct {
	number int
	kind   string
	name   string
	// prefixed means that the name of the release is in front of it.
	prefixed bool
	file     int
	// toggle is the value that switches it on; it has none if that is empty.
	toggle string
	fields []field
	// uses is the number of the document that a workload has in its environment, or whose account a Job has; 0 for none.
	uses int
	// operates means that a workload may write custom resources, so that it may be their operator.
	operates bool
	// image is what a Job runs.
	image string
	hook  *hook
}

// field is one of the data of a document.
type field struct {
	name string
	// draw is the template that draws it, literal what it is otherwise. The other two are the password among the values, and a
	// field for each of the users.
	draw, literal   string
	password, users bool
}

func (f field) isDrawn() bool { return f.draw != "" || f.users }

// hook says that a document is one.
type hook struct {
	events   []string
	weight   int
	policies string
}

// The draws of templates. A certificate takes a tenth of a second, so there are few.
const (
	drawShort = "{{ randAlphaNum 16 | quote }}"
	drawLong  = "{{ randAlphaNum 24 | quote }}"
	drawUUID  = "{{ uuidv4 | quote }}"
	drawKey   = `{{ genPrivateKey "ecdsa" | quote }}`
	drawCA    = `{{ (genCA "releases" 3650).Cert | quote }}`
	drawUser  = "{{ randAlphaNum 12 | quote }}"
)

func (d document) isJob() bool { return d.kind == "Job" }

// isKept says that the object of a hook stays when its event is over, as Helm has it.
func (d document) isKept() bool {
	return d.hook != nil && !d.isJob() && !strings.Contains(d.hook.policies, "hook-succeeded") && d.on("pre-install", "post-install")
}

// on says whether a hook is one of these events.
func (d document) on(events ...string) bool {
	return d.hook != nil && slices.ContainsFunc(events, func(e string) bool { return slices.Contains(d.hook.events, e) })
}

// nameIn is its name in a release.
func (d document) nameIn(release string) string {
	if d.prefixed {
		return release + "-" + d.name
	}
	return d.name
}

func (d document) idIn(release string) string { return d.kind + "/" + d.nameIn(release) }

// template is its text. of finds other documents.
func (d document) template(of func(int) (document, bool)) string {
	name := d.name
	if d.prefixed {
		name = "{{ .Release.Name }}-" + d.name
	}
	annotations := []string{}
	if d.hook != nil {
		annotations = append(annotations, on(strings.Join(d.hook.events, ",")), weighing(d.hook.weight))
		if d.hook.policies != "" {
			annotations = append(annotations, deletedWhen(d.hook.policies))
		}
	}
	used := ""
	if other, found := of(d.uses); found {
		if used = other.name; other.prefixed {
			used = "{{ .Release.Name }}-" + other.name
		}
	}
	text := ""
	switch d.kind {
	case "Job":
		text = hookOf(name, d.image, used, annotations...)
	case "Deployment":
		if used == "" {
			used = "none"
		}
		text = workload(name, used)
		text = strings.Replace(text, `image: "web:1"`, fmt.Sprintf("image: %q", d.image), 1)
		if d.operates {
			text += operator(name)
		}
	case "PersistentVolumeClaim":
		text = "---\n" + strings.ReplaceAll(claim, "{{ .Release.Name }}-data", name)
	default:
		text = plain(d.kind, name, "", annotations...) + d.data()
		if d.kind == shop {
			text = strings.Replace(text, "apiVersion: v1", "apiVersion: "+shopGroup+"/v1", 1)
		}
	}
	if d.toggle != "" {
		text = "---\n{{- if .Values." + d.toggle + " }}\n" + strings.TrimPrefix(text, "---\n") + "{{- end }}\n"
	}
	return text
}

// operator are the permissions that let the account of a workload write custom resources.
func operator(name string) string {
	return fmt.Sprintf(`---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: %[1]s }
rules: [{ apiGroups: [%[2]s], resources: [shops], verbs: ["*"] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: %[1]s }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: %[1]s }
subjects: [{ kind: ServiceAccount, name: default }]
`, name, shopGroup)
}

func (d document) data() string {
	if len(d.fields) == 0 {
		return ""
	}
	text := "data:\n"
	if d.kind == "Secret" {
		text = "stringData:\n"
	}
	for _, f := range d.fields {
		switch {
		case f.users:
			text += "{{- range .Values.users }}\n  {{ .name }}: " + drawUser + "\n{{- end }}\n"
		case f.password:
			text += "  " + f.name + ": {{ .Values.password | quote }}\n"
		case f.draw != "":
			text += "  " + f.name + ": " + f.draw + "\n"
		default:
			text += fmt.Sprintf("  %s: %q\n", f.name, f.literal)
		}
	}
	return text
}

// model is the program of a life.
type model struct {
	documents []document
	removed   []document
	// written are the documents that were brought up last, and earlier those of the version before.
	written, earlier []document
	toggles          map[string]bool
	users            []string
	version          int
	next             int // number of a document

	// resource is the name of the Chart, former those that it has as aliases. release is the releaseName; without one, it is
	// that of the resource when it was installed, which the state keeps when the resource is renamed.
	resource, release string
	kept              string
	former            []string
	space             int // number of the namespace
	absent, skipHooks bool
	rotate            []string

	set       []document // of Manifests
	setName   string
	setFormer []string
	config    int // version of the objects beside; 0 for none
	chore     *chore
	chores    int // counts them: each is another resource
}

// chore is a Task of the program.
type chore struct {
	image string
	runOn []string
	rev   int
}

func (m *model) clone() model {
	c := *m
	c.documents, c.removed, c.set = copies(m.documents), copies(m.removed), copies(m.set)
	c.toggles, c.users, c.rotate = maps.Clone(m.toggles), slices.Clone(m.users), slices.Clone(m.rotate)
	c.former, c.setFormer = slices.Clone(m.former), slices.Clone(m.setFormer)
	if m.chore != nil {
		one := *m.chore
		c.chore = &one
	}
	return c
}

func copies(documents []document) []document {
	all := slices.Clone(documents)
	for i := range all {
		all[i].fields = slices.Clone(all[i].fields)
		if all[i].hook != nil {
			one := *all[i].hook
			all[i].hook = &one
		}
	}
	return all
}

// releaseName is that of the release.
func (m *model) releaseName() string {
	return cmp.Or(m.release, m.kept, m.resource)
}

func (m *model) document(number int) (document, bool) {
	i := slices.IndexFunc(m.documents, func(d document) bool { return d.number == number })
	if number == 0 || i < 0 {
		return document{}, false
	}
	return m.documents[i], true
}

// rendered are the documents that are switched on: objects, and hooks if they are not skipped.
func (m *model) rendered() []document {
	if m.absent {
		return nil
	}
	return slices.DeleteFunc(copies(m.documents), func(d document) bool {
		return d.toggle != "" && !m.toggles[d.toggle] || d.hook != nil && m.skipHooks
	})
}

// objects are those of the release that are no hooks.
func (m *model) objects() []document {
	return slices.DeleteFunc(m.rendered(), func(d document) bool { return d.hook != nil })
}

// hooksOn are the hooks of an event in Helm's order.
func (m *model) hooksOn(event string) []document {
	hooks := slices.DeleteFunc(m.rendered(), func(d document) bool { return !d.on(event) })
	slices.SortFunc(hooks, func(a, b document) int {
		if a.hook.weight != b.hook.weight {
			return a.hook.weight - b.hook.weight
		}
		return strings.Compare(a.nameIn(m.releaseName()), b.nameIn(m.releaseName()))
	})
	return hooks
}

// fieldsOf are the fields of a document with those of each user.
func (m *model) fieldsOf(d document) (all []field) {
	for _, f := range d.fields {
		if !f.users {
			all = append(all, f)
			continue
		}
		for _, user := range m.users {
			all = append(all, field{name: user, draw: drawUser})
		}
	}
	return all
}

// digest stands for what the chart renders.
func (m *model) digest() string {
	text := fmt.Sprintln(m.releaseName(), m.space)
	rendered := m.rendered()
	slices.SortFunc(rendered, func(a, b document) int { return a.number - b.number })
	for _, d := range rendered {
		d.toggle = ""
		fields := m.fieldsOf(d)
		slices.SortFunc(fields, func(a, b field) int { return strings.Compare(a.name, b.name) }) // The order of users is not rendered.
		text += fmt.Sprintln(d.template(m.document), fields)
	}
	return text
}

// templates are the files of the chart.
func (m *model) templates() files {
	all := files{"values.yaml": "users: []\npassword: none\n"}
	for _, d := range m.documents {
		all[fmt.Sprintf("templates/%c.yaml", 'a'+rune(d.file))] += d.template(m.document)
	}
	return all
}

// values are those that the program gives, with the password as it is.
func (m *model) values() map[string]any {
	values := map[string]any{"password": secretValue}
	for toggle, on := range m.toggles {
		values[toggle] = on
	}
	users := []any{}
	for _, user := range m.users {
		users = append(users, map[string]any{"name": user})
	}
	values["users"] = users
	return values
}

// secretValue is a secret in the values of all lives.
const secretValue = "correct-horse-battery"
