package connection

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// warning is one that the API server has sent about a resource.
type warning struct {
	urn  resource.URN
	text string
}

// ForwardWarnings shows the API server's warnings about requests under the context on the
// resource that they are about, each once in this process: an update is answered with
// the same ones twice, in the dry-run of Diff and in the write.
//
// Policies and webhooks warn in words of their own and may quote what they warn of, so
// sensitive lists the secrets of the object, as it is to be and as it was.
func (s *Source) ForwardWarnings(ctx context.Context, urn resource.URN, sensitive []string) context.Context {
	return cluster.WithWarnings(ctx, func(text string) {
		text = failure.NewRedactor(sensitive).Redact(text)
		if _, told := s.told.LoadOrStore(warning{urn, text}, true); !told {
			p.GetLogger(ctx).Warning(text)
		}
	})
}
