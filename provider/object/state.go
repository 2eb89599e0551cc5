package object

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// The names of the outputs beside manifest. Those that begin with "__" are
// hidden: they are absent from the schema and the engine does not display them.
const (
	keyFieldOwnership = "fieldOwnership"
	keyResourceRef    = "resourceRef"

	keyFieldManager      = "__fieldManager"
	keyAppliedHash       = "__appliedHash"
	keyHashKey           = "__hashKey"
	keyAppliedFields     = "__appliedFields"
	keyIgnoredFields     = "__ignoredFields"
	keyAppliedProjection = "__appliedProjection"
	keyPending           = "__pendingProjection"
	keyStale             = "__staleRead"
)

// state is what the engine keeps of one resource.
type state struct {
	// live is the projection of the live object at the last look, with a Secret's
	// stringData folded into data. Its secrets are marked in secrets.
	live    map[string]any
	secrets values.Marks

	// namesSecret says that names of fields, not only their values, come from
	// secrets: keys of a secret map, or secret keys of list items.
	namesSecret bool

	// ownership says who owns each applied field, by the field's string form or that of
	// a field around it.
	ownership map[string]string

	// ref points at the object. uid is empty while it is not known.
	ref objectRef

	// manager is our field manager; empty on an imported object that was not
	// applied yet.
	manager string

	// hash is the keyed hash of the manifest that was applied last. It is empty
	// where that is not known, which calls for an update.
	hash string
	// hashKey keys the hash. Without a key, the hash of a manifest in the state
	// would let anyone who reads it try out guesses of the secrets inside.
	hashKey string

	// fields are the fields that were applied.
	fields *fieldpath.Set

	// ignored are applied fields that are ignored by now, and still ours: they were
	// sent when the object was created. They are released before the first apply
	// without them.
	ignored *fieldpath.Set

	// applied is the projection right after the last apply. It is nil while the
	// live object agrees with it, which is nearly always.
	applied        map[string]any
	appliedSecrets values.Marks

	// pending says that an apply may have succeeded whose result was not seen.
	pending bool
	// stale says that the last read failed, so live may be out of date.
	stale bool
}

// reference is the resourceRef output.
type objectRef struct {
	identity manifest.Identity
	uid      string
	revision string
}

// revisionLength is how many hex digits of the hash make the revision.
const revisionLength = 12

// wanted is the projection that the live object should have.
func (s state) wanted() map[string]any {
	if s.applied != nil {
		return s.applied
	}
	return s.live
}

// encode writes the state. written is the manifest as the user wrote it; it says
// which of a Secret's keys are presented as stringData.
func (s state) encode(written map[string]any) (property.Map, error) {
	live, err := values.ToProperty(manifest.UnfoldStringData(s.live, written), s.secrets)
	if err != nil {
		return property.Map{}, fmt.Errorf("manifest: %w", err)
	}
	out := map[string]property.Value{
		keyManifest:    live,
		keyResourceRef: property.New(s.ref.encode()),
	}
	if s.ownership != nil {
		condensed := s.ownership
		if s.fields != nil {
			condensed = ownership.Condense(s.ownership, s.fields)
		}
		owners := make(map[string]property.Value, len(condensed))
		for path, manager := range condensed {
			owners[path] = property.New(manager)
		}
		out[keyFieldOwnership] = property.New(owners).WithSecret(s.namesSecret)
	}
	for key, fields := range map[string]*fieldpath.Set{keyAppliedFields: s.fields, keyIgnoredFields: s.ignored} {
		if fields == nil || (key == keyIgnoredFields && fields.Empty()) {
			continue
		}
		text, err := ownership.Encode(fields)
		if err != nil {
			return property.Map{}, err
		}
		out[key] = property.New(text).WithSecret(s.namesSecret)
	}
	if s.applied != nil {
		applied, err := values.ToProperty(manifest.UnfoldStringData(s.applied, written), s.appliedSecrets)
		if err != nil {
			return property.Map{}, fmt.Errorf("applied manifest: %w", err)
		}
		out[keyAppliedProjection] = applied
	}
	for key, text := range map[string]string{keyFieldManager: s.manager, keyAppliedHash: s.hash} {
		if text != "" {
			out[key] = property.New(text)
		}
	}
	if s.hashKey != "" {
		out[keyHashKey] = property.New(s.hashKey).WithSecret(true)
	}
	for key, set := range map[string]bool{keyPending: s.pending, keyStale: s.stale} {
		if set {
			out[key] = property.New(true)
		}
	}
	return property.NewMap(out), nil
}

// decodeState reads a state leniently: what is missing or has another type than
// expected is left zero, so that no old state can make a resource unusable.
func decodeState(properties property.Map) (state, error) {
	var s state
	plain, secrets, err := values.FromProperty(properties.Get(keyManifest))
	if err != nil {
		return state{}, fmt.Errorf("state: manifest: %w", err)
	}
	if object, ok := plain.(map[string]any); ok {
		s.live, s.secrets = manifest.FoldStringData(object), secrets
	}
	if plain, secrets, err = values.FromProperty(properties.Get(keyAppliedProjection)); err != nil {
		return state{}, fmt.Errorf("state: applied manifest: %w", err)
	}
	if object, ok := plain.(map[string]any); ok {
		s.applied, s.appliedSecrets = manifest.FoldStringData(object), secrets
	}
	if v := properties.Get(keyFieldOwnership); v.IsMap() {
		s.ownership, s.namesSecret = map[string]string{}, v.Secret()
		for path, manager := range v.AsMap().All {
			s.ownership[path] = text(manager)
		}
	}
	s.fields = decodeFields(properties.Get(keyAppliedFields))
	s.ignored = decodeFields(properties.Get(keyIgnoredFields))
	if v := properties.Get(keyResourceRef); v.IsMap() {
		s.ref = decodeReference(v.AsMap())
	}
	s.manager = text(properties.Get(keyFieldManager))
	s.hash = text(properties.Get(keyAppliedHash))
	s.hashKey = text(properties.Get(keyHashKey))
	s.pending = flag(properties.Get(keyPending))
	s.stale = flag(properties.Get(keyStale))
	return s, nil
}

// decodeFields reads a field set; without one, the next look or apply finds the
// fields again.
func decodeFields(v property.Value) *fieldpath.Set {
	if !v.IsString() {
		return nil
	}
	fields, err := ownership.Decode(v.AsString())
	if err != nil {
		return nil
	}
	return fields
}

func (r objectRef) encode() map[string]property.Value {
	out := r.encodeIdentity()
	if r.uid != "" {
		out["uid"] = property.New(r.uid)
	}
	if r.revision != "" {
		out["revision"] = property.New(r.revision)
	}
	return out
}

func (r objectRef) encodeIdentity() map[string]property.Value {
	out := map[string]property.Value{
		"apiVersion": property.New(r.identity.APIVersion),
		"kind":       property.New(r.identity.Kind),
		"name":       property.New(r.identity.Name),
	}
	if r.identity.Namespace != "" {
		out["namespace"] = property.New(r.identity.Namespace)
	}
	return out
}

func decodeReference(m property.Map) objectRef {
	return objectRef{
		identity: manifest.Identity{
			APIVersion: text(m.Get("apiVersion")),
			Kind:       text(m.Get("kind")),
			Namespace:  text(m.Get("namespace")),
			Name:       text(m.Get("name")),
		},
		uid:      text(m.Get("uid")),
		revision: text(m.Get("revision")),
	}
}

func text(v property.Value) string {
	if v.IsString() {
		return v.AsString()
	}
	return ""
}

func flag(v property.Value) bool { return v.IsBool() && v.AsBool() }
