package patch

import (
	"encoding/json"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// The names of the outputs that only this resource has, besides the one with the name of the patch. Those that begin
// with "__" are hidden.
const (
	keyManagedFields  = "managedFields"
	keyPreviousOwners = "previousOwners"

	keySetFields   = "__setFields"
	keyRemoved     = "__removedFields"
	keyOnce        = "__onceFields"
	keyReturned    = "__returnedFields"
	keyUnrecorded  = "__unrecordedFields"
	keyBesides     = "__ownedBesides"
	keyOperations  = "__operationFields"
	keyPlaces      = "__operationPlaces"
	keyNeighbours  = "__listNeighbours"
	keyAdded       = "__addedItems"
	keyCreated     = "__createdFields"
	keyFormer      = "__formerValues"
	keyPending     = "__pendingPatch"
	keyBefore      = "__managedFieldsBefore"
	keyBase        = "__resourceVersionBefore"
	keyPendingWait = "__pendingWait"
)

// form describes how to write the state.
var form = tracked.Form{Live: keyManagedFields, Pending: keyPending}

// state is what the engine stores for one resource.
type state struct {
	tracked.State

	// touched are the fields that the patch concerns.
	touched patchedFields
	// returned are fields that the patch removed and that exist again.
	returned *fieldpath.Set
	// besides are the fields in our entries of metadata.managedFields right after the patch that the patch does not
	// name: the API server adds defaults to what we send. It is nil if that is unknown.
	besides *fieldpath.Set
	// unrecorded are the fields on the object that are ours and that the state does not know, see [run.unrecorded].
	unrecorded *fieldpath.Set
	// previous records who owned the fields before.
	previous map[string]string

	// dropped are fields that the API server accepted and did not keep.
	dropped *fieldpath.Set
	// neighbours tell whether the other contents of lists have changed, see [hashNeighbours]. They are nil if that is
	// unknown.
	neighbours map[string]string
	// added are the items that a JSON patch has added to lists, by operation.
	added map[int]addedItem
	// created are the fields that did not exist before the patch; nil if that is unknown.
	created created
	// former are the values before the patch; nil if the program does not ask for it to be undone.
	former formerValues

	// before and base are the managed fields and the resourceVersion of the object that
	// a pending patch was sent to.
	before []metav1.ManagedFieldsEntry
	base   string
	// unsaved means that a run with a lost state wrote some of the live values. It is not stored: each read finds
	// out.
	unsaved bool
	// pendingWait means that the goal of the wait has not been reached.
	pendingWait bool
}

// upToDate reports whether the patch equals the one carried out last.
func (s state) upToDate(in inputs) bool {
	return !s.Pending && s.Ref.UID != "" && in.unknown == 0 && s.Upholds(in.content())
}

// encode writes the state.
func (s state) encode(in inputs) (property.Map, error) {
	out, err := s.Encode(form)
	if err != nil {
		return property.Map{}, err
	}
	if out[in.kind], err = s.livePatch(in); err != nil {
		return property.Map{}, err
	}
	if s.Ahead && !s.Secrets.Empty() || s.unsaved {
		// The saved inputs do not say which of the inputs just sent are secret.
		out[in.kind] = out[in.kind].WithSecret(true)
	}
	out[tracked.KeyFieldOwnership] = tracked.EncodeTexts(s.Ownership).WithSecret(s.NamesSecret)
	out[keyPreviousOwners] = tracked.EncodeTexts(s.previous).WithSecret(s.NamesSecret)
	if err := s.encodeFields(out); err != nil {
		return property.Map{}, err
	}
	if s.neighbours != nil {
		out[keyNeighbours] = tracked.EncodeTexts(s.neighbours).WithSecret(s.NamesSecret)
	}
	if len(s.added) > 0 {
		out[keyAdded] = encodeAdded(s.added)
	}
	if len(s.created) > 0 {
		out[keyCreated] = tracked.EncodeTexts(s.created).WithSecret(s.NamesSecret)
	}
	if s.base != "" {
		out[keyBase] = property.New(s.base)
	}
	if s.pendingWait {
		out[keyPendingWait] = property.New(true)
	}
	if err := s.encodeBefore(out); err != nil {
		return property.Map{}, err
	}
	return property.NewMap(out), nil
}

// encodeBefore writes what the object was like before the patch. Values and names of fields may be secret.
func (s state) encodeBefore(out map[string]property.Value) error {
	if s.former != nil {
		text, err := json.Marshal(s.former)
		if err != nil {
			return fmt.Errorf("former values: %w", err)
		}
		out[keyFormer] = property.New(string(text)).WithSecret(true)
	}
	if s.before != nil {
		text, err := json.Marshal(s.before)
		if err != nil {
			return fmt.Errorf("managed fields: %w", err)
		}
		out[keyBefore] = property.New(string(text)).WithSecret(true)
	}
	return nil
}

// encodeFields writes which fields the patch has touched.
func (s state) encodeFields(out map[string]property.Value) error {
	for key, paths := range map[string][]fieldpath.Path{keyOperations: s.touched.operations, keyPlaces: s.touched.places} {
		if len(paths) > 0 {
			out[key] = encodePaths(paths).WithSecret(s.NamesSecret)
		}
	}
	if s.besides != nil {
		text, err := ownership.Encode(s.besides)
		if err != nil {
			return err
		}
		out[keyBesides] = property.New(text).WithSecret(s.NamesSecret)
	}
	return tracked.EncodeFields(out,
		tracked.SavedFields{Key: keySetFields, Fields: s.touched.set, Secret: s.NamesSecret},
		tracked.SavedFields{Key: keyRemoved, Fields: s.touched.removed, Secret: s.NamesSecret},
		tracked.SavedFields{Key: keyOnce, Fields: s.touched.nonIdempotent, Secret: s.NamesSecret},
		tracked.SavedFields{Key: keyReturned, Fields: s.returned, Secret: s.NamesSecret},
		tracked.SavedFields{Key: tracked.KeyDropped, Fields: s.dropped, Secret: s.NamesSecret},
		tracked.SavedFields{Key: keyUnrecorded, Fields: s.unrecorded, Secret: true},
	)
}

// IsUnfinished reports from the outputs whether the last patch was not confirmed, or not waited for, which the engine saves as an
// initialization error.
func IsUnfinished(outputs property.Map) bool {
	return values.Flag(outputs.Get(keyPending)) || values.Flag(outputs.Get(keyPendingWait))
}

// decodeState reads a state of any version.
func decodeState(properties property.Map) (state, error) {
	shared, err := tracked.DecodeState(properties, form)
	if err != nil {
		return state{}, err
	}
	s := state{State: shared, touched: nothing(), previous: tracked.DecodeTexts(properties.Get(keyPreviousOwners))}
	for key, fields := range map[string]**fieldpath.Set{
		keySetFields: &s.touched.set, keyRemoved: &s.touched.removed, keyOnce: &s.touched.nonIdempotent, keyReturned: &s.returned,
	} {
		if set := tracked.DecodeFields(properties.Get(key)); set != nil {
			*fields = set
		}
	}
	s.dropped = tracked.DecodeFields(properties.Get(tracked.KeyDropped))
	s.besides = tracked.DecodeFields(properties.Get(keyBesides))
	s.unrecorded = tracked.DecodeFields(properties.Get(keyUnrecorded))
	s.touched.operations = decodePaths(properties.Get(keyOperations))
	s.touched.places = decodePaths(properties.Get(keyPlaces))
	s.neighbours = tracked.DecodeTexts(properties.Get(keyNeighbours))
	s.added = decodeAdded(properties.Get(keyAdded))
	s.created = tracked.DecodeTexts(properties.Get(keyCreated))
	s.former = decodeFormer(properties.Get(keyFormer))
	s.base = values.Text(properties.Get(keyBase))
	if before := values.Text(properties.Get(keyBefore)); before != "" {
		// Without it, the previous owners are unknown.
		_ = json.Unmarshal([]byte(before), &s.before)
	}
	s.pendingWait = values.Flag(properties.Get(keyPendingWait))
	s.Ahead = s.Ahead || s.pendingWait // the first version did not record it
	return s, nil
}

// decode reads the inputs and the state of a resource that exists.
func decode(properties, saved property.Map) (inputs, state, error) {
	in, err := decodeInputs(properties)
	if err != nil {
		return inputs{}, state{}, err
	}
	old, err := decodeState(saved)
	in.former = old.Sensitive()
	return in, old, err
}

// encodePaths and decodePaths convert lists with at most one path for each operation.
func encodePaths(paths []fieldpath.Path) property.Value {
	encoded := make([]property.Value, len(paths))
	for i, path := range paths {
		encoded[i] = property.New(ownership.Format(path))
	}
	return property.New(encoded)
}

func decodePaths(v property.Value) []fieldpath.Path {
	var paths []fieldpath.Path
	if v.IsArray() {
		for _, item := range v.AsArray().All {
			path, err := ownership.ParsePath(values.Text(item))
			if err != nil {
				path = nil
			}
			paths = append(paths, path)
		}
	}
	return paths
}
