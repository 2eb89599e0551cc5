package failure

import (
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// The API server's texts for a 400 BadRequest about a body that it cannot decode. Only the text distinguishes such an
// answer from any other 400.
var (
	decodingMark   = regexp.MustCompile(`(?s)^\S+ in version "[^"]*" cannot be handled as a \S+: (.*)$`)
	strictMark     = "strict decoding error: "
	unknownMark    = regexp.MustCompile(`unknown field ("(?:[^"\\]|\\.)*")`)
	wrongTypeMark  = regexp.MustCompile(`^json: cannot unmarshal (\w+)(?: .*)? into Go .* of type (\S+)$`)
	typedPatchLine = regexp.MustCompile(`^\s*\.(.+): (field not declared in schema|duplicate entries for key .*|expected \S+(?: \([^)]*\))?)(?:, got .*)?$`)
)

// Undecodable reports whether err is the API server's answer to a body that does not fit its kind's Go type, and why.
// The API server checks that before anything else in the object, so every other answer means that the body was
// decoded.
func Undecodable(err error) (reason string, ok bool) {
	text, ok := decodingText(err)
	if !ok || strings.HasPrefix(text, strictMark) {
		return "", false
	}
	if m := wrongTypeMark.FindStringSubmatch(text); m != nil {
		return "must be " + nameGoType(m[2]) + ", not " + nameJSONType(m[1]), true
	}
	return text, true
}

// UnknownFields lists the fields that the API server does not know, from its answer to a strictly validated body.
// Apart from them, the body has the right type.
func UnknownFields(err error) []string {
	text, ok := decodingText(err)
	if !ok || !strings.HasPrefix(text, strictMark) {
		return nil
	}
	var fields []string
	for _, m := range unknownMark.FindAllStringSubmatch(text, -1) {
		if field, err := strconv.Unquote(m[1]); err == nil {
			fields = append(fields, field)
		}
	}
	return fields
}

func decodingText(err error) (string, bool) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Code != http.StatusBadRequest {
		return "", false
	}
	m := decodingMark.FindStringSubmatch(status.Status().Message)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// typedPatchMistakes parses the text of a typed-patch error. It returns nothing if it does not understand every line.
// It leaves out the values that the text quotes: they are in Go notation, and may be secret.
func typedPatchMistakes(message string) []Mistake {
	_, list, ok := strings.Cut(message, "): ")
	if !ok {
		return nil
	}
	var mistakes []Mistake
	for line := range strings.SplitSeq(strings.TrimPrefix(list, "errors:\n"), "\n") {
		m := typedPatchLine.FindStringSubmatch(line)
		if m == nil {
			return nil
		}
		mistakes = append(mistakes, Mistake{Field: m[1], Message: m[2]})
	}
	return mistakes
}

func nameGoType(name string) string {
	switch {
	case name == "string":
		return "a string"
	case name == "bool":
		return "true or false"
	case strings.HasPrefix(name, "int"), strings.HasPrefix(name, "uint"):
		return "an integer"
	case strings.HasPrefix(name, "float"):
		return "a number"
	case strings.HasPrefix(name, "[]"):
		return "a list"
	default:
		return "an object"
	}
}

func nameJSONType(name string) string {
	switch name {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	default:
		return "a " + name
	}
}
