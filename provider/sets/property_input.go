package sets

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// InputOf converts a value to an input of a registration. Secret and unknown marks keep their places.
func InputOf(v property.Value) pulumi.Input {
	if v.Secret() {
		return pulumi.ToSecret(InputOf(v.WithSecret(false)))
	}
	switch {
	case v.IsComputed():
		return pulumi.UnsafeUnknownOutput(nil)
	case v.IsBool():
		return pulumi.Bool(v.AsBool())
	case v.IsNumber():
		return pulumi.Float64(v.AsNumber())
	case v.IsString():
		return pulumi.String(v.AsString())
	case v.IsArray():
		list := make(pulumi.Array, 0, v.AsArray().Len())
		for _, item := range v.AsArray().All {
			list = append(list, InputOf(item))
		}
		return list
	case v.IsMap():
		members := make(pulumi.Map, v.AsMap().Len())
		for key, member := range v.AsMap().All {
			members[key] = InputOf(member)
		}
		return members
	default:
		return nil
	}
}
