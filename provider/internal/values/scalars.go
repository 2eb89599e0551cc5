package values

import "github.com/pulumi/pulumi/sdk/v3/go/property"

// Text returns the text of a value, or "" if it has none.
func Text(v property.Value) string {
	if v.IsString() {
		return v.AsString()
	}
	return ""
}

// Flag reports whether a value is true.
func Flag(v property.Value) bool { return v.IsBool() && v.AsBool() }
