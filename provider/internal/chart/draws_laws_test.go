package chart

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// The law of drawn values, for any sequence of versions of a chart: each value belongs to one field of one object. The test keeps a table
// of the values, by numbers that do not change with names or files.

// drawnObject is a Secret of a chart.
type drawnObject struct {
	number, file int
	name         string
	fields       []string
	// switched means that a value switches it on. byValue means that a value is its name.
	switched, byValue bool
	on                bool
}

// hosts are Secrets out of a list in the values. They are known by name or by position.
type host struct {
	number int
	name   string
}

// chartVersion is a chart and its values. The last file belongs to a subchart, which a value enables or disables as a whole.
type chartVersion struct {
	objects []drawnObject
	hosts   []host
	named   bool
	subs    bool
	release string
	rotate  []string
	next    int
}

const subFile = 3

func (v *chartVersion) number() int { v.next++; return v.next }

func (v chartVersion) clone() chartVersion {
	v.objects, v.hosts = slices.Clone(v.objects), slices.Clone(v.hosts)
	return v
}

func (v chartVersion) files() map[string]string {
	all := map[string]string{
		"Chart.yaml":            "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies: [{name: sub, version: 1.0.0, condition: sub.enabled}]\n",
		"charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 1.0.0\n", "charts/sub/templates/empty.yaml": "",
		"templates/hosts.yaml": "{{ range .Values.hosts }}---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: {{ .host | default .name }}\nstringData:\n" +
			"  password: {{ randAlphaNum 16 | quote }}\n{{ end }}",
	}
	for _, o := range v.objects {
		name := "{{ .Release.Name }}-" + o.name
		if o.byValue {
			name = fmt.Sprintf("{{ .Values.global.name%d }}", o.number)
		}
		text := "apiVersion: v1\nkind: Secret\nmetadata:\n  name: " + name + "\nstringData:\n"
		for _, field := range o.fields {
			text += "  " + field + ": {{ randAlphaNum 16 | quote }}\n"
		}
		if o.switched {
			text = fmt.Sprintf("{{- if .Values.global.on%d }}\n%s{{- end }}\n", o.number, text)
		}
		file := fmt.Sprintf("templates/%c.yaml", 'a'+rune(o.file))
		if o.file == subFile {
			file = "charts/sub/templates/s.yaml"
		}
		all[file] += "---\n" + text
	}
	return all
}

func (v chartVersion) values() m {
	global, hosts := m{}, []any{}
	for _, o := range v.objects {
		global[fmt.Sprintf("on%d", o.number)], global[fmt.Sprintf("name%d", o.number)] = o.on, v.release+"-"+o.name
	}
	key := "host"
	if v.named {
		key = "name"
	}
	for _, one := range v.hosts {
		hosts = append(hosts, m{key: v.release + "-" + one.name})
	}
	return m{"global": global, "hosts": hosts, "sub": m{"enabled": v.subs}}
}

// fieldOf is a field of an object.
type fieldOf struct {
	object int
	field  string
}

func (v chartVersion) renders(o drawnObject) bool {
	return (o.file != subFile || v.subs) && (!o.switched || o.on)
}

// rendered are the fields that the version has, by the names of their objects.
func (v chartVersion) rendered() map[string]fieldOf {
	all := map[string]fieldOf{}
	for _, o := range v.objects {
		if !v.renders(o) {
			continue
		}
		for _, field := range o.fields {
			all[v.release+"-"+o.name+" "+field] = fieldOf{o.number, field}
		}
	}
	for _, one := range v.hosts {
		all[v.release+"-"+one.name+" password"] = fieldOf{one.number, "password"}
	}
	return all
}

// fieldsWritten is how many fields the version has with those that are switched off.
func (v chartVersion) fieldsWritten() int {
	count := len(v.hosts)
	for _, o := range v.objects {
		count += len(o.fields)
	}
	return count
}

// written are the names of objects as templates have them, with their files.
func (v chartVersion) written() map[string]int {
	all := map[string]int{}
	for _, o := range v.objects {
		all[o.written()] = o.file
	}
	return all
}

// written is the name of the object as its template has it.
func (o drawnObject) written() string {
	if o.byValue {
		return fmt.Sprint("value ", o.number)
	}
	return o.name
}

// left are the files of objects that this version has and the other one does not have there. An object that moves to another file leaves
// its former file.
func (v chartVersion) left(other chartVersion) (files []int) {
	in := other.written()
	for name, file := range v.written() {
		if now, is := in[name]; !is || now != file {
			files = append(files, file)
		}
	}
	return files
}

