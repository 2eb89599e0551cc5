package provider

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/object"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/patch"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/task"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/typed"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/wait"
)

// postponing are the types whose Diff may fail because of a single resource. The function says from the saved outputs whether the
// last operation ended with an initialization error.
var postponing = map[tokens.Type]func(outputs property.Map) bool{
	object.Token:           object.IsUnfinished,
	patch.Token:            patch.IsUnfinished,
	wait.Token:             wait.IsUnfinished,
	task.Token:             task.IsUnfinished,
	task.ReleaseHooksToken: func(property.Map) bool { return false },
}

// servedAs returns the type of the resource that serves a type.
func servedAs(t tokens.Type) tokens.Type {
	if _, ok := typed.KindOf(t); ok {
		return object.Token
	}
	return t
}

// postponedErrors keeps the errors of Diffs until the engine carries out the updates that the Diffs announce.
//
// An error of Diff ends the command, even with `--continue-on-error`, because the engine takes it for an error of its own
// planning. An error of Update fails only its resource. So Diff answers that there is an update, and that Update returns the
// error, in a preview as well. Until the next Read or Diff of the resource, its object is not touched.
//
// The answer must never become a replacement. A replacement would begin with deletions: of what depends on the object, and of the
// object. The answer names no property, so replaceOnChanges can match only the initialization errors of the last operation. A
// resource that may have such errors therefore returns the error of Diff at once. One replacement remains: a replacement whose
// deletions an earlier command has carried out. Its Create returns the error. A Delete that comes first returns it, too, in case
// an engine decides otherwise.
type postponedErrors struct {
	calls    tracked.EngineCalls
	kept     sync.Map // resource.URN -> *postponedError
	imported sync.Map // resource.URN -> true
	deleted  sync.Map // resource.URN -> true
}

type postponedError struct {
	error

	// told means that an Update or a Create has returned it.
	told atomic.Bool
}

// withPostponedErrors lets the error of a program's Diff fail only its own resource.
func withPostponedErrors(built p.Provider) p.Provider {
	e := &postponedErrors{}
	check, read, diff, create, update, remove := built.Check, built.Read, built.Diff, built.Create, built.Update, built.Delete
	built.Check = func(ctx context.Context, req p.CheckRequest) (p.CheckResponse, error) {
		e.calls.Check(req.Urn)
		return check(ctx, req)
	}
	built.Read = func(ctx context.Context, req p.ReadRequest) (p.ReadResponse, error) {
		e.read(req)
		return read(ctx, req)
	}
	built.Diff = func(ctx context.Context, req p.DiffRequest) (p.DiffResponse, error) {
		resp, err := diff(ctx, req)
		if e.postpones(ctx, req, err) {
			return p.DiffResponse{HasChanges: true}, nil
		}
		return resp, err
	}
	built.Create = func(ctx context.Context, req p.CreateRequest) (p.CreateResponse, error) {
		if err := e.beforeWrite(req.Urn); err != nil {
			return p.CreateResponse{}, err
		}
		return create(ctx, req)
	}
	built.Update = func(ctx context.Context, req p.UpdateRequest) (p.UpdateResponse, error) {
		if err := e.beforeWrite(req.Urn); err != nil {
			return p.UpdateResponse{}, err
		}
		return update(ctx, req)
	}
	built.Delete = func(ctx context.Context, req p.DeleteRequest) error {
		if err := e.beforeDelete(req.Urn); err != nil {
			return err
		}
		return remove(ctx, req)
	}
	return built
}

// read records a Read: another command begins with it, or an import.
func (e *postponedErrors) read(req p.ReadRequest) {
	e.calls.Read(req.Urn)
	e.kept.Delete(req.Urn)
	e.deleted.Delete(req.Urn)
	if req.Inputs.Len() == 0 && req.Properties.Len() == 0 {
		e.imported.Store(req.Urn, true)
	}
}

// postpones reports whether to postpone the error of a Diff, and keeps the error if so. No Update follows the engine's own Diffs:
// the Diffs after a Read, and the Diffs of resources that depend on a replaced one. After an import, older engines end with an
// error instead of calling Update. An engine that compares several resources at once may already have deleted one that depends on
// a replaced one, and then only creates it.
func (e *postponedErrors) postpones(ctx context.Context, req p.DiffRequest, err error) bool {
	programmed := e.calls.IsProgrammed(req.Urn)
	_, imported := e.imported.LoadAndDelete(req.Urn)
	e.kept.Delete(req.Urn)
	if err == nil || !programmed || imported {
		return false
	}
	if _, deleted := e.deleted.Load(req.Urn); deleted {
		return false
	}
	isUnfinished, known := postponing[servedAs(req.Urn.Type())]
	if !known || isUnfinished(req.State) {
		return false
	}
	if ctx.Err() != nil || errors.Is(err, context.Canceled) || status.Code(err) == codes.Unimplemented {
		return false
	}
	e.kept.Store(req.Urn, &postponedError{error: err})
	return true
}

// beforeWrite returns the error of the Diff, as often as the engine tries.
func (e *postponedErrors) beforeWrite(urn resource.URN) error {
	kept, found := e.kept.Load(urn)
	if !found {
		return nil
	}
	postponed := kept.(*postponedError)
	postponed.told.Store(true)
	return postponed.error
}

// beforeDelete returns the error of the Diff if the deletion follows from that Diff. If an Update or a Create has returned the
// error, the engine has given up. Then the deletion belongs to an earlier replacement, or to another command.
func (e *postponedErrors) beforeDelete(urn resource.URN) error {
	if kept, found := e.kept.Load(urn); found {
		if postponed := kept.(*postponedError); !postponed.told.Load() {
			return postponed.error
		}
		e.kept.Delete(urn)
	}
	e.deleted.Store(urn, true)
	return nil
}
