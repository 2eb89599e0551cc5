package object

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
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

// heed finds out what is ignored in any case, with what the provider's setting says. It forgets what is left to managers.
func (in *inputs) heed(setting Ignored) {
	in.setting = setting
	in.named = append(slices.Clone(in.ignored), setting.Fields...)
	if id := manifest.IdentityOf(in.written); manifest.IsSecretKind(id.APIVersion, id.Kind) {
		in.named = in.named.Folded(in.written)
	}
	if manifest.IsAggregated(in.applied) {
		in.named = append(in.named, aggregatedRules)
	}
	in.named = in.named.Within(append([]map[string]any{in.applied}, in.trees...)...)
	in.leave(nil)
}

// aggregatedRules are the rules of a ClusterRole that a controller fills in.
var aggregatedRules = func() ownership.Pattern {
	pattern, err := ownership.ParsePattern("rules")
	if err != nil {
		panic(err)
	}
	return pattern
}()
