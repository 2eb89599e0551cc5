// Package kustomize is how the provider calls the kustomize library, which keeps state for the whole process and panics.
//
//   - The library keeps the schemas of kinds in one place for the whole process, and a kustomization may bring its own. So
//     everything that calls the library does so within [Build] or [Run], one at a time, and [Build] leaves nothing behind.
//   - The library panics on some malformed input. This must not end the provider, because it is working on other
//     resources: [Build], [Run] and [Guard] return a [Panic].
package kustomize

import (
	"fmt"
	"sync"

	"sigs.k8s.io/kustomize/kyaml/openapi"
)

// running is held while the library works.
var running sync.Mutex

// Panic is a panic of the library. Its text may quote the input.
type Panic struct{ Cause any }

func (p *Panic) Error() string { return fmt.Sprintf("kustomize gave up: %v", p.Cause) }

// Build does work that may bring schemas: it builds a kustomization.
func Build(work func() error) error {
	return Run(func() error {
		defer openapi.ResetOpenAPI()
		return Guard(work)
	})
}

// Run does work that calls the library, but brings no schemas. Nothing else calls the library meanwhile, so work must not
// call Run or Build. The library keeps what it knows of Kubernetes' own kinds, which takes it a tenth of a second to read.
func Run(work func() error) error {
	running.Lock()
	defer running.Unlock()
	return Guard(work)
}

// Guard does a part of the work of [Run] or [Build]; the rest may go on after a panic.
func Guard(work func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &Panic{cause}
		}
	}()
	return work()
}
