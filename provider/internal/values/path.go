package values

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// FormatPath writes a path for people, in the engine's notation:
// `manifest.spec.containers[0].image`, `manifest.metadata.labels["app.kubernetes.io/name"]`.
//
// property.Path can write itself too, but quotes keys as Go does, and the engine knows no other escape
// than \" and would take `\\` or `\n` literally. Where the engine is to read it, see [EnginePath].
func FormatPath(path property.Path) string {
	var text strings.Builder
	for segment := range path.Segments {
		writeSegment(&text, segment)
	}
	return text.String()
}

// EnginePath writes a path for the engine, as the key of a detailed diff. A key that ends with a backslash cannot be
// written so that the engine reads it: it takes the backslash and the closing quote for a quote in the key. For such a
// key and everything below it, EnginePath names what contains the key, and whole is false.
func EnginePath(path property.Path) (text string, whole bool) {
	var written strings.Builder
	for segment := range path.Segments {
		if key, isKey := segment.(property.KeySegment); isKey && strings.HasSuffix(key.Key(), `\`) {
			return written.String(), false
		}
		writeSegment(&written, segment)
	}
	return written.String(), true
}

// FormatSegments writes a path of map keys (string) and list positions (int) as [FormatPath] does.
func FormatSegments(segments ...any) string {
	var text strings.Builder
	for _, segment := range segments {
		switch segment := segment.(type) {
		case string:
			writeKey(&text, segment)
		case int:
			writeIndex(&text, segment)
		}
	}
	return text.String()
}

func writeSegment(text *strings.Builder, segment property.PathSegment) {
	switch segment := segment.(type) {
	case property.IndexSegment:
		writeIndex(text, segment.Index())
	case property.KeySegment:
		writeKey(text, segment.Key())
	}
}

func writeIndex(text *strings.Builder, index int) { text.WriteString("[" + strconv.Itoa(index) + "]") }

func writeKey(text *strings.Builder, key string) {
	if !isBareKey(key) {
		text.WriteString(`["` + strings.ReplaceAll(key, `"`, `\"`) + `"]`)
		return
	}
	if text.Len() > 0 {
		text.WriteByte('.')
	}
	text.WriteString(key)
}

// isBareKey reports whether a key needs no quotes. An empty key does: the engine refuses a path that
// ends with a dot.
func isBareKey(key string) bool {
	for _, r := range key {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
		default:
			return false
		}
	}
	return key != ""
}

// ParsePath reads what [EnginePath] writes, and everything else that the engine accepts as a path to one property. It
// has no wildcards: `*` is a key like any other.
func ParsePath(text string) (property.Path, error) {
	elements, err := resource.ParsePropertyPath(text)
	if err != nil {
		return property.Path{}, fmt.Errorf("property path %q: %w", text, err)
	}
	segments := make([]property.PathSegment, len(elements))
	for i, element := range elements {
		switch element := element.(type) {
		case int:
			if element < 0 {
				return property.Path{}, fmt.Errorf("property path %q: the index %d is negative", text, element)
			}
			segments[i] = property.NewSegment(element)
		case string:
			if len(element) > maxKey {
				return property.Path{}, fmt.Errorf("property path: a key of %d bytes, at most %d are possible",
					len(element), maxKey)
			}
			segments[i] = property.NewSegment(element)
		}
	}
	return property.PathFromSegments(segments...), nil
}

// place is the position of a conversion, as a chain from the inside out: going down one step allocates one small node
// and shares everything above, and the text is only built for an error.
type place struct {
	above   *place
	segment property.PathSegment
}

func (p *place) below(segment property.PathSegment) *place { return &place{p, segment} }

// String formats the place; the root of the tree is called "value".
func (p *place) String() string {
	if p == nil {
		return "value"
	}
	var text strings.Builder
	p.write(&text)
	return text.String()
}

func (p *place) write(text *strings.Builder) {
	if p.above != nil {
		p.above.write(text)
	}
	writeSegment(text, p.segment)
}

// JoinPath prefixes a path inside a document with the name of the property that holds the document.
func JoinPath(name, path string) string {
	switch {
	case name == "":
		return path
	case path == "":
		return name
	case strings.HasPrefix(path, "["):
		return name + path
	default:
		return name + "." + path
	}
}
