package manifests

import (
	"context"
	"errors"
	"fmt"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi-go-provider/middleware/schema"
	pschema "github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
)

// Children are the types of a set's children.
type Children struct{ Object, Wait tokens.Type }

// New returns the component. source knows the default namespace of a connection; rules are the provider's readiness rules.
func New(children Children, source *connection.Source, rules func() *readiness.Rules) infer.InferredComponent {
	return &component{
		InferredComponent: infer.ComponentF(constructed),
		typing:            infer.Resource(&Manifests{}),
		children:          children,
		source:            source,
		rules:             rules,
	}
}

// component constructs sets. Its types are those of a resource, because the framework wants the types of a component to be
// wrapped in pulumi's.
type component struct {
	infer.InferredComponent

	typing   infer.InferredResource
	children Children
	source   *connection.Source
	rules    func() *readiness.Rules
}

// GetToken returns the type of the component.
func (c *component) GetToken() (tokens.Type, error) { return c.typing.GetToken() }

// GetSchema describes the component.
func (c *component) GetSchema(register schema.RegisterDerivativeType) (pschema.ResourceSpec, error) {
	spec, err := c.typing.GetSchema(register)
	spec.IsComponent = true
	return spec, err
}

// constructed satisfies the framework's constraint on components. It is never reached, because component serves Construct from the
// raw request.
func constructed(*pulumi.Context, string, Args, ...pulumi.ResourceOption) (*parent, error) {
	return nil, errors.New("Manifests is constructed from the raw request")
}

// Create satisfies infer's constraint on resource types. It is never reached: a component is constructed.
func (*Manifests) Create(context.Context, infer.CreateRequest[Args]) (infer.CreateResponse[Outputs], error) {
	return infer.CreateResponse[Outputs]{}, errors.New("Manifests is constructed")
}

// parent is the component as its children see it.
type parent struct{ pulumi.ResourceState }

// Construct registers the objects of a set. It makes no request to a cluster.
func (c *component) Construct(ctx context.Context, req p.ConstructRequest) (p.ConstructResponse, error) {
	namespace := ""
	if clu, err := c.source.Cluster(req.Inputs); err == nil { // A connection that cannot be used fails the objects.
		namespace = clu.Namespace()
	}
	loaded, wrong := load(req.Inputs, namespace)
	if len(wrong) > 0 {
		return p.ConstructResponse{}, refused(req.Urn.Name(), wrong)
	}
	resp, err := p.ProgramConstruct(ctx, req, func(
		ctx *pulumi.Context, typ, name string, inputs provider.ConstructInputs, options pulumi.ResourceOption,
	) (*provider.ConstructResult, error) {
		needed, err := dependencies(ctx, inputs)
		if err != nil {
			return nil, err
		}
		component := &parent{}
		if err := ctx.RegisterComponentResource(typ, name, component, options, pulumi.DependsOn(needed)); err != nil {
			return nil, err
		}
		children := &registration{ctx: ctx, types: c.children, rules: c.rules(), set: loaded, name: name, parent: component}
		resources, err := children.register()
		if err != nil {
			return nil, err
		}
		outputs := pulumi.Map{keyResources: resources}
		if err := ctx.RegisterResourceOutputs(component, outputs); err != nil {
			return nil, err
		}
		return &provider.ConstructResult{URN: component.URN(), State: outputs}, nil
	})
	return resp, unfinished(req.Urn.Name(), err)
}

// unfinished explains the end of a run that the engine has canceled, which it does as soon as one object fails. The error of
// that object says why.
func unfinished(name string, err error) error {
	if code := status.Code(err); code != codes.Canceled && code != codes.Unavailable {
		return err
	}
	return failure.Errorf(failure.ReasonInterrupted, "the set %q is not complete: the run ended before all of its objects were done. "+
		"If one of them failed, its own error says why.", name)
}

// dependencies are the resources that the inputs depend on. The component depends on them, and so are its children deleted
// before them.
func dependencies(ctx *pulumi.Context, inputs provider.ConstructInputs) ([]pulumi.Resource, error) {
	outputs, err := inputs.Map()
	if err != nil {
		return nil, err
	}
	var found []pulumi.Resource
	for _, input := range outputs {
		output, ok := input.(pulumi.Output)
		if !ok {
			continue
		}
		result, err := internals.UnsafeAwaitOutput(ctx.Context(), output)
		if err != nil {
			return nil, err
		}
		found = append(found, result.Dependencies...)
	}
	return found, nil
}

// refused is the error of a set with mistakes in its inputs. A component has no Check that could report them one by one.
func refused(name string, wrong check.Mistakes) error {
	var lines []string
	for _, mistake := range wrong {
		lines = append(lines, fmt.Sprintf("  - %s: %s", mistake.Property, mistake.Reason))
	}
	return failure.Errorf(failure.ReasonInvalid, "the inputs of Manifests %q are refused:\n%s", name, strings.Join(lines, "\n"))
}
