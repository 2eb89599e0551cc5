package connection

import (
	"encoding/json"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// unpackField unpacks the fields that are objects and leaves the others unchanged: a kubeconfig in JSON is text.
func unpackField(name string, value property.Value) property.Value {
	if isObject(name) {
		return unpack(value)
	}
	return value
}

// unpack converts an object that arrives as JSON text. The engine passes the provider's configuration in that form,
// with its marks for secret and unknown values inside.
func unpack(value property.Value) property.Value { return unpackJSON[map[string]any](value) }

// UnpackList does the same for a list.
func UnpackList(value property.Value) property.Value {
	if unpacked := unpackJSON[map[string]any](value); !unpacked.IsString() {
		return unpacked // marked as secret or unknown as a whole
	}
	return unpackJSON[[]any](value)
}

// UnpackText converts text that arrives as JSON text, in quotes: the packages of some languages send values that may be
// enums in that form.
func UnpackText(value property.Value) property.Value { return unpackJSON[string](value) }

// unpackJSON unpacks text that is JSON of this shape.
func unpackJSON[Shape any](value property.Value) property.Value {
	if !value.IsString() {
		return value
	}
	var parsed any
	if err := json.Unmarshal([]byte(value.AsString()), &parsed); err != nil {
		if value.AsString() == plugin.UnknownStringValue {
			return property.New(property.Computed)
		}
		return value
	}
	if _, fits := parsed.(Shape); !fits {
		return value
	}
	return fromJSON(parsed).WithSecret(value.Secret())
}

func fromJSON(parsed any) property.Value {
	switch parsed := parsed.(type) {
	case bool:
		return property.New(parsed)
	case float64:
		return property.New(parsed)
	case string:
		if parsed == plugin.UnknownStringValue {
			return property.New(property.Computed)
		}
		return property.New(parsed)
	case []any:
		items := make([]property.Value, 0, len(parsed))
		for _, item := range parsed {
			items = append(items, fromJSON(item))
		}
		return property.New(items)
	case map[string]any:
		if parsed[sig.Key] == sig.Secret {
			return fromJSON(parsed["value"]).WithSecret(true)
		}
		members := make(map[string]property.Value, len(parsed))
		for name, member := range parsed {
			members[name] = fromJSON(member)
		}
		return property.New(members)
	default:
		return property.New(property.Null)
	}
}
