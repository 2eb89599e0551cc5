package manifest

import "github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"

// MaxWeight is the greatest [Weight] with which an object travels through the engine as a tree of properties.
//
// The engine handles and logs every property with all that is below it, several times in each call. So a tree costs
// what all its maps, lists and values have as text, each with all that is below it: its size times its depth. Measured
// with version 3.259, an unchanged preview takes 2 s of CPU time for each million bytes of it. A text is one property.
//
// The definition of a custom resource has this weight at about 25 kB, a workload at about 64 kB, and a ConfigMap with
// files in it at about 170 kB. Lighter objects are worth more to their users as trees, since the engine then shows
// itself what changes in them.
const MaxWeight = 512 * 1024

// IsBig reports whether an object is too big to be a tree of properties: it travels and rests as [Text].
func IsBig(object map[string]any) bool { return Weight(object) > MaxWeight }

// Weight is what an object costs the engine as a tree of properties, in bytes of text that it handles.
func Weight(object map[string]any) int {
	_, weight := weigh(object)
	return weight
}

// weigh returns the approximate size of a value as JSON, and the sum of the sizes of all values in it and of itself.
func weigh(v any) (size, weight int) {
	const punctuation, number = 2, 4
	add := func(member any) {
		memberSize, memberWeight := weigh(member)
		size += memberSize
		weight += memberWeight
	}
	switch v := v.(type) {
	case string:
		size = len(v) + punctuation
	case map[string]any:
		size = punctuation
		for key, member := range v {
			size += len(key) + punctuation + punctuation
			add(member)
		}
	case []any:
		size = punctuation + len(v)
		for _, item := range v {
			add(item)
		}
	default:
		size = number
	}
	return size, weight + size
}

// Text is the canonical text of an object: one line of JSON, whatever the formatting and the order of keys were in the
// text that it comes from, with numbers as Pulumi has them. It fails if a value is not known yet.
func Text(object map[string]any) (string, error) {
	text, err := values.FormatJSON(object)
	if err != nil {
		return "", err
	}
	plain, err := values.ParseJSON(text) // a whole number beyond 2^53 is a float64 in a tree of properties
	if err != nil {
		return "", err
	}
	return values.FormatJSON(plain)
}

// ParseText reads what [Text] has written, many times faster than [ParseYAML]. It returns false for all other text,
// such as JSON in which a key is there twice.
func ParseText(text string) (map[string]any, bool) {
	if len(text) == 0 || text[0] != '{' {
		return nil, false
	}
	plain, err := values.ParseJSON(text)
	if err != nil {
		return nil, false
	}
	object, isMap := plain.(map[string]any)
	if again, err := values.FormatJSON(plain); !isMap || err != nil || again != text {
		return nil, false
	}
	return object, true
}
