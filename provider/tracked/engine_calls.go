package tracked

import (
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// EngineCalls tells the two ways apart in which the engine calls Diff. Its zero value is ready for use, also by several
// goroutines.
//
// The engine calls Diff after every Read, with the inputs and the connection of the last run, before the program runs;
// an error there fails preview, up, refresh and destroy alike, and no command is left that gets out. It calls Diff again
// when the program asks for the resource, with the program's inputs and connection. Only that call has a Check of the
// same resource before it in this process.
type EngineCalls struct{ checked, read sync.Map } // resource.URN -> true

// Check notes a Check of a resource.
func (c *EngineCalls) Check(urn resource.URN) { c.checked.Store(urn, true) }

// Read notes a Read of a resource.
func (c *EngineCalls) Read(urn resource.URN) {
	c.checked.Delete(urn)
	c.read.Store(urn, true)
}

// WasRead reports whether a resource was read in this process, and what a Read has to say is said.
func (c *EngineCalls) WasRead(urn resource.URN) bool {
	_, read := c.read.Load(urn)
	return read
}

// IsProgrammed reports whether the Diff that runs was asked for by the program.
func (c *EngineCalls) IsProgrammed(urn resource.URN) bool {
	_, checked := c.checked.LoadAndDelete(urn)
	return checked
}
