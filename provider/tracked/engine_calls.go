package tracked

import (
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// EngineCalls distinguishes the two ways in which the engine calls Diff. Its zero value is ready for use, also by
// several goroutines.
//
// The engine calls Diff after every Read, with the inputs and the connection of the last run, before the program
// runs; an error there fails preview, up, refresh and destroy alike, and leaves no command as a way out. It calls
// Diff again when the program registers the resource, with the program's inputs and connection. Only that call
// follows a Check of the same resource in this process.
type EngineCalls struct{ checked, read sync.Map } // resource.URN -> true

// Check records a Check of a resource.
func (c *EngineCalls) Check(urn resource.URN) { c.checked.Store(urn, true) }

// Read records a Read of a resource.
func (c *EngineCalls) Read(urn resource.URN) {
	c.checked.Delete(urn)
	c.read.Store(urn, true)
}

// WasRead reports whether this process has read a resource, and so has already reported what a Read reports.
func (c *EngineCalls) WasRead(urn resource.URN) bool {
	_, read := c.read.Load(urn)
	return read
}

// IsProgrammed reports whether the program asked for the current Diff.
func (c *EngineCalls) IsProgrammed(urn resource.URN) bool {
	_, checked := c.checked.LoadAndDelete(urn)
	return checked
}
