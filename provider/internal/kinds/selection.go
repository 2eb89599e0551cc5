package kinds

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Selection selects kinds, as users write them in the provider's configuration: Pod, Deployment.apps, or *.cert-manager.io
// for all kinds of a group.
type Selection []schema.GroupKind

const anyKind = "*"

// selectionForm is KIND, KIND.GROUP or *.GROUP. Its form distinguishes a version in between from a group.
var selectionForm = regexp.MustCompile(`^(\*|[A-Za-z][A-Za-z0-9]*)(?:\.((?:[a-z0-9-]+\.)*[a-z0-9-]+))?$`)

var versionForm = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?(\.|$)`)

// ParseSelection reads what selects a kind, or all kinds of a group.
func ParseSelection(text string) (Selection, error) {
	parts := selectionForm.FindStringSubmatch(text)
	switch {
	case parts == nil, text == anyKind:
		return nil, fmt.Errorf("%q is not a kind; write Pod, Deployment.apps, or *.cert-manager.io for all kinds of a group", text)
	case versionForm.MatchString(parts[2]):
		return nil, fmt.Errorf("%q names a version; leave it out, a rule is for all versions", text)
	default:
		return Selection{{Kind: parts[1], Group: parts[2]}}, nil
	}
}

// Has reports whether a kind is selected. The case of its name does not matter.
func (s Selection) Has(kind schema.GroupKind) bool {
	return slices.ContainsFunc(s, func(wanted schema.GroupKind) bool {
		return wanted.Group == kind.Group && (wanted.Kind == anyKind || strings.EqualFold(wanted.Kind, kind.Kind))
	})
}
