package waitfor

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
)

// learn finds out which rule the CustomResourceDefinition of a kind declares, if that rule would decide. One that cannot be
// used is only warned about: the owner of the kind has written it, and the other rules decide then.
func (s Spec) learn(ctx context.Context, clu *cluster.Cluster, apiVersion, kind string) error {
	groupKind := schema.FromAPIVersionAndKind(apiVersion, kind).GroupKind()
	if !s.Goal.MayBeDeclared(groupKind) {
		return nil
	}
	text, err := clu.DefinitionAnnotation(ctx, apiVersion, kind, readiness.DeclaredBy)
	if err != nil {
		return err
	}
	if err := s.Goal.Declare(groupKind, text); err != nil {
		p.GetLogger(ctx).Warningf("The annotation %s of the CustomResourceDefinition of %s is ignored, because it is no rule: %s",
			readiness.DeclaredBy, groupKind, oneLine(err.Error()))
	}
	return nil
}
