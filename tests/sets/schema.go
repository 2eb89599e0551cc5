package sets

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
)

// grower grows a schema like those that controller-gen writes: objects in lists in objects, maps, quantities, enums,
// defaults, and what each field is for. It grows the same schema for the same name.
type grower struct {
	random *rand.Rand
	// words is how many words a description has on average; 0 for none.
	words int
}

func newGrower(name string, words int) *grower {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name))
	return &grower{rand.New(rand.NewPCG(hash.Sum64(), 1)), words} //nolint:gosec // It need not be hard to guess.
}

var (
	nouns = strings.Fields(`pod service volume secret config endpoint cluster label selector template source target path
		certificate token replica storage container port probe affinity toleration rule policy scrape header query
		repository revision parameter generator strategy metric window receiver route matcher interval proxy user`)
	qualifiers = strings.Fields(`default extra allowed external internal additional remote local max min common
		preferred required initial managed previous`)
	prose = strings.Fields(`the a of to in for is be are field must may this object that value which it by if with from
		when not or and set used name specified resource list default cluster pods will only other one more than same
		controller defined reference namespace defaults each ignored optional selected matching following container`)
)

// pick takes one of several.
func pick[T any](g *grower, from []T) T { return from[g.random.IntN(len(from))] }

// field names a field that the object has not got yet.
func (g *grower) field(taken Object) string {
	title := func(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
	name := pick(g, nouns)
	for i := 0; ; i++ {
		if _, ok := taken[name]; !ok {
			return name
		}
		name = pick(g, qualifiers) + title(pick(g, nouns))
		if i > 8 {
			name += title(pick(g, nouns))
		}
	}
}

// described adds a description to a schema.
func (g *grower) described(schema Object) Object {
	if g.words == 0 {
		return schema
	}
	words := make([]string, 1+g.words/2+g.random.IntN(g.words))
	for i := range words {
		words[i] = pick(g, prose)
	}
	words[0] = strings.ToUpper(words[0][:1]) + words[0][1:]
	schema["description"] = strings.Join(words, " ") + "."
	return schema
}

// leaf is a field without fields.
func (g *grower) leaf() Object {
	text := func() Object { return Object{"type": "string"} }
	return g.described(pick(g, []func() Object{
		text, text, text,
		func() Object { return Object{"type": "boolean"} },
		func() Object { return Object{"type": "integer", "format": "int32", "minimum": int64(0)} },
		func() Object { return Object{"type": "string", "enum": []any{"Always", "IfNotPresent", "Never"}} },
		func() Object { return Object{"type": "object", "additionalProperties": text()} },
		func() Object { return Object{"type": "array", "items": text(), "x-kubernetes-list-type": "atomic"} },
		func() Object {
			return Object{"anyOf": []any{Object{"type": "integer"}, text()}, "x-kubernetes-int-or-string": true}
		},
	})())
}

// tree is a field with fields below it, down to a depth. At least one path goes all the way, and few of the others do.
func (g *grower) tree(depth int) Object {
	properties := Object{}
	for range 3 + g.random.IntN(4) {
		properties[g.field(properties)] = g.leaf()
	}
	if depth > 1 {
		properties[g.field(properties)] = g.tree(depth - 1)
		if g.random.IntN(3) == 0 {
			properties[g.field(properties)] = g.tree(1 + g.random.IntN(min(3, depth-1)))
		}
	}
	object := Object{"type": "object", "properties": properties}
	if g.random.IntN(3) == 0 {
		return g.described(Object{"type": "array", "items": object, "x-kubernetes-list-type": "atomic"})
	}
	return g.described(object)
}

// grow adds fields to a schema until it has about a number of bytes as JSON.
func (g *grower) grow(schema Object, bytes, depth int) {
	properties := schema["properties"].(Object)
	size := sizeOf(schema)
	for size < bytes {
		name, field := g.field(properties), g.tree(depth)
		if grown := sizeOf(field); size+grown > bytes+bytes/20 {
			field = g.tree(2) // so that it does not get much larger
		}
		properties[name] = field
		size += sizeOf(field) + len(name) + len(`"":,`)
	}
}

// value is something that a schema allows, down to a depth.
func (g *grower) value(schema Object, depth int) any {
	text := func() string { return fmt.Sprintf("%s-%s-%d", pick(g, qualifiers), pick(g, nouns), g.random.IntN(100)) }
	switch {
	case schema["enum"] != nil:
		return pick(g, schema["enum"].([]any))
	case schema["x-kubernetes-int-or-string"] != nil:
		return fmt.Sprintf("%d%%", 1+g.random.IntN(100))
	}
	switch schema["type"] {
	case "boolean":
		return true
	case "integer":
		return int64(g.random.IntN(10_000))
	case "string":
		return text()
	case "array":
		return []any{g.value(schema["items"].(Object), depth)}
	}
	members := Object{}
	if of, ok := schema["additionalProperties"].(Object); ok {
		for range 3 {
			members[text()] = g.value(of, depth)
		}
		return members
	}
	properties, _ := schema["properties"].(Object)
	for _, name := range sortedKeys(properties) {
		field := properties[name].(Object)
		if depth <= 1 && (field["properties"] != nil || field["type"] == "array") {
			continue
		}
		members[name] = g.value(field, depth-1)
	}
	return members
}

func sizeOf(value any) int {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // It has maps, lists, texts and numbers only.
	}
	return len(text)
}
