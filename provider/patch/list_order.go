package patch

import (
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// reorderedBy lists the lists that a preview has reordered, if the program has changed their order: a reordering by
// others is not drift.
func (o outcome) reorderedBy(in inputs, saved property.Map) []ownership.Change {
	was, err := decodeInputs(saved)
	if err != nil || was.tree() == nil || len(ownership.Reordered(was.tree(), in.tree(), o.state.touched.set)) == 0 {
		return nil
	}
	var changes []ownership.Change
	for _, list := range o.reordered {
		changes = append(changes, ownership.Change{Kind: ownership.Changed, Path: list})
	}
	return changes
}
