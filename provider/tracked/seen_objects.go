package tracked

import (
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// SeenObjects remembers which resources' objects this process has seen, by a read, a dry-run or a write. The engine
// reads before nearly every write. If it did not, as with driftDetection "refresh", the state may be days old, and a
// write first checks who manages the object. The zero value is ready to use, and safe for concurrent use.
type SeenObjects struct{ seen sync.Map } // resource.URN -> resourceVersion, or "" if it is not known

// Note records that an object was seen.
func (l *SeenObjects) Note(urn resource.URN) { l.seen.LoadOrStore(urn, "") }

// Read records that an object was read with this resourceVersion.
func (l *SeenObjects) Read(urn resource.URN, version string) { l.seen.Store(urn, version) }

// Wrote records that we have written an object, so that it has another resourceVersion than was read.
func (l *SeenObjects) Wrote(urn resource.URN) { l.seen.Store(urn, "") }

// Version returns the resourceVersion of a resource's object when it was read; empty if it was not.
func (l *SeenObjects) Version(urn resource.URN) string {
	version, _ := l.seen.Load(urn)
	read, _ := version.(string)
	return read
}

// Has reports whether this process has seen the object of a resource.
func (l *SeenObjects) Has(urn resource.URN) bool {
	_, seen := l.seen.Load(urn)
	return seen
}
