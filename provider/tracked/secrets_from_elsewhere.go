package tracked

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// shortestKnown is the minimum length of a secret text to look for. Shorter texts, such as a 1, also occur in values
// that have nothing to do with the secret.
const shortestKnown = 4

// KnownSecrets finds the secret texts of a program in values that the cluster returns: a secret that one resource has
// put into an object may be read there by another resource. See [connection.Source.Secrets].
type KnownSecrets struct {
	hide failure.Redactor
	any  bool
}

// NewKnownSecrets prepares to look for these texts.
func NewKnownSecrets(texts []string) KnownSecrets {
	long := slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return len(text) < shortestKnown })
	return KnownSecrets{failure.NewRedactor(long), len(long) > 0}
}

// In reports whether a text contains a secret text.
func (k KnownSecrets) In(text string) bool {
	return k.any && len(text) >= shortestKnown && k.hide.Redact(text) != text
}

// Mark marks the scalars of a tree that contain a secret text. If a key contains one, Mark marks the whole map.
func (k KnownSecrets) Mark(secrets *values.Marks, tree any) {
	if k.any && k.anywhere(tree) {
		k.mark(secrets, tree, nil)
	}
}

// anywhere reports whether a tree contains a secret text anywhere, so that it is worth checking every scalar.
func (k KnownSecrets) anywhere(tree any) bool {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(tree) != nil || k.In(text.String())
}

func (k KnownSecrets) mark(secrets *values.Marks, tree any, at []property.PathSegment) {
	switch tree := tree.(type) {
	case map[string]any:
		for key, member := range tree {
			if k.In(key) {
				secrets.Add(property.PathFromSegments(at...))
				return
			}
			k.mark(secrets, member, append(slices.Clip(at), property.NewSegment(key)))
		}
	case []any:
		for i, item := range tree {
			k.mark(secrets, item, append(slices.Clip(at), property.NewSegment(i)))
		}
	case nil, bool, values.Unknown:
	default:
		if k.In(fmt.Sprint(tree)) {
			secrets.Add(property.PathFromSegments(at...))
		}
	}
}
