package typed

import (
	"bytes"
	"encoding/json"
	"strings"
)

// definition is a schema in an OpenAPI document of an API server or in a CustomResourceDefinition, with what matters to types.
type definition struct {
	Ref         string                 `json:"$ref,omitempty"`
	Description string                 `json:"description,omitempty"`
	Type        string                 `json:"type,omitempty"`
	Format      string                 `json:"format,omitempty"`
	Default     any                    `json:"default,omitempty"`
	Properties  map[string]*definition `json:"properties,omitempty"`
	Required    []string               `json:"required,omitempty"`
	Items       *definition            `json:"items,omitempty"`
	Values      *valuesOfMap           `json:"additionalProperties,omitempty"`
	AllOf       []*definition          `json:"allOf,omitempty"`
	OneOf       []*definition          `json:"oneOf,omitempty"`
	Enum        []any                  `json:"enum,omitempty"`
	IntOrString bool                   `json:"x-kubernetes-int-or-string,omitempty"`
	Preserve    bool                   `json:"x-kubernetes-preserve-unknown-fields,omitempty"`
	Embedded    bool                   `json:"x-kubernetes-embedded-resource,omitempty"`
	Kinds       []groupVersionKind     `json:"x-kubernetes-group-version-kind,omitempty"`
}

type groupVersionKind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

// valuesOfMap are what a map contains. OpenAPI has a schema there, or true for anything.
type valuesOfMap struct{ *definition }

// UnmarshalJSON reads either.
func (v *valuesOfMap) UnmarshalJSON(text []byte) error {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return nil
	}
	v.definition = &definition{}
	return json.Unmarshal(text, v.definition)
}

// MarshalJSON writes either.
func (v *valuesOfMap) MarshalJSON() ([]byte, error) {
	if v.definition == nil {
		return []byte("true"), nil
	}
	return json.Marshal(v.definition)
}

// document is the definitions of an API version by their names.
type document map[string]*definition

const refPrefix = "#/components/schemas/"

// parseDocument reads what an API server has at /openapi/v3/….
func parseDocument(text []byte) (document, error) {
	var read struct {
		Components struct {
			Schemas document `json:"schemas"`
		} `json:"components"`
	}
	err := json.Unmarshal(text, &read)
	return read.Components.Schemas, err
}

// target returns the name of the definition that a reference stands for.
func (d *definition) target() (name string, ok bool) {
	if d.Ref == "" && len(d.AllOf) == 1 && d.AllOf[0] != nil {
		d = d.AllOf[0]
	}
	return strings.CutPrefix(d.Ref, refPrefix)
}

// root returns the definition of a kind, and its name. Definitions with many kinds belong to requests.
func (doc document) root(k Kind) (name string, root *definition) {
	for name, d := range doc {
		if d != nil && len(d.Kinds) == 1 && d.Kinds[0] == groupVersionKind(k) {
			return name, d
		}
	}
	return "", nil
}

// kinds are the kinds that a document has.
func (doc document) kinds() (all []Kind) {
	for _, d := range doc {
		if d != nil && len(d.Kinds) == 1 {
			all = append(all, Kind(d.Kinds[0]))
		}
	}
	return all
}

// reach copies a definition and what it needs into another document.
func (doc document) reach(name string, into document) {
	d := doc[name]
	if _, done := into[name]; done || d == nil {
		return
	}
	into[name] = d
	d.walk(func(inner *definition) {
		if target, ok := strings.CutPrefix(inner.Ref, refPrefix); ok {
			doc.reach(target, into)
		}
	})
}

// walk visits a definition and all that it has inside.
func (d *definition) walk(visit func(*definition)) {
	if d == nil {
		return
	}
	visit(d)
	for _, property := range d.Properties {
		property.walk(visit)
	}
	d.Items.walk(visit)
	if d.Values != nil {
		d.Values.walk(visit)
	}
	for _, inner := range append(append([]*definition(nil), d.AllOf...), d.OneOf...) {
		inner.walk(visit)
	}
}
