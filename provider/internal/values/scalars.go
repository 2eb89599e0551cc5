package values

import "github.com/pulumi/pulumi/sdk/v3/go/property"

// Text is the text of a value, and "" where it has none.
func Text(v property.Value) string {
	if v.IsString() {
		return v.AsString()
	}
	return ""
}

// Flag reports whether a value is true.
func Flag(v property.Value) bool { return v.IsBool() && v.AsBool() }
