package engine

import (
	"bytes"
	"io"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag/colors"
)

// output keeps what an operation prints: all of it in order, and stdout by itself.
type output struct {
	mu        sync.Mutex
	both, out bytes.Buffer
}

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

func (o *output) stdout() io.Writer {
	return writer(func(p []byte) (int, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.out.Write(p)
		return o.both.Write(p)
	})
}

func (o *output) stderr() io.Writer {
	return writer(func(p []byte) (int, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		return o.both.Write(p)
	})
}

func (o *output) texts() (both, stdout string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.both.String(), o.out.String()
}

// sink is where a command's own messages go.
func (o *output) sink() diag.Sink {
	return diag.DefaultSink(o.stdout(), o.stderr(), diag.FormatOptions{Color: colors.Never})
}
