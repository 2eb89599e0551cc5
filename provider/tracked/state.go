package tracked

import (
	"crypto/hmac"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
)

// The names of the outputs of every resource that owns fields of an object. Those that begin with "__" are hidden: the
// schema does not have them and the engine does not display them.
const (
	KeyFieldOwnership = "fieldOwnership"
	KeyResourceRef    = "resourceRef"

	keyFieldManager      = "__fieldManager"
	keyAppliedHash       = "__appliedHash"
	keyHashKey           = "__hashKey"
	keyAppliedProjection = "__appliedProjection"
	keyStale             = "__staleRead"
	keyAhead             = "__aheadOfInputs"
	keyForeignManager    = "__foreignManager"
	keyWrittenAt         = "__writtenAt"
)

// State is what the engine stores about an object that we own some fields of.
type State struct {
	// Live is the projection of the live object on our fields at the last read. Its secrets are marked in Secrets.
	Live    map[string]any
	Secrets values.Marks

	// NamesSecret means that names of fields, not only their values, come from secrets: keys of a secret map, or
	// secret keys of list items.
	NamesSecret bool

	// Ownership maps each of our fields to its owners. A key is the string form of the field, or of a field around it.
	Ownership map[string]string

	// Ref points at the object. UID is empty while it is unknown.
	Ref reference.Object

	// Origin is the cluster that the object is in.
	Origin Origin

	// Manager is the field manager of the last write; empty on an imported object that was not applied yet.
	Manager string

	// Hash is the keyed hash of the content that was applied last. It is empty if that is unknown, which requires an
	// update.
	Hash string
	// HashKey is the key of the hash. Without a key, anyone who reads the state could use the hash to test guesses of
	// the secrets inside.
	HashKey string

	// Applied is the projection right after the last apply. It is nil while the live object matches it, which is
	// nearly always.
	Applied        map[string]any
	AppliedSecrets values.Marks

	// WrittenAt is when our field manager last wrote the object, by the clock of the API server; empty if unknown.
	WrittenAt string

	// Foreign is the field manager of another KubeObject that the last read found on the object.
	Foreign string

	// Pending means that a write may have succeeded, but its result was not seen.
	Pending bool
	// Stale means that the last read failed, so Live may be out of date.
	Stale bool
	// Ahead means that the saved inputs may not be the applied ones: if an update applies and then fails, the engine
	// keeps the previous inputs.
	Ahead bool
}

// Form is how a resource writes its state: the names of its own outputs, and how a projection is presented there and
// read back; nil for unchanged.
type Form struct {
	Live, Pending string
	Present, Read func(map[string]any) map[string]any
	// AsText means that a projection is written as one text, because its object is too big to be a tree of properties.
	// A state is read back whichever way it was written.
	AsText bool
	// Owners are what fieldOwnership shows in a state that is written as text and has many owners.
	Owners map[string]string
}

// Wanted returns the projection that the live object should have.
func (s State) Wanted() map[string]any {
	if s.Applied != nil {
		return s.Applied
	}
	return s.Live
}

// Upholds reports whether content equals what was applied last.
func (s State) Upholds(content any) bool {
	if s.Hash == "" {
		return false
	}
	sum, err := Hash(s.HashKey, content)
	return err == nil && hmac.Equal([]byte(sum), []byte(s.Hash))
}

// IdentityIn returns the identity of a state's object: from the state or, if it has none, from the resource's ID.
func (s State) IdentityIn(id string) (manifest.Identity, error) {
	if s.Ref.Name != "" {
		return s.Ref.Identity, nil
	}
	parsed, err := manifest.ParseID(id)
	if err != nil {
		return parsed, failure.Because(failure.ReasonInvalid, err)
	}
	return parsed, nil
}

// Sensitive lists the secret texts among the previous values, which the API server may quote beside the new ones.
func (s State) Sensitive() []string {
	texts := Sensitive
	if s.NamesSecret {
		texts = SensitiveWithNames
	}
	return append(texts(s.Live, s.Secrets), texts(s.Applied, s.AppliedSecrets)...)
}

// Encode writes the state.
func (s State) Encode(form Form) (map[string]property.Value, error) {
	out := map[string]property.Value{KeyResourceRef: s.Ref.Encode()}
	encode := s.encodeAsTree
	if form.AsText {
		encode = s.encodeAsText
	}
	if err := encode(form, out); err != nil {
		return nil, err
	}
	for key, text := range map[string]string{
		keyFieldManager: s.Manager, keyAppliedHash: s.Hash, keyForeignManager: s.Foreign,
		keyWrittenAt: s.WrittenAt,
	} {
		if text != "" {
			out[key] = property.New(text)
		}
	}
	if !s.Origin.IsZero() {
		out[KeyCluster] = s.Origin.Encode()
	}
	if s.HashKey != "" {
		out[keyHashKey] = property.New(s.HashKey).WithSecret(true)
	}
	for key, set := range map[string]bool{form.Pending: s.Pending, keyStale: s.Stale, keyAhead: s.Ahead} {
		if set {
			out[key] = property.New(true)
		}
	}
	return out, nil
}

