package engine

import (
	"context"
	"sync"

	"github.com/pulumi/pulumi/pkg/v3/backend"
	pulumi "github.com/pulumi/pulumi/pkg/v3/engine"
	"github.com/pulumi/pulumi/pkg/v3/util/cancel"
)

// cancellation stands for the signals of a command: an operation has one for its preview and one for its update.
type cancellation struct {
	mu      sync.Mutex
	sources []*cancel.Source
	begun   bool // to cancel
}

// NewScope makes the context of a part of the operation.
func (c *cancellation) NewScope(ctx context.Context, _ chan<- pulumi.Event, _ bool) backend.CancellationScope {
	scope, source := cancel.NewContext(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sources = append(c.sources, source)
	if c.begun {
		source.Cancel()
	}
	return scopeOf{scope}
}

func (c *cancellation) cancel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = true
	for _, source := range c.sources {
		source.Cancel()
	}
}

func (c *cancellation) terminate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun = true
	for _, source := range c.sources {
		source.Terminate()
	}
}

type scopeOf struct{ context *cancel.Context }

func (s scopeOf) Context() *cancel.Context { return s.context }

func (scopeOf) Close() {}
