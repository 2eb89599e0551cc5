package tracked

import (
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// SeenObjects remembers on which resources' objects this process has looked, by a read, a dry-run or a write. The engine reads
// before nearly every write; where it has not, as with driftDetection "refresh", the state may be days old, and a write
// looks first whose the object is. Its zero value is ready for use, also by several goroutines.
type SeenObjects struct{ seen sync.Map } // resource.URN -> true

// Note notes a look.
func (l *SeenObjects) Note(urn resource.URN) { l.seen.Store(urn, true) }

// Has reports whether this process has looked.
func (l *SeenObjects) Has(urn resource.URN) bool {
	_, seen := l.seen.Load(urn)
	return seen
}
