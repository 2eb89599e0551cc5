package connection

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// warning is a warning that the API server has sent about a resource.
type warning struct {
	urn  resource.URN
	text string
}

// ForwardWarnings shows the API server's warnings about requests under the context beside the resource, each once in
// this process: the dry-run of Diff and the write of the same update return the same warnings.
//
// Policies and webhooks choose their own texts and may quote values, so sensitive lists the secrets of the former and
// of the new object.
func (s *Source) ForwardWarnings(ctx context.Context, urn resource.URN, sensitive []string) context.Context {
	return cluster.WithWarnings(ctx, func(text string) {
		text = failure.NewRedactor(sensitive).Redact(text)
		if _, told := s.told.LoadOrStore(warning{urn, text}, true); !told {
			p.GetLogger(ctx).Warning(text)
		}
	})
}
