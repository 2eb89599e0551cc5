// Package startup keeps the garbage collector still while the program's packages initialize.
//
// The packages that the plugin links (the schemas of Pulumi and of JSON Schema, the types of Kubernetes) allocate 14 MB before main
// begins, nearly all of it for good. From the runtime's first goal of 4 MB, the collector would go through that four times, which
// is a fifth of the time until the plugin can be called, and the engine starts it for each preview and each update.
//
// Go initializes packages in the order of their paths as soon as what they import is ready. This one imports next to nothing, so it
// comes before all those that matter.
package startup

import (
	"runtime/debug"
	"sync"
)

var usual = debug.SetGCPercent(-1)

// Done lets the collector work as usual, or as GOGC says. Every way to use the provider calls it: a program that only imports
// the provider would never free memory.
var Done = sync.OnceFunc(func() { debug.SetGCPercent(usual) })
