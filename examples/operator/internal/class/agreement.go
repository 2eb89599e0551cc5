package class

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
)

// The reasons why a class and its program do not agree.
const (
	ReasonProgramUnreadable = "ProgramInvalid"
	ReasonKeysUnknown       = "KeysUnknown"
	ReasonKeysMissing       = "KeysMissing"
)

// Disagreement says with a reason what of the schema of a class does not fit the program of a revision; both are empty if nothing is known to
// be wrong. It is advice: the objects that it is about fail, and no others.
func Disagreement(of *v1alpha1.EnvironmentClass, revision *Revision) (reason, message string) {
	project, err := stack.Project(revision.Files, "")
	if err != nil {
		return ReasonProgramUnreadable, err.Error() + "."
	}
	spec, err := specOf(of, revision)
	if err != nil {
		return "", "" // That is said already.
	}
	set := keysOf(&revision.Template)
	for name, property := range spec.Properties {
		if property.Default != nil || slices.Contains(spec.Required, name) {
			set = append(set, name)
		}
	}
	var says []string
	if missing := stack.Missing(project, set); len(missing) > 0 {
		reason = ReasonKeysMissing
		says = append(says, missingKeys(of, missing))
	}
	if unknown := stack.Unknown(project, revision.Files, slices.Collect(maps.Keys(spec.Properties))); len(unknown) > 0 {
		reason = ReasonKeysUnknown
		says = append(says, fmt.Sprintf("The program does not know what objects may set, so those that do fail: %s. Declare it under config in %s, or correct its name.",
			some(unknown), stack.ProjectFile))
	}
	return reason, strings.Join(says, " ")
}

// missingKeys says what to do about them. Without a schema, only secrets are left out that are required.
func missingKeys(of *v1alpha1.EnvironmentClass, missing []string) string {
	if of.Spec.Schema == nil {
		return fmt.Sprintf("The program requires secrets that objects cannot have: %s. Name them in spec.secrets, set them in spec.template.secretConfig, or give them "+
			"a default in the program.", some(missing))
	}
	return fmt.Sprintf("The program requires configuration that objects may leave out: %s. Name it in required of spec.schema or give it a default "+
		"there, set it in spec.template.config, or give it a default in the program.", some(missing))
}

// some are names for people.
func some(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
