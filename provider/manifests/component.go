package manifests

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
)

// New returns the component. source knows the default namespace of a connection; rules are the provider's readiness rules.
func New(children sets.Children, source *connection.Source, rules func() *readiness.Rules) infer.InferredComponent {
	return &component{Component: sets.NewComponent(infer.Resource(&Manifests{})), children: children, source: source, rules: rules}
}

// component constructs sets.
type component struct {
	sets.Component

	children sets.Children
	source   *connection.Source
	rules    func() *readiness.Rules
}

// Construct registers the objects of a set. It makes no request to a cluster.
func (c *component) Construct(ctx context.Context, req p.ConstructRequest) (p.ConstructResponse, error) {
	namespace := ""
	if clu, err := c.source.Cluster(req.Inputs); err == nil { // A connection that cannot be used fails the objects.
		namespace = clu.Namespace()
	}
	loaded, wrong := load(req.Inputs, namespace)
	if len(wrong) > 0 {
		return p.ConstructResponse{}, sets.Refused("Manifests", req.Urn.Name(), wrong)
	}
	return sets.Construct(ctx, req, c.children.Records, func(ctx *pulumi.Context, parent sets.Parent) (pulumi.Map, error) {
		children := sets.NewRegistration(ctx, c.children, c.rules(), loaded, parent)
		children.Timeouts = sets.TimeoutsOf(req)
		if err := loaded.Note(ctx, parent.Resource); err != nil {
			return nil, err
		}
		resources, err := children.Register()
		if err != nil {
			return nil, err
		}
		return pulumi.Map{keyResources: resources}, children.Complete()
	})
}
