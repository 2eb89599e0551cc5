package typed

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Some fields have names that are no identifiers in the languages: $ref, x-kubernetes-map-type, kebab-name, @odd. In the schema they
// have other names. Each name leads back to exactly one field:
//
//   - a hyphen is __, so x-kubernetes-map-type is x__kubernetes__map__type
//   - any other character is _xHEX_, so a.b is a_x2e_b
//   - what does not begin with a letter has an x before it, so $ref is x_x24_ref
//   - a name that Pulumi reserves, or that is ours, has a _ behind it, so id is id_
//
// Names that are identifiers stay as they are, unless they read like one of these.

// topNames cannot be names of fields at the top of a kind.
var topNames = []string{"id", "urn", Options}

// anyNames cannot be names of fields anywhere.
var anyNames = []string{"pulumi"}

// level says where a field is.
type level bool

const (
	atTop  level = true
	nested level = false
)

func (l level) reserves(name string) bool {
	return slices.Contains(anyNames, name) || l == atTop && slices.Contains(topNames, name)
}

// encode returns the name of a field in the schema.
func (l level) encode(name string) string {
	if l.reserves(name) {
		return name + "_"
	}
	for _, encoded := range []string{escape(name, "_", false), escape(name, escaped('_'), false)} {
		if startsWithLetter(encoded) && l.decode(encoded) == name {
			return encoded
		}
	}
	return "x" + escape(name, escaped('_'), true)
}

// decode returns the name of the field that has a name in the schema.
func (l level) decode(encoded string) string {
	if name, found := strings.CutSuffix(encoded, "_"); found && l.reserves(name) {
		return name
	}
	if prefixed.MatchString(encoded) {
		encoded = encoded[1:]
	}
	return special.ReplaceAllStringFunc(encoded, func(text string) string {
		if text == "__" {
			return "-"
		}
		code, err := strconv.ParseInt(text[2:len(text)-1], 16, 32)
		if err != nil || !strings.EqualFold(escaped(rune(code)), text) {
			return text
		}
		return string(rune(code))
	})
}

var (
	special  = regexp.MustCompile(`__|_x[0-9a-f]{1,6}_`)
	prefixed = regexp.MustCompile(`^x_x[0-9a-f]{1,6}_`)
)

// escape writes a name with letters, digits and what is given for an underscore.
func escape(name, underscore string, first bool) string {
	var out strings.Builder
	for i, r := range name {
		switch {
		case i == 0 && first:
			out.WriteString(escaped(r))
		case r == '_':
			out.WriteString(underscore)
		case r == '-':
			out.WriteString("__")
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			out.WriteRune(r)
		default:
			out.WriteString(escaped(r))
		}
	}
	return out.String()
}

func escaped(r rune) string { return "_x" + strconv.FormatInt(int64(r), 16) + "_" }

func startsWithLetter(name string) bool {
	return name != "" && (name[0] >= 'a' && name[0] <= 'z' || name[0] >= 'A' && name[0] <= 'Z')
}
