package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAnIgnoredFieldIsSentWithTheItemThatIsMade(t *testing.T) { // [D49]
	const (
		ofA     = `{"f:c":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:v":{}}}}`
		ofPorts = `{"f:p":{"k:{\"port\":53,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}}}`
		ofModes = `{"f:p":{"k:{\"mode\":\"X\",\"port\":53}":{".":{},"f:port":{}}}}`
		a, both = `{c: [{name: a, v: 9}]}`, `{c: [{name: b, v: 2}, {name: a, v: 1}]}`
	)
	for name, test := range map[string]struct {
		ignore                       []string
		manifest, live, fields, want string
	}{
		"an item that is there": {[]string{"c[*].v"}, `{c: [{name: a, v: 1}]}`, a, ofA, `{c: [{name: a}]}`},
		"a new item before it":  {[]string{"c[*].v"}, both, a, ofA, `{c: [{name: b, v: 2}, {name: a}]}`},
		"a new item, by a pattern, in a list without an owner": {[]string{"c[name=a].v", "c[name=b].v"}, both, a, `{}`,
			`{c: [{name: b, v: 2}, {name: a}]}`},
		"a list without an owner, of unknown keys": {[]string{"c[*].v"}, both, a, `{}`, `{c: [{name: b}, {name: a}]}`},
		"a list that is not there":                 {[]string{"c[*].v"}, both, `{}`, `{}`, both},
		"an empty list":                            {[]string{"c[*].v"}, both, `{c: []}`, `{"f:c":{}}`, both},
		"a list that is owned as a whole":          {[]string{"c[name=b].v"}, both, a, `{"f:c":{}}`, `{c: [{name: b}, {name: a, v: 1}]}`},
		"a list in a map that is not there":        {[]string{"s.c[*].v"}, `{s: {c: [{name: a, v: 1}]}}`, `{}`, `{}`, `{s: {c: [{name: a, v: 1}]}}`},
		"a new item that is ignored itself":        {[]string{"c[name=b]", "c[*].v"}, both, a, ofA, `{c: [{name: a}]}`},
		"one of a list that is not there":          {[]string{"c[name=b]", "c[*].v"}, both, `{}`, `{}`, `{c: [{name: a, v: 1}]}`},
		"a field of no list":                       {[]string{"r", "c[*].v"}, `{r: 1, c: [{name: a, v: 1}]}`, a, ofA, `{c: [{name: a}]}`},
		"a new item without ignored fields":        {[]string{"c[name=a].v"}, both, a, ofA, `{c: [{name: b, v: 2}, {name: a}]}`},
		"a new item in an item that is there": {[]string{"c[*].v", "c[*].e[*].v"}, `{c: [{name: a, v: 1, e: [{name: x, v: 1}]}]}`, a, ofA,
			`{c: [{name: a, e: [{name: x, v: 1}]}]}`},
		"a new item in a new item": {[]string{"c[*].e[*].v"}, `{c: [{name: b, e: [{name: x, v: 1}]}]}`, a, ofA, `{c: [{name: b, e: [{name: x, v: 1}]}]}`},
		"an item that leaves out a key": {[]string{"p[*].v"}, `{p: [{port: 53, v: 1}]}`, `{p: [{port: 53, protocol: TCP, v: 9}]}`, ofPorts,
			`{p: [{port: 53}]}`},
		"another one of this port": {[]string{"p[*].v"}, `{p: [{port: 53, protocol: UDP, v: 2}, {port: 53, v: 1}]}`,
			`{p: [{port: 53, protocol: TCP, v: 9}]}`, ofPorts, `{p: [{port: 53, protocol: UDP, v: 2}, {port: 53}]}`},
		"a new one that leaves out the key": {[]string{"p[*].v"}, `{p: [{port: 53, v: 1}, {port: 80, v: 1}]}`,
			`{p: [{port: 53, protocol: TCP, v: 9}]}`, ofPorts, `{p: [{port: 53}, {port: 80, v: 1}]}`},
		"another one, as the state knows the first": {[]string{"p[*].v"}, `{p: [{port: 53, protocol: UDP, v: 2}, {port: 53, v: 1}]}`,
			`{p: [{port: 53}]}`, ofPorts, `{p: [{port: 53, protocol: UDP, v: 2}, {port: 53}]}`},
		"an item that leaves out a key of unknown default": {[]string{"p[*].v"}, `{p: [{port: 53, v: 1}, {port: 80, v: 2}]}`,
			`{p: [{port: 53, mode: X, v: 9}]}`, ofModes, `{p: [{port: 53}, {port: 80, v: 2}]}`},
		"items that leave out a key, and may be one another": {[]string{"p[*].v"}, `{p: [{port: 80, v: 1}, {port: 80, mode: Z, v: 2}]}`,
			`{p: [{port: 53, mode: X, v: 9}]}`, ofModes, `{p: [{port: 80}, {port: 80, mode: Z, v: 2}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			manifest, ignore := object(t, test.manifest), ignoring(t, test.ignore...)
			items := ignore.NewItems(manifest, object(t, test.live), fields(t, test.fields))
			assert.Equal(t, object(t, test.want), WithNewItems(ignore.Prune(manifest), items))
			assert.Equal(t, object(t, test.manifest), manifest, "the manifest itself is not changed")
		})
	}
}
