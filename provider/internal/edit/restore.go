package edit

import "reflect"

// restore returns original with the changes of an edit. plain is the result of the same processing without an edit: a
// value that is the same in plain and edited was not edited, and keeps its original form.
func restore(original, plain, edited any) any {
	if reflect.DeepEqual(plain, edited) {
		return original
	}
	switch edited := edited.(type) {
	case map[string]any:
		original, isMap := original.(map[string]any)
		plain, isPlain := plain.(map[string]any)
		if isMap && isPlain {
			return restoreMap(original, plain, edited)
		}
	case []any:
		original, isList := original.([]any)
		plain, isPlain := plain.([]any)
		if isList && isPlain && len(original) == len(plain) {
			return restoreList(original, plain, edited)
		}
	}
	return edited
}

func restoreMap(original, plain, edited map[string]any) map[string]any {
	restored := make(map[string]any, len(edited))
	for key, value := range edited {
		before, inOriginal := original[key]
		without, inPlain := plain[key]
		if inOriginal && inPlain {
			value = restore(before, without, value)
		}
		restored[key] = value
	}
	for key, value := range original { // values that the processing itself loses
		_, inPlain := plain[key]
		_, inEdited := edited[key]
		if !inPlain && !inEdited {
			restored[key] = value
		}
	}
	return restored
}

// restoreList takes equal items at the front and at the back for the same items. If no item was added or removed, it
// also pairs the items in between.
func restoreList(original, plain, edited []any) []any {
	restored := make([]any, len(edited))
	copy(restored, edited)
	front := 0
	for front < min(len(plain), len(edited)) && reflect.DeepEqual(plain[front], edited[front]) {
		restored[front] = original[front]
		front++
	}
	back := 0
	for back < min(len(plain), len(edited))-front && reflect.DeepEqual(plain[len(plain)-1-back], edited[len(edited)-1-back]) {
		back++
		restored[len(edited)-back] = original[len(original)-back]
	}
	if len(plain) == len(edited) {
		for i := front; i < len(edited)-back; i++ {
			restored[i] = restore(original[i], plain[i], edited[i])
		}
	}
	return restored
}
