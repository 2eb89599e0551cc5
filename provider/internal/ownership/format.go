package ownership

import (
	"regexp"
	"strconv"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// plainName matches names that need no quotes in a path.
var plainName = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$-]*$`)

// plainValue matches a key's value that needs no quotes between brackets.
var plainValue = regexp.MustCompile(`^[A-Za-z_$./:][A-Za-z0-9_$./:-]*$`)

// Format writes a path for people:
//
//	spec.template.spec.containers[name=web].env[name=HTTP_PROXY].value
//	metadata.annotations["app.kubernetes.io/name"]
//	metadata.finalizers[="example.com/protect"]
//	spec.ports[port=80,protocol=TCP].targetPort
//
// Two paths never print alike: [ParsePath] reads back what is printed.
func Format(path fieldpath.Path) string {
	var b strings.Builder
	for i, element := range path {
		switch {
		case element.FieldName != nil && isPlain(*element.FieldName, i == 0):
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(*element.FieldName)
		case element.FieldName != nil:
			b.WriteString("[" + quote(*element.FieldName) + "]")
		case element.Key != nil:
			b.WriteByte('[')
			for j, field := range *element.Key {
				if j > 0 {
					b.WriteByte(',')
				}
				b.WriteString(formatKey(field.Name) + "=" + formatValue(field.Value))
			}
			b.WriteByte(']')
		case element.Value != nil:
			b.WriteString("[=" + quoteIfString(*element.Value) + "]")
		case element.Index != nil:
			b.WriteString("[" + strconv.Itoa(*element.Index) + "]")
		}
	}
	return b.String()
}

// isPlain reports whether a member's name needs no quotes. A leading dollar sign is the root of a JSONPath.
func isPlain(name string, first bool) bool {
	return plainName.MatchString(name) && !(first && strings.HasPrefix(name, "$"))
}

// formatKey writes the name of a key.
func formatKey(name string) string {
	if plainValue.MatchString(name) {
		return name
	}
	return quote(name)
}

// formatValue writes a key's value, quoted only where it could be misread.
func formatValue(v value.Value) string {
	if v.IsString() && plainValue.MatchString(v.AsString()) && !isWord(v.AsString()) {
		return v.AsString()
	}
	return quoteIfString(v)
}

// isWord reports whether a string would read as another type without quotes.
func isWord(s string) bool { return s == "true" || s == "false" || s == "null" }

func quoteIfString(v value.Value) string {
	if v.IsString() {
		return quote(v.AsString())
	}
	return value.ToString(v)
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
