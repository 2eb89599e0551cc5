package object

// sent returns the manifest without the ignored fields. An update sends this, and compares it to decide whether
// anything changed.
func (in inputs) sent() map[string]any {
	if in.unknown > 0 {
		return in.applied
	}
	body := in.ignore.Prune(in.applied)
	if len(in.ignore) > 0 {
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
