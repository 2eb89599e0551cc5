package manifest

import (
	"fmt"

	yamlnode "go.yaml.in/yaml/v3"
)

// maxAliased is how many bytes the aliases of a document may stand for. It is several times what a cluster takes as
// one object, and little enough to be read in a moment.
const maxAliased = 8 << 20

// checkAliases refuses a document whose aliases stand for too much. The parser writes them out: of a text of some
// hundred KiB, most of it behind one anchor, it would make so many GiB that the whole process ends.
func checkAliases(root *yamlnode.Node) error {
	a := aliases{sizes: map[*yamlnode.Node]int{}}
	a.visit(root)
	if a.tooMuch == nil {
		return nil
	}
	return fmt.Errorf("YAML: line %d: the aliases (*) up to here stand for more than %d MiB of text; "+
		"use an alias for a long text only where it is needed, or split the document", a.tooMuch.Line, maxAliased>>20)
}

// aliases sums up what the aliases of a document stand for.
type aliases struct {
	sizes   map[*yamlnode.Node]int // of what has an anchor, with the aliases in it written out
	total   int
	tooMuch *yamlnode.Node // the first alias that is too much
}

// visit looks at the aliases in a node in the order in which they are written.
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

// size is the size of a node with its aliases written out, or something above maxAliased. What an anchor has of itself
// counts nothing: the parser refuses that.
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