// encodeAsTree adds the projections and the owners to the outputs, each as a tree of properties.
func (s State) encodeAsTree(form Form, out map[string]property.Value) error {
	for key, projection := range map[string]Marked{form.Live: {s.Live, s.Secrets}, keyAppliedProjection: {s.Applied, s.AppliedSecrets}} {
		if projection.Tree == nil && key == keyAppliedProjection {
			continue
		}
		tree := projection.Tree
		if form.Present != nil {
			tree = form.Present(tree)
		}
		v, err := values.ToProperty(tree, projection.Secrets)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		out[key] = v
	}
	if s.Ownership != nil {
		out[KeyFieldOwnership] = EncodeTexts(s.Ownership).WithSecret(s.NamesSecret)
	}
	return nil
}

// DecodeState reads a state leniently: anything missing or of an unexpected type becomes zero, so that no old state
// can make a resource unusable.
func DecodeState(properties property.Map, form Form) (State, error) {
	var s State
	var err error
	if !s.decodeText(properties) {
		err = s.decodeTree(properties, form)
	}
	if err != nil {
		return State{}, err
	}
	s.Ref = reference.Decode(properties.Get(KeyResourceRef))
	s.Origin = DecodeOrigin(properties.Get(KeyCluster))
	s.Manager = values.Text(properties.Get(keyFieldManager))
	s.Hash = values.Text(properties.Get(keyAppliedHash))
	s.Foreign = values.Text(properties.Get(keyForeignManager))
	s.HashKey = values.Text(properties.Get(keyHashKey))
	s.WrittenAt = values.Text(properties.Get(keyWrittenAt))
	s.Pending = values.Flag(properties.Get(form.Pending))
	s.Stale = IsStale(properties)
	s.Ahead = values.Flag(properties.Get(keyAhead))
	return s, nil
}

// decodeTree reads what encodeAsTree has written.
func (s *State) decodeTree(properties property.Map, form Form) (err error) {
	if s.Live, s.Secrets, err = decodeProjection(properties, form.Live, form.Read); err != nil {
		return err
	}
	owners := properties.Get(KeyFieldOwnership)
	s.Ownership, s.NamesSecret = DecodeTexts(owners), owners.Secret()
	s.Applied, s.AppliedSecrets, err = decodeProjection(properties, keyAppliedProjection, form.Read)
	return err
}

func decodeProjection(
	properties property.Map, key string, read func(map[string]any) map[string]any,
) (map[string]any, values.Marks, error) {
	plain, secrets, err := values.FromProperty(properties.Get(key))
	if err != nil {
		return nil, values.Marks{}, fmt.Errorf("state: %s: %w", key, err)
	}
	tree, ok := plain.(map[string]any)
	if !ok {
		return nil, values.Marks{}, nil
	}
	if read != nil {
		tree = read(tree)
	}
	return tree, secrets, nil
}

// EncodeTexts writes texts by field name, for example the owners of each field.
func EncodeTexts(texts map[string]string) property.Value {
	encoded := make(map[string]property.Value, len(texts))
	for field, text := range texts {
		encoded[field] = property.New(text)
	}
	return property.New(encoded)
}

// DecodeTexts reads what [EncodeTexts] writes, and returns nil if there is nothing.
func DecodeTexts(v property.Value) map[string]string {
	if !v.IsMap() {
		return nil
	}
	texts := map[string]string{}
	for field, text := range v.AsMap().All {
		texts[field] = values.Text(text)
	}
	return texts
}

// SavedFields is a field set in a state, by the name of its output.
type SavedFields struct {
	Key    string
	Fields *fieldpath.Set
	Secret bool
}

// EncodeFields adds field sets to a state. It leaves out nil and empty sets.
func EncodeFields(out map[string]property.Value, saved ...SavedFields) error {
	for _, s := range saved {
		if s.Fields == nil || s.Fields.Empty() {
			continue
		}
		text, err := ownership.Encode(s.Fields)
		if err != nil {
			return err
		}
		out[s.Key] = property.New(text).WithSecret(s.Secret)
	}
	return nil
}

// DecodeFields reads a field set, and returns nil if there is none or it cannot be read.
func DecodeFields(v property.Value) *fieldpath.Set {
	if !v.IsString() {
		return nil
	}
	fields, err := ownership.Decode(v.AsString())
	if err != nil {
		return nil
	}
	return fields
}

// Unfinished tells the engine to save the state of an operation although it failed: the engine does not create what
// depends on it, and the next update continues.
func Unfinished(err error) (*p.InitializationFailed, error) {
	return &p.InitializationFailed{Reasons: []string{err.Error()}}, err
}
