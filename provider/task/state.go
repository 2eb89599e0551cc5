package task

import (
	"cmp"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// The names of the outputs. The hidden ones begin with __.
const (
	keySucceeded   = "succeeded"
	keyStartedAt   = "startedAt"
	keyCompletedAt = "completedAt"
	keyAttempts    = "attempts"
	keyLog         = "log"
	keyExitCodes   = "exitCodes"
	keyMessages    = "messages"
	keyResourceRef = tracked.KeyResourceRef
	keyRun         = "__run"
)

// The members of the hidden output about the last run.
const (
	keyNumber     = "number"
	keyUnfinished = "unfinished"
	keyHashKey    = "hashKey"
	keyContent    = "content"
	keyObject     = "object"
	keyName       = "name"
	keyManager    = "manager"
	keyMadeWith   = "with"
	keyMadeFor    = "madeFor"
	keyMadeFound  = "found"
	keyOperation  = "operation"
)

// unfinished says why a run is not done.
type unfinished string

const (
	// interrupted runs may still be running in the cluster.
	interrupted unfinished = "interrupted"
	// failed runs have ended, or are gone.
	failed unfinished = "failed"
)

// state are the outputs of one resource.
type state struct {
	// number counts the runs of the resource, from 0.
	number int
	// unfinished is empty when the last run has succeeded, and when there was none.
	unfinished unfinished
	// operation is the member of runOn that caused the last run, while that run is not done. It is empty in older states.
	operation string
	// life has the key of the resource's hashes, which stays the same for its whole life.
	life
	// content is the keyed hash of what was run last, or would have been.
	content string
	// event is the last event of the release in which the hook has succeeded.
	event int
	// object is the object of the last run. It may be gone; its UID is empty if the object was never seen.
	object reference.Object
	// name distinguishes the last run from all others, and manager is the field manager of its objects. Neither changes when the
	// resource gets another name.
	name, manager string
	// with are the objects that exist for a run that is not done, and the objects that a finished run has left for other hooks.
	// The inputs do not say which ones: after a failed update, the engine still has the inputs of the update before it.
	with []needed
	// stays means that the object of the last run is kept permanently.
	stays bool
	// result is the result of the last run.
	result result
	// secret means that what the run has written may hold a secret.
	secret bool
	// origin is the cluster of the last run.
	origin tracked.Origin
}

// uid identifies the object of the last run.
func (s state) uid() types.UID { return types.UID(s.object.UID) }

// begun reports whether there was a run.
func (s state) begun() bool { return s.object.Name != "" }

// without returns a state without a run. It keeps only the number and the life.
func (s state) without() state { return state{number: s.number, life: s.life} }

// encode returns the outputs as the engine stores them.
func (s state) encode() property.Map {
	out := s.encodeResult()
	if s.stays && s.object.UID != "" {
		out[keyResourceRef] = s.object.Encode()
	}
	run := map[string]property.Value{
		keyNumber: property.New(float64(s.number)), keyHashKey: property.New(s.hashKey).WithSecret(true), keyContent: property.New(s.content),
	}
	if s.since != "" {
		run[keyBegun] = property.New(s.since)
	}
	if s.unfinished != "" {
		run[keyUnfinished], run[keyOperation] = property.New(string(s.unfinished)), property.New(s.operation)
	}
	if s.unfinished != "" || len(s.with) > 0 {
		with := make([]property.Value, len(s.with))
		for i, n := range s.with {
			with[i] = property.New(refOf(manifest.IdentityOf(n.object), "").Encode().AsMap().
				Set(keyMadeFor, property.New(n.madeFor)).Set(keyMadeFound, property.New(n.found)))
		}
		run[keyMadeWith] = property.New(with).WithSecret(s.secret)
	}
	if s.begun() {
		run[keyObject] = s.object.Encode()
		run[keyName], run[keyManager] = property.New(s.name), property.New(s.manager)
	}
	out[keyRun] = property.New(run)
	if s.event > 0 {
		out[keyEventOutput] = property.New(float64(s.event))
	}
	if !s.origin.IsZero() {
		out[tracked.KeyCluster] = s.origin.Encode()
	}
	return property.NewMap(out)
}

// IsUnfinished reports from the outputs whether the last run is not done, which the engine saves as an initialization error.
func IsUnfinished(outputs property.Map) bool { return decodeState(outputs).unfinished != "" }

// decodeState reads an old state; missing parts are empty.
func decodeState(outputs property.Map) state {
	s := state{
		result: decodeResult(outputs), origin: tracked.DecodeOrigin(outputs.Get(tracked.KeyCluster)), stays: outputs.Get(keyResourceRef).IsMap(),
		secret: outputs.Get(keyLog).Secret(),
	}
	if number := outputs.Get(keyEventOutput); number.IsNumber() {
		s.event = int(number.AsNumber())
	}
	if run := outputs.Get(keyRun); run.IsMap() {
		members := run.AsMap()
		if number := members.Get(keyNumber); number.IsNumber() {
			s.number = int(number.AsNumber())
		}
		s.unfinished = unfinished(values.Text(members.Get(keyUnfinished)))
		s.life = life{values.Text(members.Get(keyHashKey)), values.Text(members.Get(keyBegun))}
		s.content, s.operation = values.Text(members.Get(keyContent)), values.Text(members.Get(keyOperation))
		s.object = reference.Decode(members.Get(keyObject))
		s.with = decodeWith(members.Get(keyMadeWith))
		s.name, s.manager = cmp.Or(values.Text(members.Get(keyName)), s.object.Name), values.Text(members.Get(keyManager))
	}
	return s
}

// decodeWith returns the identities of the objects that exist for a run; nil if they were not saved.
func decodeWith(v property.Value) []needed {
	if !v.IsArray() {
		return nil
	}
	with := []needed{}
	for _, item := range v.AsArray().All {
		if !item.IsMap() {
			continue
		}
		id := reference.Decode(item).Identity
		metadata := map[string]any{"name": id.Name}
		if id.Namespace != "" {
			metadata["namespace"] = id.Namespace
		}
		with = append(with, needed{
			object:  map[string]any{"apiVersion": id.APIVersion, "kind": id.Kind, "metadata": metadata},
			madeFor: values.Text(item.AsMap().Get(keyMadeFor)), found: values.Flag(item.AsMap().Get(keyMadeFound)),
		})
	}
	return with
}

// planned returns the outputs of a preview in which the Task will run.
func planned() property.Map {
	unknown := property.New(property.Computed)
	out := map[string]property.Value{}
	for _, key := range []string{keySucceeded, keyStartedAt, keyCompletedAt, keyAttempts, keyLog, keyExitCodes, keyMessages, keyResourceRef} {
		out[key] = unknown
	}
	return property.NewMap(out)
}

// refOf is a reference to an object with this identity.
func refOf(id manifest.Identity, uid types.UID) reference.Object {
	return reference.Object{Identity: id, UID: string(uid)}
}
