package manifest

import (
	"fmt"
	"strings"

	yamlnode "go.yaml.in/yaml/v3"
)

// maxAliased is how many bytes the aliases of a document may expand to. It is several times what a cluster accepts as
// one object, and small enough to be read in a moment.
const maxAliased = 8 << 20

// checkAliases refuses a document whose aliases expand too far. The parser expands them: a text of some hundred KiB,
// mostly behind one anchor, would grow to so many GiB that the whole process dies.
func checkAliases(root *yamlnode.Node) error {
	a := aliases{sizes: map[*yamlnode.Node]int{}}
	a.visit(root)
	if a.tooMuch == nil {
		return nil
	}
	return fmt.Errorf("YAML: line %d: the aliases (*) up to here stand for more than %d MiB of text; "+
		"use an alias for a long text only where it is needed, or split the document", a.tooMuch.Line, maxAliased>>20)
}

// aliases adds up the expanded size of a document's aliases.
type aliases struct {
	sizes   map[*yamlnode.Node]int // of anchored nodes, with their aliases expanded
	total   int
	tooMuch *yamlnode.Node // the first alias over the limit
}

// visit visits the aliases in a node in document order.
func (a *aliases) visit(node *yamlnode.Node) {
	if node.Kind == yamlnode.AliasNode && a.tooMuch == nil {
		if a.total += a.size(node.Alias); a.total > maxAliased {
			a.tooMuch = node
		}
	}
	for _, child := range node.Content {
		a.visit(child)
	}
}

// size returns the size of a node with its aliases expanded, or some value above maxAliased. An anchor's references
// to itself count as nothing: the parser refuses those.
func (a *aliases) size(node *yamlnode.Node) int {
	if node.Kind == yamlnode.AliasNode {
		return a.size(node.Alias)
	}
	if size, known := a.sizes[node]; known {
		return size
	}
	if node.Anchor != "" {
		a.sizes[node] = 0
	}
	size := 1 + len(node.Value)
	for _, child := range node.Content {
		if size += a.size(child); size > maxAliased {
			break
		}
	}
	if node.Anchor != "" {
		a.sizes[node] = size
	}
	return size
}

// CheckAliases refuses a text with a document whose aliases expand too far. It is for texts that others parse.
func CheckAliases(text string) error {
	if !strings.Contains(text, "*") {
		return nil
	}
	for _, p := range pieces(text) {
		node, err := p.nodes()
		if err != nil || node == nil {
			continue // they cannot parse it either
		}
		if err := checkAliases(node); err != nil {
			return err
		}
	}
	return nil
}

// CheckAnchors refuses a text in which an anchor contains itself. It is for texts that others parse who do not check
// that themselves: the kustomize library follows such an anchor until the process ends, and no recover helps.
func CheckAnchors(text string) error {
	for _, p := range pieces(text) {
		node, err := p.nodes()
		if err != nil || node == nil {
			continue // they cannot parse it either
		}
		if within := circular(node, map[*yamlnode.Node]bool{}); within != nil {
			return fmt.Errorf("YAML: line %d: the anchor contains itself; write out what the alias in it stands for", p.before+within.Line)
		}
	}
	return nil
}

// circular returns an anchored node that contains an alias of itself, nil if there is none.
func circular(node *yamlnode.Node, open map[*yamlnode.Node]bool) *yamlnode.Node {
	if node.Kind == yamlnode.AliasNode {
		if open[node.Alias] {
			return node.Alias
		}
		return nil // what it stands for was visited where it is written
	}
	open[node] = true
	defer delete(open, node)
	for _, child := range node.Content {
		if found := circular(child, open); found != nil {
			return found
		}
	}
	return nil
}
