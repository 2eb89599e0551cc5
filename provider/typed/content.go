package typed

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// content is what is an extension's own: its kinds and their types. The rest of its schema comes from the plugin that serves it, so a
// newer plugin gives an older extension its own options. Without descriptions, the content is the value of the extension, which the
// engine keeps in the state and hands back.
type content struct {
	Kinds map[string]fieldsOfKind           `json:"kinds"` // by token
	Types map[string]schema.ComplexTypeSpec `json:"types"` // by token
}

// fieldsOfKind are the fields at the top of a kind, by their names in the schema.
type fieldsOfKind struct {
	Description string                         `json:"description,omitempty"`
	Fields      map[string]schema.PropertySpec `json:"fields"`
	Required    []string                       `json:"required"`
}

// largestValue is far more than the schema of all kinds of a cluster.
const largestValue = 256 << 20

// value writes the content without descriptions. The same content is always the same bytes.
func (c content) value() ([]byte, error) {
	text, err := json.Marshal(c.withoutDescriptions())
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	writer, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := writer.Write(text); err != nil {
		return nil, err
	}
	err = writer.Close()
	return out.Bytes(), err
}

// parseValue reads a value.
func parseValue(value []byte) (content, error) {
	reader, err := gzip.NewReader(bytes.NewReader(value))
	if err != nil {
		return content{}, err
	}
	text, err := io.ReadAll(io.LimitReader(reader, largestValue+1))
	if err != nil {
		return content{}, err
	}
	if len(text) > largestValue {
		return content{}, fmt.Errorf("it is larger than %d bytes", largestValue)
	}
	var c content
	err = json.Unmarshal(text, &c)
	return c, err
}

// withoutDescriptions returns a copy with types, and without texts about them.
func (c content) withoutDescriptions() content {
	bare := content{Kinds: map[string]fieldsOfKind{}, Types: map[string]schema.ComplexTypeSpec{}}
	for token, kind := range c.Kinds {
		bare.Kinds[token] = fieldsOfKind{Fields: undescribed(kind.Fields), Required: kind.Required}
	}
	for token, t := range c.Types {
		t.Description, t.Properties = "", undescribed(t.Properties)
		bare.Types[token] = t
	}
	return bare
}

func undescribed(properties map[string]schema.PropertySpec) map[string]schema.PropertySpec {
	if properties == nil {
		return nil
	}
	bare := map[string]schema.PropertySpec{}
	for name, property := range properties {
		property.Description = ""
		bare[name] = property
	}
	return bare
}
