package draws

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template/parse"
)

// textName is the name under which the engine parses a text of tpl.
const textName = "gotpl"

// Rewrite returns the text of a template in which each draw passes its call site. file is the name that the engine gives the template, such
// as "web/templates/secret.yaml". A text that cannot be parsed is returned unchanged.
func Rewrite(file, text string) string {
	return rewrite(file, text, func(scope *parse.VariableNode) parse.Node {
		return declare(scope, "kc_file", quoted(file), variable("$"))
	})
}

// rewriteText is [Rewrite] for a text of tpl. Such a text has no name, so it is named by a digest of its content.
func rewriteText(text string) string {
	return rewrite(textName, text, func(scope *parse.VariableNode) parse.Node {
		return declare(scope, "kc_define", quoted("tpl "+shortDigest(text)))
	})
}

func rewrite(name, text string, begin func(scope *parse.VariableNode) parse.Node) string {
	trees, err := parsed(name, text)
	if err != nil {
		return text
	}
	scope := unusedVariable(text)
	e := editor{scope: scope}
	var definitions strings.Builder
	for _, defined := range slices.Sorted(maps.Keys(trees)) {
		if defined == name {
			continue
		}
		fmt.Fprintf(&definitions, "{{define %q}}", defined)
		if root := trees[defined].Root; e.tree(root) {
			definitions.WriteString(declare(scope, "kc_define", quoted(defined)).String())
		}
		fmt.Fprintf(&definitions, "%s{{end}}", trees[defined].Root)
	}
	main := trees[name].Root
	first := ""
	if !parse.IsEmptyTree(main) { // an empty file must stay empty, so that it replaces no other template of its name
		first = begin(scope).String()
	}
	e.tree(main)
	if e.sites == 0 {
		return first + text // lines and columns do not change
	}
	return definitions.String() + first + main.String()
}

// parsed parses a template without knowing its functions.
func parsed(name, text string) (map[string]*parse.Tree, error) {
	trees := map[string]*parse.Tree{}
	tree := parse.New(name)
	tree.Mode = parse.SkipFuncCheck
	_, err := tree.Parse(text, "", "", trees)
	return trees, err
}

// unusedVariable returns a variable that does not occur in the text.
func unusedVariable(text string) *parse.VariableNode {
	name := "$kc"
	for strings.Contains(text, name) {
		name += "_"
	}
	return variable(name)
}
