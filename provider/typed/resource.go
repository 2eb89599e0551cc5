package typed

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// Serve adds the resources of all kinds to a provider. They are called with the URN of the typed resource: field managers hang on it,
// and a Deployment and a Service may have the same name.
func (e *Extensions) Serve(built p.Provider) p.Provider {
	plain := e.savedByKinds(built)
	built.Check = byKind(plain.Check, func(req p.CheckRequest) resource.URN { return req.Urn }, e.check)
	built.Diff = byKind(plain.Diff, func(req p.DiffRequest) resource.URN { return req.Urn }, e.diff)
	built.Create = byKind(plain.Create, func(req p.CreateRequest) resource.URN { return req.Urn }, e.create)
	built.Read = byKind(plain.Read, func(req p.ReadRequest) resource.URN { return req.Urn }, e.read)
	built.Update = byKind(plain.Update, func(req p.UpdateRequest) resource.URN { return req.Urn }, e.update)
	remove := byKind(
		func(ctx context.Context, req p.DeleteRequest) (struct{}, error) {
			return struct{}{}, plain.Delete(ctx, req)
		},
		func(req p.DeleteRequest) resource.URN { return req.Urn },
		func(ctx context.Context, req p.DeleteRequest, k Kind) (struct{}, error) {
			return struct{}{}, e.delete(ctx, req, k)
		})
	built.Delete = func(ctx context.Context, req p.DeleteRequest) error {
		_, err := remove(ctx, req)
		return err
	}
	return built
}

// byKind calls one function for the resources of kinds, and rest for all others.
func byKind[Request, Response any](
	rest func(context.Context, Request) (Response, error), urnOf func(Request) resource.URN,
	kinds func(context.Context, Request, Kind) (Response, error),
) func(context.Context, Request) (Response, error) {
	return func(ctx context.Context, req Request) (Response, error) {
		if k, ok := KindOf(urnOf(req).Type()); ok {
			return kinds(ctx, req, k)
		}
		return rest(ctx, req)
	}
}

// savedByKinds lets a KubeObject continue with the state of a typed resource, which an alias has given it.
func (e *Extensions) savedByKinds(built p.Provider) p.Provider {
	is := func(urn resource.URN, outputs property.Map) bool {
		return urn.Type() == e.object.Token && saved{outputs: outputs}.isTyped()
	}
	diff, update, remove := built.Diff, built.Update, built.Delete
	built.Diff = func(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
		if is(req.Urn, req.State) {
			was := e.toObject(saved{req.State, req.OldInputs}, Kind{})
			req.State, req.OldInputs = was.outputs, was.inputs
		}
		return diff(ctx, req)
	}
	built.Update = func(ctx context.Context, req p.UpdateRequest) (p.UpdateResponse, error) {
		if is(req.Urn, req.State) {
			was := e.toObject(saved{req.State, req.OldInputs}, Kind{})
			req.State, req.OldInputs = was.outputs, was.inputs
		}
		return update(ctx, req)
	}
	built.Delete = func(ctx context.Context, req p.DeleteRequest) error {
		if is(req.Urn, req.Properties) {
			was := e.toObject(saved{req.Properties, req.OldInputs}, Kind{})
			req.Properties, req.OldInputs = was.outputs, was.inputs
		}
		return remove(ctx, req)
	}
	return built
}

func (e *Extensions) check(ctx context.Context, req p.CheckRequest, k Kind) (p.CheckResponse, error) {
	a := e.adapter(k)
	was := e.toObject(saved{inputs: req.State}, k).inputs
	program, wrong := a.checkTop(req.Inputs, was)
	req.State, req.Inputs = was, a.programToObject(program, was)
	say := a.wording(nil, req.Inputs, was)
	resp, err := e.object.Resource.Check(say.context(ctx), req)
	resp.Inputs = a.inputsFrom(resp.Inputs)
	say.failures(resp.Failures)
	resp.Failures = append(wrong, resp.Failures...)
	return resp, say.error(err)
}

func (e *Extensions) diff(ctx context.Context, req p.DiffRequest, k Kind) (p.DiffResponse, error) {
	a := e.adapter(k)
	program := req.Inputs
	was := e.toObject(saved{req.State, req.OldInputs}, k)
	req.State, req.OldInputs, req.Inputs = was.outputs, was.inputs, a.toObject(req.Inputs)
	req.IgnoreChanges = a.ignored(req.IgnoreChanges)
	say := a.wording(req.IgnoreChanges, req.Inputs, was.inputs, was.outputs)
	resp, err := e.object.Resource.Diff(say.context(ctx), req)
	resp.DetailedDiff = a.detailed(resp.DetailedDiff, program)
	return resp, say.error(err)
}

