package releases_test

import (
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The law of objects. After an update that ended well, each object of the program is there, as the program has it, and nothing
// else is: not what a version of before had, and not what hooks needed for the moment. After a destroy nothing is left but what
// docs/charts.md says: kept hooks, and the Jobs of deletions.

type objects map[string]*unstructured.Unstructured

func mapsKeys[V any](m map[string]V) iter.Seq[string] { return maps.Keys(m) }

// differs says in what an object is not there as the program has it. Draws are the business of another law.
func differs(d document, m *model, live objects) string {
	id := d.idIn(m.releaseName())
	found := live[id]
	if found == nil {
		return id + " is not there"
	}
	if d.kind == "Deployment" {
		containers, _, _ := unstructured.NestedSlice(found.Object, "spec", "template", "spec", "containers")
		if image := containers[0].(map[string]any)["image"]; image != d.image {
			return fmt.Sprintf("%s has the image %v, not %s", id, image, d.image)
		}
	}
	data := dataOf(found)
	fields := m.fieldsOf(d)
	for _, f := range fields {
		value, has := data[f.name]
		want := f.literal
		if f.password {
			want = secretValue
		}
		if !has || !f.isDrawn() && value != want {
			return fmt.Sprintf("%s has %s: %q, not %q", id, f.name, value, want)
		}
	}
	if len(fields) != len(data) {
		return fmt.Sprintf("%s has %d fields, not %d", id, len(data), len(fields))
	}
	return ""
}

// noteStays notes what the program will leave behind, whatever comes of it.
func (p *play) noteStays() {
	for _, m := range p.since {
		if m.absent || p.m.absent || m.space == p.m.space && m.releaseName() == p.m.releaseName() {
			continue
		}
		for _, d := range m.documents {
			if d.isJob() { // It stays until the next run, or the end of the release.
				p.lingers[p.spaces[m.space]+"/"+d.idIn(m.releaseName())] = true
			}
		}
	}
	if p.m.absent {
		return
	}
	for _, d := range p.m.rendered() {
		id := p.spaces[p.m.space] + "/" + d.idIn(p.m.releaseName())
		if d.isKept() || d.on("pre-delete", "post-delete") {
			p.stays[id] = true
		}
	}
}

// noteMade notes what an operation may have made before it was killed. If the program no longer has it then, nobody knows of it.
func (p *play) noteMade() {
	remembered := map[string]bool{}
	if p.last != nil {
		for _, id := range p.names(p.last) {
			remembered[id] = true
		}
	}
	for _, id := range p.names(&p.m) {
		if !remembered[id] {
			p.stays[id] = true
		}
	}
	p.interrupted = append(p.interrupted, p.m.clone())
}

// names are those of all objects that a program has, in its release, in its set and beside them.
func (p *play) names(m *model) []string {
	var all []string
	for _, d := range m.rendered() {
		all = append(all, p.spaces[m.space]+"/"+d.idIn(m.releaseName()))
	}
	for _, d := range m.set {
		all = append(all, p.spaces[0]+"/"+d.idIn(""))
	}
	if m.config > 0 {
		all = append(all, p.spaces[0]+"/ConfigMap/"+configName, p.spaces[0]+"/Deployment/"+workloadName)
	}
	return all
}

// judgeClaims wants that a Chart that is renamed, with its former name as an alias, keeps what holds data.
func (p *play) judgeClaims(live [2]objects) {
	m := &p.m
	for _, d := range m.objects() {
		if d.kind != "PersistentVolumeClaim" {
			continue
		}
		uid := live[m.space][d.idIn(m.releaseName())].GetUID()
		before, known := p.claims[d.number]
		if p.claims[d.number] = uid; !known || before == uid || p.last == nil || p.last.space != m.space {
			continue
		}
		i := slices.IndexFunc(p.last.objects(), func(was document) bool { return was.number == d.number && was.name == d.name })
		if i >= 0 && p.last.resource != m.resource && p.last.releaseName() == m.releaseName() {
			p.breaks("objects", []string{"claim", "renamed"}, "the Chart was renamed, and %s is another one", d.idIn(m.releaseName()))
		}
	}
}

func (p *play) judgeObjects(live [2]objects) {
	m := &p.m
	here, first := p.spaces[m.space], p.spaces[0]
	expected := map[string]bool{first + "/ConfigMap/" + foreignName: true}
	want := func(space int, d document, of *model, facts ...string) {
		expected[p.spaces[space]+"/"+d.idIn(of.releaseName())] = true
		if wrong := differs(d, of, live[space]); wrong != "" {
			p.breaks("objects", facts, "after the update, %s", wrong)
		}
	}
	what, _ := p.plan("up")
	for _, d := range m.objects() {
		want(m.space, d, m, "object")
	}
	for _, d := range m.rendered() {
		id := d.idIn(m.releaseName())
		if d.hook != nil && d.isJob() {
			expected[here+"/"+id] = true
		}
		// A kept hook of installs that a later version has brought never comes; nor does anything of a hook that was skipped.
		if d.isKept() && what == installs && p.open == nil && live[m.space][id] == nil {
			p.breaks("objects", append(p.factsOfHooks(nil, what), "kept"), "after the install, the kept hook %s is not there", id)
		}
	}
	for _, d := range m.set {
		want(0, d, &model{}, "set")
	}
	if m.config > 0 {
		rev := fmt.Sprint(m.config)
		want(0, document{kind: "ConfigMap", name: configName, fields: []field{{name: "rev", literal: rev}}}, &model{}, "beside")
		want(0, document{kind: "Deployment", name: workloadName, image: "web:" + rev}, &model{}, "beside")
		if patched := dataOf(live[0]["ConfigMap/"+foreignName])["patched"]; patched != rev {
			p.breaks("objects", []string{"patch"}, "after the update, the patched field is %q, not %q", patched, rev)
		}
	}
	p.judgeNothingElse(live, expected, "after the update")
	p.judgeClaims(live)
}

var choreJob = regexp.MustCompile(`^Job/chore\d+-`)

func (p *play) judgeNothingElse(live [2]objects, expected map[string]bool, when string) {
	for i := range live {
		for id, object := range live[i] {
			full := p.spaces[i] + "/" + id
			if expected[full] || p.stays[full] || p.lingers[full] || choreJob.MatchString(id) {
				continue
			}
			facts := []string{"left", object.GetKind()}
			if p.renaming {
				facts = append(facts, "a rename was killed")
			}
			if d, known := p.documentNamed(id); known && d.hook != nil {
				facts = append(facts, "hook")
				if !d.isJob() && !d.on("pre-install", "post-install") {
					facts = append(facts, "upgrades alone")
				}
			}
			if i != p.m.space {
				facts = append(facts, "elsewhere")
			}
			p.breaks("objects", facts, "%s, %s is still there", when, id)
			p.stays[full] = true // It is told once.
		}
	}
}

// documentNamed finds the document of an object.
func (p *play) documentNamed(id string) (document, bool) {
	kind, name, _ := strings.Cut(id, "/")
	models := []*model{&p.m}
	if p.last != nil {
		models = append(models, p.last)
	}
	for i := range p.interrupted {
		models = append(models, &p.interrupted[i])
	}
	for _, m := range models {
		for _, d := range append(copies(m.documents), m.removed...) {
			if d.kind == kind && (name == d.name || strings.HasSuffix(name, "-"+d.name)) {
				return d, true
			}
		}
	}
	return document{}, false
}

// judgeNothingLeft judges what is there after a destroy.
func (p *play) judgeNothingLeft() {
	for _, space := range p.spaces {
		played.expire(space)
	}
	clear(p.lingers)
	live := [2]objects{p.life.live(p.spaces[0]), p.life.live(p.spaces[1])}
	p.judgeNothingElse(live, map[string]bool{p.spaces[0] + "/ConfigMap/" + foreignName: true}, "after the destroy")
	for i := range live {
		for id := range live[i] {
			// The run of a command that was killed ends by itself, if the program asks for another one then.
			if choreJob.MatchString(id) && !p.killed {
				p.breaks("objects", []string{"left", "task"}, "after the destroy, %s is still there", id)
			}
		}
	}
	p.last, p.open = nil, nil
	p.draws.forget()
	clear(p.claims)
}