// lookAlike reports whether one object has left its file and one has come, into the same file: nothing tells that from another name.
func lookAlike(before, after chartVersion) bool {
	gone, come := before.left(after), after.left(before)
	return len(gone) == 1 && slices.Equal(gone, come)
}

// mayBeAnother reports whether an object may be one that is gone from its file: no other one is gone from there or has come, whatever has
// become of the other files. One that is back, with a value of its own, has not come. One that is rendered for the first time has come, also
// if it was written before and switched off: what was not rendered is not stored.
func mayBeAnother(before, after chartVersion, object int, table map[fieldOf]known) bool {
	i := slices.IndexFunc(after.objects, func(o drawnObject) bool { return o.number == object })
	if i < 0 {
		return false
	}
	back, appears := map[string]bool{}, map[string]bool{}
	for _, o := range after.objects {
		_, seen := table[fieldOf{o.number, o.fields[0]}]
		back[o.written()], appears[o.written()] = seen, after.renders(o)
	}
	gone, come := 0, 0
	is, was := after.written(), before.written()
	for name, file := range was {
		if _, stays := is[name]; !stays && file == after.objects[i].file {
			gone++
		}
	}
	for name, file := range is {
		if _, known := was[name]; file == after.objects[i].file && !back[name] && (!known || appears[name]) {
			come++
		}
	}
	return gone == 1 && come == 1
}

// anyChange changes the chart or its values. It reports what it has renamed.
func anyChange(t *rapid.T, v *chartVersion, removed *[]drawnObject) (renamed int) {
	some := func(of int) int { return rapid.IntRange(0, max(0, of-1)).Draw(t, "which") }
	fresh := func() string {
		return rapid.SampledFrom([]string{"admin", "app", "redis", "zoo"}).Draw(t, "name") + fmt.Sprint(v.number())
	}
	change := rapid.SampledFrom([]string{
		"add", "add", "remove", "bring back", "rename", "rename", "move", "order", "switch", "switch", "host", "hosts in another order", "no host", "sub", "release", "rotate",
	}).Draw(t, "change")
	if len(v.objects) == 0 && slices.Contains([]string{"remove", "rename", "move", "order", "switch"}, change) {
		change = "add"
	}
	switch change {
	case "add":
		o := drawnObject{file: some(4), fields: []string{"password"}, on: true, number: v.number()}
		o.name, o.switched, o.byValue = fresh(), rapid.Bool().Draw(t, "switched"), some(4) == 0
		if some(2) == 1 {
			o.fields = append(o.fields, "token")
		}
		v.objects = append(v.objects, o)
	case "remove":
		i := some(len(v.objects))
		*removed = append(*removed, v.objects[i])
		v.objects = slices.Delete(v.objects, i, i+1)
	case "bring back":
		if len(*removed) > 0 {
			i := some(len(*removed))
			v.objects = append(v.objects, (*removed)[i])
			*removed = slices.Delete(*removed, i, i+1)
		}
	case "rename":
		o := &v.objects[some(len(v.objects))]
		o.name, renamed = fresh(), o.number
	case "move":
		v.objects[some(len(v.objects))].file = some(4)
	case "order":
		i, j := some(len(v.objects)), some(len(v.objects))
		v.objects[i], v.objects[j] = v.objects[j], v.objects[i]
	case "switch":
		o := &v.objects[some(len(v.objects))]
		o.on = !o.on
	case "host":
		v.hosts = slices.Insert(v.hosts, some(len(v.hosts)+1), host{v.number(), fresh()})
	case "hosts in another order":
		slices.Reverse(v.hosts)
	case "no host":
		if len(v.hosts) > 0 {
			i := some(len(v.hosts))
			v.hosts = slices.Delete(v.hosts, i, i+1)
		}
	case "sub":
		v.subs = !v.subs
	case "release":
		v.release = rapid.SampledFrom([]string{"shop", "store"}).Draw(t, "release")
	case "rotate":
		v.rotate = []string{rapid.SampledFrom([]string{"password", "token"}).Draw(t, "rotated")}
	}
	return renamed
}

// stored is what is remembered from one version to the next.
type stored struct {
	Draws  draws.Values
	Former draws.Former
}

