package stack

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

// RequireKnown wants a program to know the keys of its configuration, those of its own project: one that it neither declares nor names
// anywhere is misspelt, and would do nothing. Only a program in YAML says in its files all that it reads.
func RequireKnown(project *workspace.Project, files map[string][]byte, keys []string) error {
	if unknown := Unknown(project, files, keys); len(unknown) > 0 {
		return fmt.Errorf("%w: the program has no key %q%s", ErrConfig, unknown[0], suggestion(project, unknown[0]))
	}
	return nil
}

// Unknown are the keys, without their project and their path, that [RequireKnown] does not accept.
func Unknown(project *workspace.Project, files map[string][]byte, keys []string) []string {
	if project == nil || project.Runtime.Name() != "yaml" {
		return nil
	}
	var unknown []string
	declared := Declared(project)
	for _, name := range slices.Sorted(slices.Values(keys)) {
		root := ownKey(project, name)
		if _, declares := declared[root]; root != "" && !declares && !isNamed(root, files) {
			unknown = append(unknown, root)
		}
	}
	return unknown
}

func isNamed(key string, files map[string][]byte) bool {
	named := regexp.MustCompile(`(^|[^\w-])` + regexp.QuoteMeta(key) + `($|[^\w-])`)
	for _, content := range files {
		if named.Match(content) {
			return true
		}
	}
	return false
}

func suggestion(project *workspace.Project, key string) string {
	declared := slices.Sorted(maps.Keys(project.Config))
	if len(declared) == 0 {
		return ". Declare it under config in " + ProjectFile + ", or remove it"
	}
	nearest := slices.MinFunc(declared, func(a, b string) int { return distance(key, a) - distance(key, b) })
	if distance(key, nearest) <= 1+len(key)/4 {
		return fmt.Sprintf(". Did you mean %q", nearest)
	}
	return ". It has: " + strings.Join(declared, ", ")
}

func distance(a, b string) int {
	return levenshtein.Distance(strings.ToLower(a), strings.ToLower(b), nil)
}
