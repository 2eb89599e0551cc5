package tracked

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// KeyTakeOverFrom is the input that names the managers to take fields over from.
const KeyTakeOverFrom = "takeOverFrom"

// TakeOver are the field managers that the program takes fields over from: full names, or patterns in which "*" stands
// for any text.
type TakeOver []string

// DecodeTakeOver reads the input. Check has already refused what is not text.
func DecodeTakeOver(v property.Value) TakeOver {
	return slices.DeleteFunc(values.Scalars(v), func(name string) bool { return name == "" })
}

// CheckTakeOver refuses names that match no manager, and managers that cannot be taken over.
func CheckTakeOver(v property.Value, fail func(path, reason string)) {
	switch {
	case v.IsNull(), v.IsComputed():
		return
	case !v.IsArray():
		fail(KeyTakeOverFrom, "The value must be a list of field managers.")
		return
	}
	for i, item := range v.AsArray().All {
		path := fmt.Sprintf("%s[%d]", KeyTakeOverFrom, i)
		switch name := values.Text(item); {
		case item.IsComputed():
		case name == "":
			fail(path, "The field manager must be a string that is not empty, as `kubectl get --show-managed-fields` shows it.")
		case ownership.IsPatchManager(name):
			fail(path, "The fields of a Patch are not taken over. Remove the Patch: it hands them back.")
		}
	}
}

// Names reports whether the program names a field manager.
//
// It never names this provider's managers by accident: a pattern must spell out their prefix. It never names a Patch,
// because a Patch deliberately owns its fields on another resource's object. In kubectl, each command has its own
// manager (kubectl-client-side-apply, kubectl-edit), and the name kubectl stands for all of them.
func (o TakeOver) Names(manager string) bool {
	if ownership.IsPatchManager(manager) {
		return false
	}
	for _, pattern := range o {
		literal, _, _ := strings.Cut(pattern, "*")
		switch {
		case strings.HasPrefix(manager, ownership.ManagerPrefix) && !strings.HasPrefix(literal, ownership.ManagerPrefix):
		case matches(pattern, manager), pattern == "kubectl" && strings.HasPrefix(manager, "kubectl-"):
			return true
		}
	}
	return false
}

// matches reports whether text matches pattern.
func matches(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		_, rest, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = rest
	}
	return true
}

// String returns the names as a state stores them.
func (o TakeOver) String() string { return strings.Join(o, " ") }

// NameAll reports whether the program names all owners of a field, joined as [ownership.Owners] joins them.
func (o TakeOver) NameAll(owners string) bool {
	for owner := range strings.SplitSeq(owners, ", ") {
		if !o.Names(owner) {
			return false
		}
	}
	return owners != ""
}
