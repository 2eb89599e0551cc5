package object

import "github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"

// sent returns the manifest without the ignored fields. An update sends this.
func (in inputs) sent() map[string]any { return in.without(in.ignore) }

// asked returns the manifest without the fields that are ignored in any case. This is compared to decide whether the
// program has changed anything. What is left to managers may change without the program.
func (in inputs) asked() map[string]any { return in.without(in.named) }

func (in inputs) without(ignore ownership.Ignore) map[string]any {
	if in.unknown > 0 {
		return in.applied
	}
	body := ignore.Prune(in.applied)
	if len(ignore) > 0 {
		keepIdentity(body, in.applied)
	}
	return body
}

// keepIdentity restores what identifies the object, which no one else can manage.
func keepIdentity(body, applied map[string]any) {
	keep := func(to, from map[string]any, keys ...string) {
		for _, key := range keys {
			if v, ok := from[key]; ok {
				to[key] = v
			}
		}
	}
	keep(body, applied, "apiVersion", "kind")
	was, ok := applied["metadata"].(map[string]any)
	if !ok {
		return
	}
	metadata, ok := body["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		body["metadata"] = metadata
	}
	keep(metadata, was, "name", "namespace")
}