// detailed returns a difference with the places where a typed resource has the properties. A difference in the manifest as a whole is
// one in each of its fields.
func (a adapter) detailed(diff map[string]p.PropertyDiff, program property.Map) map[string]p.PropertyDiff {
	if diff == nil {
		return nil
	}
	out := map[string]p.PropertyDiff{}
	for path, change := range diff {
		if at := a.fromManifest(path); at != "" {
			out[at] = change
			continue
		}
		for name := range program.All {
			if name != Options && !isHidden(name) {
				out[name] = change
			}
		}
		out[metadataField] = change
	}
	return out
}

func (e *Extensions) create(ctx context.Context, req p.CreateRequest, k Kind) (p.CreateResponse, error) {
	a := e.adapter(k)
	program := req.Properties
	req.Properties = a.toObject(req.Properties)
	say := a.wording(nil, req.Properties)
	resp, err := e.object.Resource.Create(say.context(ctx), req)
	resp.Properties = e.outputs(resp.Properties, program, k)
	say.unfinished(resp.PartialState)
	return resp, say.error(err)
}

func (e *Extensions) update(ctx context.Context, req p.UpdateRequest, k Kind) (p.UpdateResponse, error) {
	a := e.adapter(k)
	program := req.Inputs
	was := e.toObject(saved{req.State, req.OldInputs}, k)
	req.State, req.OldInputs, req.Inputs = was.outputs, was.inputs, a.toObject(req.Inputs)
	req.IgnoreChanges = a.ignored(req.IgnoreChanges)
	say := a.wording(req.IgnoreChanges, req.Inputs, was.inputs, was.outputs)
	resp, err := e.object.Resource.Update(say.context(ctx), req)
	resp.Properties = e.outputs(resp.Properties, program, k)
	say.unfinished(resp.PartialState)
	return resp, say.error(err)
}

func (e *Extensions) read(ctx context.Context, req p.ReadRequest, k Kind) (p.ReadResponse, error) {
	if req.Inputs.Len() == 0 && req.Properties.Len() == 0 {
		id, err := k.imports(req.ID)
		if err != nil {
			return p.ReadResponse{}, err
		}
		req.ID = id
	}
	was := e.toObject(saved{req.Properties, req.Inputs}, k)
	req.Properties, req.Inputs = was.outputs, was.inputs
	a := e.adapter(k)
	say := a.wording(nil, was.inputs, was.outputs)
	resp, err := e.object.Resource.Read(say.context(ctx), req)
	inputs := a.inputsFrom(resp.Inputs)
	resp.Properties, resp.Inputs = e.outputs(resp.Properties, inputs, k), inputs
	say.unfinished(resp.PartialState)
	return resp, say.error(err)
}

func (e *Extensions) delete(ctx context.Context, req p.DeleteRequest, k Kind) error {
	was := e.toObject(saved{req.Properties, req.OldInputs}, k)
	req.Properties, req.OldInputs = was.outputs, was.inputs
	say := e.adapter(k).wording(nil, was.inputs, was.outputs)
	return say.error(e.object.Resource.Delete(say.context(ctx), req))
}

// outputs makes typed outputs. They are of the kind of the object, which may be in another version than the resource.
func (e *Extensions) outputs(object, inputs property.Map, k Kind) property.Map {
	if applied, ok := kindInReference(property.New(object)); ok {
		k = applied
	}
	return e.adapter(k).outputsFrom(object, inputs)
}

// imports returns the ID of an object in the version of the kind. An object of another kind would be in the state under the wrong type.
func (k Kind) imports(text string) (string, error) {
	id, err := manifest.ParseID(text)
	if err != nil {
		return "", failure.Because(failure.ReasonInvalid, err)
	}
	if id.Kind != k.Kind || id.Group() != k.Group {
		next := "Give the ID of an object of this kind."
		if other, ok := kindIn(id.APIVersion, id.Kind); ok {
			next = "Give the ID of an object of this kind, or the type " + other.Token() + "."
		}
		return "", failure.Errorf(failure.ReasonInvalid, "%s is a %s, and the type %s is for objects of the kind %s of %s. %s",
			text, id.Kind, k.Token(), k.Kind, k.APIVersion(), next)
	}
	id.APIVersion = k.APIVersion()
	return id.String(), nil
}
