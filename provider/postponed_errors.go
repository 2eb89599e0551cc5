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
	"github.com/k8sconnect/pulumi-k8sconnect/provider/wait"
)

// postponing are the types whose Diff may fail for one resource alone. Each says from the saved outputs whether the last operation
// ended with an initialization error.
var postponing = map[tokens.Type]func(outputs property.Map) bool{
	object.Token:           object.IsUnfinished,
	patch.Token:            patch.IsUnfinished,
	wait.Token:             wait.IsUnfinished,
	task.Token:             task.IsUnfinished,
	task.ReleaseHooksToken: func(property.Map) bool { return false },
}

// postponedErrors keeps the errors of Diffs until the engine asks for what follows from them.
//
// An error of Diff ends the command, whatever `--continue-on-error` says, because the engine takes it for one of its own planning.
// An error of an Update fails that resource. So Diff answers that there is an update, and the Update returns the error, in a preview
// as well. Until the next Read or Diff of the resource, its object is not touched.
//
// That answer must never become a replacement, which would begin with deletions: of what depends on the object, and of the object. It
// names no property, so that replaceOnChanges matches nothing but the initialization errors of the last operation; a resource that may
// have some returns the error of Diff at once. What remains is a replacement whose deletions an earlier command has done; its Create
// returns the error. So does a Delete that comes first, in case an engine decides otherwise.
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

// withPostponedErrors lets the error of a program's Diff fail no more than its resource.
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

// read records a Read, with which another command begins, or an import.
func (e *postponedErrors) read(req p.ReadRequest) {
	e.calls.Read(req.Urn)
	e.kept.Delete(req.Urn)
	e.deleted.Delete(req.Urn)
	if req.Inputs.Len() == 0 && req.Properties.Len() == 0 {
		e.imported.Store(req.Urn, true)
	}
}

// postpones reports whether the error of a Diff waits for what follows, and keeps it. No Update follows the Diffs of the engine's own:
// those after a Read, and of the dependents of what is replaced. After an import, older engines end with an error instead. An engine
// that compares several resources at once may have deleted one meanwhile, as a dependent of what is replaced, and then only creates it.
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
	isUnfinished, known := postponing[req.Urn.Type()]
	if !known || isUnfinished(req.State) {
		return false
	}
	if ctx.Err() != nil || errors.Is(err, context.Canceled) || status.Code(err) == codes.Unimplemented {
		return false
	}
	e.kept.Store(req.Urn, &postponedError{error: err})
	return true
}

// beforeWrite returns the error of the Diff, however often the engine tries again.
func (e *postponedErrors) beforeWrite(urn resource.URN) error {
	kept, found := e.kept.Load(urn)
	if !found {
		return nil
	}
	postponed := kept.(*postponedError)
	postponed.told.Store(true)
	return postponed.error
}

// beforeDelete returns the error of the Diff if the engine acts on that. If an Update or a Create has failed with it, the engine has
// given up, and the deletion is of what an earlier replacement has left, or of another command.
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
