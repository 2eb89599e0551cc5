package stack

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

// Declared are the keys that a program declares for itself, without their project. Those of other projects configure providers.
func Declared(project *workspace.Project) map[string]workspace.ProjectConfigType {
	own := map[string]workspace.ProjectConfigType{}
	for name, declared := range project.Config {
		if key, err := parseKey(project, name); err == nil && key.Namespace() == project.Name.String() {
			own[key.Name()] = declared
		}
	}
	return own
}

// Missing are the keys that a program requires, and that are not among these: Pulumi refuses to run without them.
func Missing(project *workspace.Project, keys []string) []string {
	var missing []string
	declared := Declared(project)
	for _, key := range slices.Sorted(maps.Keys(declared)) {
		if Requires(declared[key]) && !Sets(project, keys, key) {
			missing = append(missing, key)
		}
	}
	return missing
}

// Requires says whether the program has no value of a key unless it is given one.
func Requires(declared workspace.ProjectConfigType) bool {
	return declared.Default == nil && declared.Value == nil
}

// Sets says whether some keys set one of the program, as a whole or a part of it.
func Sets(project *workspace.Project, keys []string, key string) bool {
	root := ownKey(project, key)
	return root != "" && slices.ContainsFunc(keys, func(name string) bool { return ownKey(project, name) == root })
}

// ownKey is a key without its project and its path; empty if it is of another project, or no key. What is wrong with it is said elsewhere.
func ownKey(project *workspace.Project, name string) string {
	key, err := parseKey(project, name)
	if err != nil || key.Namespace() != project.Name.String() {
		return ""
	}
	path, err := resource.ParsePropertyPath(key.Name())
	if err != nil {
		return ""
	}
	return fmt.Sprint(path[0])
}
