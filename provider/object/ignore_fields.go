package object

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// decodeIgnore reads the ignored fields and adds those that are not yet known to unknown. Check has already rejected
// what does not parse.
func decodeIgnore(v property.Value, unknown int) (ownership.Ignore, int) {
	if v.IsComputed() {
		return nil, unknown + 1
	}
	if !v.IsArray() {
		return nil, unknown
	}
	var ignore ownership.Ignore
	for _, item := range v.AsArray().All {
		if item.IsComputed() {
			unknown++
			continue
		}
		if pattern, err := ownership.ParsePattern(values.Text(item)); err == nil {
			ignore = append(ignore, pattern)
		}
	}
	return ignore, unknown
}
