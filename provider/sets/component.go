package sets

import (
	"context"
	"errors"
	"fmt"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi-go-provider/middleware/schema"
	pschema "github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// Component has the types of a component. It takes them from a resource, because the framework requires the types of its own
// components to be wrapped in pulumi's. A type that embeds Component serves Construct from the raw request: the framework's
// Construct loses what is secret or unknown below the first level.
type Component struct {
	infer.InferredComponent

	typing infer.InferredResource
}

// NewComponent returns the component with the types of a resource.
func NewComponent(typing infer.InferredResource) Component {
	return Component{InferredComponent: infer.ComponentF(constructed), typing: typing}
}

// constructed satisfies the framework's constraint on components. It is never reached.
func constructed(*pulumi.Context, string, struct{}, ...pulumi.ResourceOption) (*componentState, error) {
	return nil, errors.New("a component is constructed from the raw request")
}

// componentState is the component as the parent of its children.
type componentState struct{ pulumi.ResourceState }

// GetToken returns the type of the component.
func (c Component) GetToken() (tokens.Type, error) { return c.typing.GetToken() }

// GetSchema describes the component.
func (c Component) GetSchema(register schema.RegisterDerivativeType) (pschema.ResourceSpec, error) {
	spec, err := c.typing.GetSchema(register)
	spec.IsComponent = true
	return spec, err
}

// Construct registers a component and, with register, its children. The outputs of the component are what register returns. records are
// what the engine has said of records.
func Construct(
	ctx context.Context, req p.ConstructRequest, records *Records, register func(ctx *pulumi.Context, parent Parent) (pulumi.Map, error),
) (p.ConstructResponse, error) {
	if err := records.refuseFormer(req.Urn, req.Aliases); err != nil {
		return p.ConstructResponse{}, err
	}
	var failed error // kept here, because it would lose its type on its way back
	resp, err := p.ProgramConstruct(ctx, req, func(
		ctx *pulumi.Context, typ, name string, inputs provider.ConstructInputs, options pulumi.ResourceOption,
	) (result *provider.ConstructResult, err error) {
		defer func() { failed = err }()
		needed, err := dependencies(ctx, inputs)
		if err != nil {
			return nil, err
		}
		component := &componentState{}
		if err := ctx.RegisterComponentResource(typ, name, component, options, pulumi.DependsOn(needed)); err != nil {
			return nil, err
		}
		urn, err := urnOf(ctx, component)
		if err != nil {
			return nil, err
		}
		outputs, err := register(ctx, Parent{URN: urn, Resource: component, aliases: req.Aliases, records: records})
		if err != nil {
			return nil, err
		}
		if err := ctx.RegisterResourceOutputs(component, outputs); err != nil {
			return nil, err
		}
		return &provider.ConstructResult{URN: component.URN(), State: outputs}, nil
	})
	if failed != nil {
		err = failed
	}
	return resp, unfinished(req.Urn.Name(), err)
}

// unfinished explains a run that the engine has canceled, as it does once an object fails. The error of that object says why.
func unfinished(name string, err error) error {
	if code := status.Code(err); code != codes.Canceled && code != codes.Unavailable && !errors.Is(err, context.Canceled) {
		return err
	}
	return failure.Errorf(failure.ReasonInterrupted, "the set %q is not complete: the run ended before all of its objects were done. "+
		"If one of them failed, its own error says why.", name)
}

// dependencies are the resources that the inputs depend on. The component depends on them, so its children are deleted before
// them.
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

func urnOf(ctx *pulumi.Context, of pulumi.Resource) (resource.URN, error) {
	result, err := internals.UnsafeAwaitOutput(ctx.Context(), of.URN())
	if err != nil {
		return "", err
	}
	urn, _ := result.Value.(pulumi.URN)
	return resource.URN(urn), nil
}

// Refused is the error of a component with mistakes in its inputs. A component has no Check that could report them one by one.
func Refused(kind, name string, wrong check.Mistakes) error {
	var lines []string
	for _, mistake := range wrong {
		lines = append(lines, fmt.Sprintf("  - %s: %s", mistake.Property, mistake.Reason))
	}
	return failure.Errorf(failure.ReasonInvalid, "the inputs of %s %q are refused:\n%s", kind, name, strings.Join(lines, "\n"))
}
