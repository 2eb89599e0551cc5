package tracked

import (
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// EngineCalls distinguishes the two ways in which the engine calls Diff.
//
// The engine calls Diff after every Read, with the inputs and the connection of the last run, before the program runs.
// An error there fails preview, up, refresh and destroy alike, and leaves no command as a way out. The engine calls
// Diff again when the program registers the resource, with the program's inputs and connection. Only that call follows
// a Check of the same resource in this process.
type EngineCalls struct {
	Notes   Notes
	checked sync.Map // resource.URN -> true
}

const read = "read" // resource.URN

// Check records a Check of a resource.
func (c *EngineCalls) Check(urn resource.URN) { c.checked.Store(urn, true) }

// Read records a Read of a resource.
func (c *EngineCalls) Read(urn resource.URN) {
	c.checked.Delete(urn)
	c.Notes.set(read, string(urn), "")
}

// WasRead reports whether this operation has read a resource, and so has already reported what a Read reports.
func (c *EngineCalls) WasRead(urn resource.URN) bool {
	_, wasRead := c.Notes.get(read, string(urn))
	return wasRead
}

// IsProgrammed reports whether the program asked for the current Diff.
func (c *EngineCalls) IsProgrammed(urn resource.URN) bool {
	_, checked := c.checked.LoadAndDelete(urn)
	return checked
}
