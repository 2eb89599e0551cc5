package ownership

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// WrittenAt returns when manager last changed the object itself, as recorded by the API server; empty if that is not
// recorded. Writes by other managers do not affect it.
func WrittenAt(object *unstructured.Unstructured, manager string) string {
	var last time.Time
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == manager && entry.Subresource == "" && entry.Time != nil && entry.Time.After(last) {
			last = entry.Time.Time
		}
	}
	if last.IsZero() {
		return ""
	}
	return last.UTC().Format(time.RFC3339)
}

// WithDefaults returns wanted with what the API server has changed in atomic lists and maps of fields. A definition may
// gain defaults, and lose them again; objects show that at the next read, although no one has written them.
//
// written returns the value that was sent for a field: everything in it must still be as wanted. If it is not known
// what was sent, wanted takes its place.
func WithDefaults(wanted, live map[string]any, fields *fieldpath.Set, written func(fieldpath.Path) (any, bool)) map[string]any {
	fields.Leaves().Iterate(func(path fieldpath.Path) {
		before, _, had := locateAmong(wanted, path, fields)
		after, _, has := locateAmong(live, path, fields)
		if !had || !has || Equal(before, after) {
			return
		}
		sent, known := written(path)
		if !known {
			sent = before
		}
		if keepsSent(before, after, sent) {
			wanted = SetAt(wanted, path, after)
		}
	})
	return wanted
}

// keepsSent reports whether two values differ only in members of maps that were not sent.
func keepsSent(before, after, sent any) bool {
	switch sent := sent.(type) {
	case map[string]any:
		was, ok := before.(map[string]any)
		is, too := after.(map[string]any)
		if !ok || !too {
			return false
		}
		for name, v := range sent {
			old, had := was[name]
			new, has := is[name]
			if had != has || had && !keepsSent(old, new, v) {
				return false
			}
		}
		return true
	case []any:
		return keepsSentItems(before, after, sent)
	default:
		return Equal(before, after)
	}
}

// keepsSentItems is [keepsSent] for lists.
func keepsSentItems(before, after any, sent []any) bool {
	was, ok := before.([]any)
	is, too := after.([]any)
	if !ok || !too || len(was) != len(sent) || len(is) != len(sent) {
		return false
	}
	for i, v := range sent {
		if !keepsSent(was[i], is[i], v) {
			return false
		}
	}
	return true
}
