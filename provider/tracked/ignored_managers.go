package tracked

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// KeyIgnoreManagers is the input that names the managers whose fields are left to them.
const KeyIgnoreManagers = "ignoreManagers"

// IgnoredManagers are the field managers whose fields are left to them, by their full names.
type IgnoredManagers []string

// DecodeIgnoredManagers reads the names and counts those that are not known yet. Check has already refused what is not text.
func DecodeIgnoredManagers(v property.Value) (names IgnoredManagers, unknown int) {
	if v.IsComputed() {
		return nil, 1
	}
	if v.IsArray() {
		for _, item := range v.AsArray().All {
			if item.IsComputed() {
				unknown++
			}
		}
	}
	return slices.DeleteFunc(values.Scalars(v), func(name string) bool { return name == "" }), unknown
}

// CheckIgnoredManagers refuses names that match no manager, and managers that cannot be ignored. own is the field manager of
// the resource; empty if the names are for many. fail gets the place in the list, such as [0]; empty for the list itself.
func CheckIgnoredManagers(v property.Value, own string, takeOver TakeOver, fail func(at, reason string)) {
	switch {
	case v.IsNull(), v.IsComputed():
		return
	case !v.IsArray():
		fail("", "The value must be a list of field managers.")
		return
	}
	for i, item := range v.AsArray().All {
		at := fmt.Sprintf("[%d]", i)
		switch name := values.Text(item); {
		case item.IsComputed():
		case name == "":
			fail(at, "The field manager must be a string that is not empty, as `kubectl get --show-managed-fields` shows it.")
		case name == own:
			fail(at, "This is the field manager of this resource: it owns what the program sets. To leave a field to others, name the field in ignoreFields.")
		case strings.HasPrefix(name, ownership.ManagerPrefix):
			fail(at, "This is the field manager of another resource of this provider, and two resources never share the fields of an object. "+
				"Set the field in one of them.")
		case ownership.IsNobody(name):
			fail(at, "This field manager stands for fields without an owner.")
		case strings.Contains(name, "*"):
			fail(at, "Write the full names of the field managers, without *.")
		case takeOver.Names(name):
			fail(at, "takeOverFrom names the same field manager. Its fields either become this resource's, or are left to it.")
		}
	}
}

// Names reports whether a field manager is named.
func (m IgnoredManagers) Names(manager string) bool { return slices.Contains(m, manager) }

// NameAny reports whether one of the owners of a field is named. They are joined as [ownership.Owners] joins them.
func (m IgnoredManagers) NameAny(owners string) bool {
	return slices.ContainsFunc(strings.Split(owners, ", "), m.Names)
}

// Line returns the line for the program that also ignores these managers. It includes those that the program already
// names, because it replaces the existing line.
func (m IgnoredManagers) Line(managers ...string) string {
	names := slices.Clone(m)
	for _, manager := range managers {
		if !names.Names(manager) {
			names = append(names, manager)
		}
	}
	return KeyIgnoreManagers + ": [" + QuotedList(names) + "]"
}
