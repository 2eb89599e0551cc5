package manifest

import "strings"

// ResourcePolicy is Helm's annotation for objects that must outlive their release; charts put it mainly on
// definitions.
const ResourcePolicy = "helm.sh/resource-policy"

// SaysKeep reports whether an object or a manifest asks not to be deleted. It follows Helm's reading of the
// annotation.
func SaysKeep(object map[string]any) bool {
	policy, _ := member(object, "metadata", "annotations", ResourcePolicy).(string)
	return strings.EqualFold(strings.TrimSpace(policy), "keep")
}
