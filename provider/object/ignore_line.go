package object

import (
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// ignoreLine returns the line for the program that leaves these fields to others. It includes what the program already
// ignores, because it replaces the existing line. If names are secret, there is no line to copy.
func (in inputs) ignoreLine(fields []fieldpath.Path) string {
	if in.namesSecret(fieldpath.NewSet(fields...)) {
		return "add them to ignoreFields; their names are secret and not shown here"
	}
	var already, names []string
	for _, field := range fields {
		names = append(names, ownership.Format(field))
	}
	if in.ignoreSecret {
		return "add to ignoreFields: " + tracked.QuotedList(names)
	}
	for _, pattern := range in.ignored {
		if !slices.ContainsFunc(fields, pattern.IsWithin) {
			already = append(already, pattern.String())
		}
	}
	return keyIgnoreFields + ": [" + tracked.QuotedList(append(already, names...)) + "]"
}

// adviseManagers returns what to write into the program to leave to known controllers whatever they own; empty if there
// are no controllers.
func (in inputs) adviseManagers(controllers []string) string {
	switch {
	case len(controllers) == 0:
		return ""
	case in.managersSecret:
		return "\nTo leave to a controller whatever it owns, add to ignoreManagers: " + tracked.QuotedList(tracked.Unique(controllers))
	default:
		return "\nTo leave to a controller whatever it owns:\n  " + in.ownManagers.Line(controllers...)
	}
}

// controllersAmong returns the known controllers among the owners of a field, joined as [ownership.Owners] joins them.
func controllersAmong(owners string) []string {
	return slices.DeleteFunc(strings.Split(owners, ", "), func(owner string) bool { return !ownership.IsController(owner) })
}
