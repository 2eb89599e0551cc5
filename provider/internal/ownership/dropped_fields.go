package ownership

import "sigs.k8s.io/structured-merge-diff/v6/fieldpath"

// Dropped returns which of the fields that a request has set are missing from the API server's answer: admission has
// removed them, or they belong to a feature that is not enabled in the cluster. The API server still lists them as
// owned. If a whole map or list is missing, Dropped returns only the outermost path.
//
// written returns the value of a field in the request. Dropped ignores fields with zero values, because the API server
// keeps them but leaves them out of answers.
func Dropped(answer map[string]any, written func(fieldpath.Path) (any, bool), fields *fieldpath.Set) *fieldpath.Set {
	dropped := fieldpath.NewSet()
	fields.Leaves().Iterate(func(path fieldpath.Path) {
		if v, has := written(path); !has || IsZero(v) {
			return
		}
		for n := range path {
			if _, _, kept := Locate(answer, path[:n+1]); !kept {
				dropped.Insert(path[:n+1].Copy())
				return
			}
		}
	})
	return dropped
}

// IsZero reports whether v is the zero value of its type: null, false, 0, or empty.
func IsZero(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	default:
		return v == nil || v == "" || v == false || Equal(v, int64(0))
	}
}
