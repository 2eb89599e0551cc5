package patch

import (
	"encoding/json"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
)

// The names of the outputs, beside the one that has the name of the patch. Those that
// begin with "__" are hidden: they are absent from the schema and not displayed.
const (
	keyManagedFields  = "managedFields"
	keyFieldOwnership = "fieldOwnership"
	keyPreviousOwners = "previousOwners"
	keyResourceRef    = "resourceRef"

	keyFieldManager = "__fieldManager"
	keyAppliedHash  = "__appliedHash"
	keyHashKey      = "__hashKey"
	keySetFields    = "__setFields"
	keyRemoved      = "__removedFields"
	keyOnce         = "__onceFields"
	keyReturned     = "__returnedFields"
	keyOperations   = "__operationFields"
	keyPlaces       = "__operationPlaces"
	keyNeighbours   = "__listNeighbours"
	keyApplied      = "__appliedProjection"
	keyPending      = "__pendingPatch"
	keyBefore       = "__managedFieldsBefore"
	keyBase         = "__resourceVersionBefore"
	keyPendingWait  = "__pendingWait"
	keyStale        = "__staleRead"
)

// state is what the engine keeps of one resource.
type state struct {
	// touched are the fields that the patch is about.
	touched touched
	// live is the projection of the object on them at the last look. Its secrets are
	// marked in secrets.
	live    map[string]any
	secrets values.Marks
	// namesSecret says that names of fields come from secrets.
	namesSecret bool
	// returned are fields that the patch took away and that are there again.
	returned *fieldpath.Set
	// ownership and previous say who owns the fields and who owned them before.
	ownership, previous map[string]string
	// ref points at the object.
	ref objectRef
	// manager is our field manager.
	manager string
	// hash is the keyed hash of the patch that was carried out last.
	hash, hashKey string
	// applied is the projection right after the last patch. It is nil while the live
	// object agrees with it.
	applied        map[string]any
	appliedSecrets values.Marks

	// neighbours tell whether lists hold what they held, see [hashNeighbours]. They are nil where
	// that is not known.
	neighbours map[string]string

	// pending says that the patch may have been carried out, or not. before and base are
	// the managed fields and the resourceVersion of the object that it was sent to.
	pending bool
	before  []metav1.ManagedFieldsEntry
	base    string
	// pendingWait says that what is waited for has not come true.
	pendingWait bool
	// stale says that the last read failed.
	stale bool
}

// objectRef is the resourceRef output.
type objectRef struct {
	identity manifest.Identity
	uid      string
	revision string
}

// revisionLength is how many hex digits of the hash make the revision.
const revisionLength = 12

// wanted is the projection that the object should have.
func (s state) wanted() map[string]any {
	if s.applied != nil {
		return s.applied
	}
	return s.live
}

// settled reports whether the patch is the one that was carried out last.
func (s state) settled(in inputs) bool {
	if s.pending || s.hash == "" || s.ref.uid == "" || in.unknown > 0 {
		return false
	}
	sum, err := in.hash(s.hashKey)
	return err == nil && sum == s.hash
}

// encode writes the state.
func (s state) encode(in inputs) (property.Map, error) {
	out := map[string]property.Value{}
	for key, tree := range map[string]struct {
		plain   map[string]any
		secrets values.Marks
	}{keyManagedFields: {s.live, s.secrets}, keyApplied: {s.applied, s.appliedSecrets}} {
		if tree.plain == nil && key == keyApplied {
			continue
		}
		v, err := values.ToProperty(tree.plain, tree.secrets)
		if err != nil {
			return property.Map{}, fmt.Errorf("%s: %w", key, err)
		}
		out[key] = v
	}
	echo, err := s.echo(in)
	if err != nil {
		return property.Map{}, err
	}
	out[in.kind] = echo
	for key, owners := range map[string]map[string]string{keyFieldOwnership: s.ownership, keyPreviousOwners: s.previous} {
		out[key] = encodeTexts(owners).WithSecret(s.namesSecret)
	}
	out[keyResourceRef] = reference.Encode(s.ref.identity, s.ref.uid, s.ref.revision)
	for key, fields := range map[string]*fieldpath.Set{
		keySetFields: s.touched.set, keyRemoved: s.touched.removed, keyOnce: s.touched.once, keyReturned: s.returned,
	} {
		if fields == nil || fields.Empty() {
			continue
		}
		text, err := ownership.Encode(fields)
		if err != nil {
			return property.Map{}, err
		}
		out[key] = property.New(text).WithSecret(s.namesSecret)
	}
	for key, paths := range map[string][]fieldpath.Path{keyOperations: s.touched.operations, keyPlaces: s.touched.places} {
		if len(paths) > 0 {
			out[key] = encodePaths(paths).WithSecret(s.namesSecret)
		}
	}
	if s.neighbours != nil {
		out[keyNeighbours] = encodeTexts(s.neighbours).WithSecret(s.namesSecret)
	}
	for key, text := range map[string]string{keyFieldManager: s.manager, keyAppliedHash: s.hash, keyBase: s.base} {
		if text != "" {
			out[key] = property.New(text)
		}
	}
	if s.hashKey != "" {
		out[keyHashKey] = property.New(s.hashKey).WithSecret(true)
	}
	if s.before != nil {
		text, err := json.Marshal(s.before)
		if err != nil {
			return property.Map{}, fmt.Errorf("managed fields: %w", err)
		}
		out[keyBefore] = property.New(string(text)).WithSecret(true) // names of fields may be secret
	}
	for key, set := range map[string]bool{keyPending: s.pending, keyPendingWait: s.pendingWait, keyStale: s.stale} {
		if set {
			out[key] = property.New(true)
		}
	}
	return property.NewMap(out), nil
}