func (s stored) options(t require.TestingT, chart *Chart) draws.Options {
	text, err := json.Marshal(s)
	require.NoError(t, err)
	var read stored
	require.NoError(t, json.Unmarshal(text, &read))
	return draws.Options{Stored: read.Draws, Former: read.Former, Source: chart.Source()}
}

// renderDrawn renders until each value is in its place.
func renderDrawn(t *rapid.T, chart *Chart, v chartVersion, options draws.Options) (*Rendered, *draws.Session) {
	of := Release{Name: v.release, Namespace: "prod"}
	for s := draws.NewSession(options); ; {
		rendered, err := chart.Render(t.Context(), of, v.values(), Functions{Draws: s})
		require.NoError(t, err)
		again := s.Again(TextsOf(of, rendered.Documents()))
		if again == nil {
			return rendered, s
		}
		s = again
	}
}

// drawnIn are the values in what was rendered, by object and field.
func drawnIn(rendered *Rendered) map[string]string {
	all := map[string]string{}
	for _, object := range rendered.Objects {
		data, _ := object.Object["stringData"].(map[string]any)
		for field, value := range data {
			all[manifest.IdentityOf(object.Object).Name+" "+field], _ = value.(string)
		}
	}
	return all
}

// known is a row of the table.
type known struct {
	value, name string
	// last says that the version before had it, rotated that it was to be drawn again since then.
	last, rotated bool
}

func TestDrawnValuesBelongToTheirPlaces(t *testing.T) { // [D87] [D88]
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := chartVersion{release: "shop", subs: true, named: rapid.Bool().Draw(t, "named")}
		var removed []drawnObject
		var memory stored
		table, owners := map[fieldOf]known{}, map[string]fieldOf{}
		var before chartVersion
		for range rapid.IntRange(2, 8).Draw(t, "versions") {
			renamed := map[int]bool{}
			v.rotate = nil
			for range rapid.IntRange(1, 3).Draw(t, "changes") {
				renamed[anyChange(t, &v, &removed)] = true
			}
			var files []File
			texts := v.files()
			for _, name := range slices.Sorted(maps.Keys(texts)) {
				files = append(files, File{name, []byte(texts[name])})
			}
			chart, err := Load(files)
			require.NoError(t, err)
			options := memory.options(t, chart)
			options.Rotate = v.rotate
			for at, row := range table {
				row.rotated = row.rotated || slices.Contains(v.rotate, at.field)
				table[at] = row
			}
			rendered, session := renderDrawn(t, chart, v, options)
			memory = stored{session.Used(), session.Former()}

			found, want := drawnIn(rendered), v.rendered()
			require.ElementsMatch(t, slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(found)))
			// If something else is drawn for the first time, or is switched off, it is not known to whom a value belongs.
			keeps := lookAlike(before, v) && len(want) == v.fieldsWritten()
			for _, at := range want {
				if row, seen := table[at]; !renamed[at.object] && (!seen || row.rotated && !row.last) {
					keeps = false
				}
			}
			for name, value := range found {
				at := want[name]
				row, seen := table[at]
				owner, owned := owners[value]
				if owned && owner != at {
					isNew := !seen || row.rotated && !row.last // What was drawn again while nothing used it is forgotten.
					require.True(t, mayBeAnother(before, v, at.object, table) && isNew, "%s has the value of %v", name, owner)
					delete(table, owner)
				}
				switch {
				case !seen:
				case row.rotated:
					require.NotEqual(t, row.value, value, "%s was to be drawn again", name)
				case renamed[at.object] && !(row.last && keeps):
				default:
					require.Equal(t, row.value, value, "%s has another value", name)
				}
			}
			now := map[fieldOf]bool{}
			for name, value := range found {
				table[want[name]], owners[value], now[want[name]] = known{value: value, name: name, last: true}, want[name], true
			}
			for at, row := range table {
				row.last = now[at]
				table[at] = row
			}
			for number := range renamed { // What is renamed while it is off has no value to come back to.
				for at := range table {
					if at.object == number && !now[at] {
						delete(table, at)
					}
				}
			}

			again, second := renderDrawn(t, chart, v, memory.options(t, chart))
			require.Equal(t, rendered.Objects, again.Objects, "equal inputs render the same")
			require.Equal(t, session.Used(), second.Used())
			require.Empty(t, second.Moved())
			preview := memory.options(t, chart)
			preview.Missing = draws.Placeholder(0)
			again, _ = renderDrawn(t, chart, v, preview)
			require.Equal(t, rendered.Objects, again.Objects, "in a preview, too")
			before = v.clone()
		}
	})
}
