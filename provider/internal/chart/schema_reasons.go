package chart

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// reasonOf says what a schema requires. It quotes the schema, never the value, which may be secret.
func reasonOf(violated jsonschema.ErrorKind) string {
	switch violated := violated.(type) {
	case *kind.Type:
		return fmt.Sprintf("it must be of type %s, not %s", strings.Join(violated.Want, " or "), violated.Got)
	case *kind.Enum:
		return "it must be one of " + listed(violated.Want)
	case *kind.Const:
		return "it must be " + listed([]any{violated.Want})
	case *kind.Format:
		return fmt.Sprintf("it must have the format %q", violated.Want)
	case *kind.Pattern:
		return fmt.Sprintf("it must match the pattern %q", violated.Want)
	case *kind.MinLength:
		return fmt.Sprintf("its length must be at least %d", violated.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("its length must be at most %d", violated.Want)
	case *kind.Minimum:
		return "it must be at least " + number(violated.Want)
	case *kind.Maximum:
		return "it must be at most " + number(violated.Want)
	case *kind.ExclusiveMinimum:
		return "it must be more than " + number(violated.Want)
	case *kind.ExclusiveMaximum:
		return "it must be less than " + number(violated.Want)
	case *kind.MultipleOf:
		return "it must be a multiple of " + number(violated.Want)
	default:
		return reasonOfParts(violated)
	}
}

// reasonOfParts is for what a value has and must not have, or lacks, and for schemas in the schema.
func reasonOfParts(violated jsonschema.ErrorKind) string {
	switch violated := violated.(type) {
	case *kind.Required:
		return "it must have " + quoted(violated.Missing)
	case *kind.AdditionalProperties:
		return "it must not have " + quoted(violated.Properties)
	case *kind.PropertyNames:
		return fmt.Sprintf("it must not have a key such as %q", violated.Property)
	case *kind.Dependency:
		return fmt.Sprintf("with %q it must have %s", violated.Prop, quoted(violated.Missing))
	case *kind.DependentRequired:
		return fmt.Sprintf("with %q it must have %s", violated.Prop, quoted(violated.Missing))
	case *kind.FalseSchema:
		return "it must not be there"
	case *kind.RefCycle:
		return "its schema refers to itself"
	case *kind.AnyOf:
		return "it matches none of the schemas in \"anyOf\""
	case *kind.OneOf:
		return "it must match exactly one of the schemas in \"oneOf\""
	case *kind.Not:
		return "it matches the schema in \"not\""
	default:
		return reasonOfCount(violated)
	}
}

// reasonOfCount is for too many or too few parts, and for all that has no text of its own.
func reasonOfCount(violated jsonschema.ErrorKind) string {
	switch violated := violated.(type) {
	case *kind.MinItems:
		return fmt.Sprintf("it must have at least %d items", violated.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("it must have at most %d items", violated.Want)
	case *kind.MinProperties:
		return fmt.Sprintf("it must have at least %d keys", violated.Want)
	case *kind.MaxProperties:
		return fmt.Sprintf("it must have at most %d keys", violated.Want)
	case *kind.UniqueItems:
		return fmt.Sprintf("its items %d and %d must not be equal", violated.Duplicates[0], violated.Duplicates[1])
	default:
		return fmt.Sprintf("it does not match %q in the schema", strings.Join(violated.KeywordPath(), "."))
	}
}

// listed writes values of a schema as JSON.
func listed(wanted []any) string {
	texts := make([]string, len(wanted))
	for i, value := range wanted {
		text, err := json.Marshal(value)
		if err != nil {
			text = []byte("a value that cannot be written")
		}
		texts[i] = string(text)
	}
	return strings.Join(texts, ", ")
}

func quoted(names []string) string {
	texts := make([]string, len(names))
	for i, name := range slices.Sorted(slices.Values(names)) {
		texts[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(texts, ", ")
}

func number(wanted *big.Rat) string {
	if wanted.IsInt() {
		return wanted.Num().String()
	}
	return strings.TrimRight(wanted.FloatString(6), "0")
}
