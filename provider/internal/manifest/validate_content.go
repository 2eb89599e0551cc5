package manifest

import (
	"maps"
	"slices"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// podTemplate checks the labels and containers of workloads. Server-side apply cannot merge a container without a
// name, and the server then answers with an internal error (500).
func (c *checks) podTemplate() {
	pod, isWorkload := kinds.PodTemplate(IdentityOf(c.object).GroupKind())
	if !isWorkload {
		return
	}
	if len(pod) > 0 { // otherwise this is the metadata of the object itself
		c.texts(slices.Concat(pod, []string{"metadata", "labels"})...)
		c.texts(slices.Concat(pod, []string{"metadata", "annotations"})...)
	}
	for _, list := range []string{"initContainers", "containers", "ephemeralContainers"} {
		keys := slices.Concat(pod, []string{"spec", list})
		containers, _ := member(c.object, keys...).([]any)
		for i, item := range containers {
			container, isMap := item.(map[string]any)
			if isMap && isEmpty(container["name"]) {
				c.add("the container has no name: server-side apply needs one to tell containers apart",
					asAny(keys, i, "name")...)
			}
		}
	}
}

// leaves checks everything in the object for values that cannot be sent as written.
func (c *checks) leaves(value any, at ...any) {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			c.leaves(value[key], append(slices.Clip(at), key)...)
		}
	case []any:
		for i, item := range value {
			below := append(slices.Clip(at), i)
			if item == nil {
				c.add("the list item is null: remove it or give it a value", below...)
				continue
			}
			c.leaves(item, below...)
		}
	case int64:
		c.number(value, at)
	}
}

// ValidateNumbers lists the numbers that Pulumi would change. Inside Pulumi, the change is no longer visible.
func ValidateNumbers(object map[string]any) []Problem {
	c := &checks{object: object}
	c.numbers(object)
	return c.problems
}

func (c *checks) numbers(value any, at ...any) {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			c.numbers(value[key], append(slices.Clip(at), key)...)
		}
	case []any:
		for i, item := range value {
			c.numbers(item, append(slices.Clip(at), i)...)
		}
	case int64:
		c.number(value, at)
	}
}

func (c *checks) number(number int64, at []any) {
	if !c.isExact(number, at) {
		c.add("the number has too many digits: Pulumi keeps numbers as 64-bit floats, which would change the last ones; "+
			"write it as text if the field takes text", at...)
	}
}

// isExact reports whether an integer survives in Pulumi, or may change as little as it does on the server: the bounds
// in the schema of a custom resource are floats there too.
func (c *checks) isExact(number int64, at []any) bool {
	if values.IsExact(number) {
		return true
	}
	last := at[len(at)-1]
	return c.object["kind"] == "CustomResourceDefinition" && (last == "maximum" || last == "minimum")
}
