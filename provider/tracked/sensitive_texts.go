package tracked

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// Sensitive lists the secret texts of a tree, which the API server may quote in a refusal.
func Sensitive(tree any, secrets values.Marks) []string {
	var texts []string
	for path := range secrets.Secrets() {
		texts = append(texts, Texts(valueAt(tree, path))...)
	}
	return texts
}

// SensitiveWithNames also lists the keys of a secret map. The keys of a wholly secret tree are not secret, because they
// are mostly the names of the kind's fields.
func SensitiveWithNames(tree any, secrets values.Marks) []string {
	if secrets.IsSecret(property.Path{}) {
		return Sensitive(tree, secrets)
	}
	var texts []string
	for path := range secrets.Secrets() {
		texts = append(append(texts, Texts(valueAt(tree, path))...), names(valueAt(tree, path))...)
	}
	return texts
}

// names lists the keys of the maps in a tree.
func names(tree any) []string {
	var keys []string
	switch tree := tree.(type) {
	case map[string]any:
		for key, v := range tree {
			keys = append(append(keys, key), names(v)...)
		}
	case []any:
		for _, v := range tree {
			keys = append(keys, names(v)...)
		}
	}
	return keys
}

// valueAt returns the value at a path, or nil if there is none.
func valueAt(tree any, path property.Path) any {
	for segment := range path.Segments {
		switch segment := segment.(type) {
		case property.KeySegment:
			object, _ := tree.(map[string]any)
			tree = object[segment.Key()]
		case property.IndexSegment:
			list, _ := tree.([]any)
			if segment.Index() >= len(list) {
				return nil
			}
			tree = list[segment.Index()]
		}
	}
	return tree
}

// Texts lists the texts of a tree's scalars.
func Texts(tree any) []string {
	switch tree := tree.(type) {
	case map[string]any:
		var texts []string
		for _, v := range tree {
			texts = append(texts, Texts(v)...)
		}
		return texts
	case []any:
		var texts []string
		for _, v := range tree {
			texts = append(texts, Texts(v)...)
		}
		return texts
	case nil, bool, values.Unknown:
		return nil
	default:
		return []string{fmt.Sprint(tree)}
	}
}
