package object

import (
	"context"
	"sync"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
)

// heard are the API server's warnings that the user has been told. An update is
// answered with the same ones twice, in the dry-run of Diff and in the apply.
type heard struct{ said sync.Map } // of warning

type warning struct {
	urn  resource.URN
	text string
}

// listen shows the API server's warnings about requests under the context on the
// resource that they are about, each once.
func (h *heard) listen(ctx context.Context, urn resource.URN) context.Context {
	return cluster.WithWarnings(ctx, func(text string) {
		if _, said := h.said.LoadOrStore(warning{urn, text}, true); !said {
			p.GetLogger(ctx).Warning(text)
		}
	})
}