// decodeState reads a state leniently: what is missing or has another type than
// expected is left zero, so that no old state can make a resource unusable.
func decodeState(properties property.Map) (state, error) {
	s := state{touched: nothing()}
	plain, secrets, err := values.FromProperty(properties.Get(keyManagedFields))
	if err != nil {
		return state{}, fmt.Errorf("state: %s: %w", keyManagedFields, err)
	}
	if tree, ok := plain.(map[string]any); ok {
		s.live, s.secrets = tree, secrets
	}
	if plain, secrets, err = values.FromProperty(properties.Get(keyApplied)); err != nil {
		return state{}, fmt.Errorf("state: %s: %w", keyApplied, err)
	}
	if tree, ok := plain.(map[string]any); ok {
		s.applied, s.appliedSecrets = tree, secrets
	}
	s.ownership = decodeTexts(properties.Get(keyFieldOwnership))
	s.previous = decodeTexts(properties.Get(keyPreviousOwners))
	s.namesSecret = properties.Get(keyFieldOwnership).Secret()
	for key, fields := range map[string]**fieldpath.Set{
		keySetFields: &s.touched.set, keyRemoved: &s.touched.removed, keyOnce: &s.touched.once, keyReturned: &s.returned,
	} {
		if set, err := ownership.Decode(text(properties.Get(key))); err == nil {
			*fields = set
		}
	}
	s.touched.operations = decodePaths(properties.Get(keyOperations))
	s.touched.places = decodePaths(properties.Get(keyPlaces))
	if v := properties.Get(keyNeighbours); v.IsMap() {
		s.neighbours = decodeTexts(v)
	}
	ref := reference.Decode(properties.Get(keyResourceRef))
	s.ref = objectRef{identity: ref.Identity, uid: ref.UID}
	if v := properties.Get(keyResourceRef); v.IsMap() {
		s.ref.revision = text(v.AsMap().Get("revision"))
	}
	s.manager = text(properties.Get(keyFieldManager))
	s.hash = text(properties.Get(keyAppliedHash))
	s.hashKey = text(properties.Get(keyHashKey))
	s.base = text(properties.Get(keyBase))
	if before := text(properties.Get(keyBefore)); before != "" {
		// Without it, the owners of before are not known.
		_ = json.Unmarshal([]byte(before), &s.before)
	}
	s.pending = flag(properties.Get(keyPending))
	s.pendingWait = flag(properties.Get(keyPendingWait))
	s.stale = flag(properties.Get(keyStale))
	return s, nil
}

// encodeTexts and decodeTexts are for texts by the names of fields.
func encodeTexts(texts map[string]string) property.Value {
	encoded := make(map[string]property.Value, len(texts))
	for name, text := range texts {
		encoded[name] = property.New(text)
	}
	return property.New(encoded)
}

func decodeTexts(v property.Value) map[string]string {
	texts := map[string]string{}
	if v.IsMap() {
		for name, value := range v.AsMap().All {
			texts[name] = text(value)
		}
	}
	return texts
}

// encodePaths and decodePaths are for one path or none for each operation.
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
			path, err := ownership.ParsePath(text(item))
			if err != nil {
				path = nil
			}
			paths = append(paths, path)
		}
	}
	return paths
}

func text(v property.Value) string {
	if v.IsString() {
		return v.AsString()
	}
	return ""
}

func flag(v property.Value) bool { return v.IsBool() && v.AsBool() }
