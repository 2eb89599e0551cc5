package ownership

import (
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// SelectsIn reports whether the pattern selects anything in a tree.
func (p Pattern) SelectsIn(tree map[string]any) bool { return selectsIn(tree, p.steps) }

func selectsIn(tree any, steps []selector) bool {
	if len(steps) == 0 {
		return true
	}
	switch step := steps[0]; tree := tree.(type) {
	case map[string]any:
		for name, v := range tree {
			if (step.all || step.name != nil && *step.name == name) && selectsIn(v, steps[1:]) {
				return true
			}
		}
	case []any:
		for _, item := range tree {
			if step.selects(item) && selectsIn(item, steps[1:]) {
				return true
			}
		}
	}
	return false
}

// Below returns the pattern without its first step, if that is the member of this name.
func (p Pattern) Below(name string) (Pattern, bool) {
	if len(p.steps) < 2 || p.steps[0].name == nil || *p.steps[0].name != name {
		return Pattern{}, false
	}
	_, rest, _ := strings.Cut(p.text, name)
	below, err := ParsePattern(strings.TrimPrefix(rest, "."))
	return below, err == nil
}

// Meant returns the path that the user probably meant, if the pattern selects nothing in a tree because it treats the
// dots in a key as steps: metadata.labels["app.kubernetes.io/name"] instead of
// metadata.labels.app.kubernetes.io/name.
func (p Pattern) Meant(tree map[string]any) (string, bool) {
	names := make([]string, len(p.steps))
	for i, step := range p.steps {
		if step.name == nil {
			return "", false
		}
		names[i] = *step.name
	}
	at := tree
	for i := range names {
		for end := len(names); end > i+1; end-- {
			key := strings.Join(names[i:end], ".")
			if v, ok := at[key]; ok && selectsIn(v, p.steps[end:]) {
				var path fieldpath.Path
				for _, name := range slices.Concat(names[:i], []string{key}, names[end:]) {
					path = append(path, fieldpath.FieldNameElement(name))
				}
				return Format(path), true
			}
		}
		below, ok := at[names[i]].(map[string]any)
		if !ok {
			return "", false
		}
		at = below
	}
	return "", false
}
