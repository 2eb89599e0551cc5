package tracked

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// The hidden outputs of a state that is written as text: the live values, and their owners.
const (
	keyLiveProjection = "__liveProjection"
	keyOwnership      = "__fieldOwnership"
)

// maxOwnersShown is the number of entries above which the output fieldOwnership of such a state is an outline.
const maxOwnersShown = 20

// packed is the content of one such output.
type packed struct {
	Tree map[string]any `json:"tree"`
	// Secrets are its secret places.
	Secrets [][]any `json:"secrets,omitempty"`
}

// pack writes a projection as one compressed text. It is secret if anything in the projection is.
func pack(tree map[string]any, secrets values.Marks) (property.Value, error) {
	text, err := values.FormatJSON(packed{tree, secrets.Paths()})
	if err != nil {
		return property.Value{}, err
	}
	var buffer bytes.Buffer
	encoder := base64.NewEncoder(base64.StdEncoding, &buffer)
	compressor := gzip.NewWriter(encoder)
	if _, err := io.WriteString(compressor, text); err != nil {
		return property.Value{}, err
	}
	if err := compressor.Close(); err != nil {
		return property.Value{}, err
	}
	if err := encoder.Close(); err != nil {
		return property.Value{}, err
	}
	return property.New(buffer.String()).WithSecret(!secrets.Empty()), nil
}

// unpack reads what pack writes. It returns nil for anything else, and for a nil projection.
func unpack(v property.Value) (map[string]any, values.Marks) {
	decompressor, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(values.Text(v))))
	if err != nil {
		return nil, values.Marks{}
	}
	text, err := io.ReadAll(decompressor)
	if err != nil {
		return nil, values.Marks{}
	}
	var read struct {
		Tree    json.RawMessage
		Secrets [][]any
	}
	if json.Unmarshal(text, &read) != nil {
		return nil, values.Marks{}
	}
	plain, err := values.ParseJSON(string(read.Tree))
	tree, isMap := plain.(map[string]any)
	if err != nil || !isMap {
		return nil, values.Marks{}
	}
	secrets, err := values.MarksAt(read.Secrets)
	if err != nil {
		secrets.Add(property.Path{})
	}
	return tree, secrets
}

// encodeAsText adds the projections and the owners to the outputs, each as one text. The outputs that users see have
// the identity of the object, and who owns which of its parts.
func (s State) encodeAsText(form Form, out map[string]property.Value) error {
	for key, projection := range map[string]Marked{
		keyLiveProjection: {s.Live, s.Secrets}, keyAppliedProjection: {s.Applied, s.AppliedSecrets},
	} {
		if projection.Tree == nil {
			continue
		}
		v, err := pack(projection.Tree, projection.Secrets)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		out[key] = v
	}
	shown, err := values.ToProperty(identityIn(s.Live), s.Secrets)
	if err != nil {
		return err
	}
	out[form.Live] = shown
	if s.Ownership == nil {
		return nil
	}
	if len(s.Ownership) <= maxOwnersShown {
		out[KeyFieldOwnership] = EncodeTexts(s.Ownership).WithSecret(s.NamesSecret)
		return nil
	}
	text, err := values.FormatJSON(s.Ownership)
	if err != nil {
		return err
	}
	out[keyOwnership] = property.New(text).WithSecret(s.NamesSecret)
	out[KeyFieldOwnership] = EncodeTexts(form.Owners).WithSecret(s.NamesSecret)
	return nil
}

// identityIn reduces an object to its identity.
func identityIn(object map[string]any) map[string]any {
	identity := map[string]any{}
	for _, path := range [][]string{{"apiVersion"}, {"kind"}, {"metadata", "name"}, {"metadata", "namespace"}} {
		if text, found, err := unstructured.NestedString(object, path...); found && err == nil {
			_ = unstructured.SetNestedField(identity, text, path...)
		}
	}
	return identity
}

// IsText reports whether a state is written as text.
func IsText(properties property.Map) bool { return properties.Get(keyLiveProjection).IsString() }

// decodeText reads what encodeAsText has written. It returns false for a state that is not written as text.
func (s *State) decodeText(properties property.Map) bool {
	if !IsText(properties) {
		return false
	}
	if s.Live, s.Secrets = unpack(properties.Get(keyLiveProjection)); s.Live == nil {
		s.Live = map[string]any{}
	}
	s.Applied, s.AppliedSecrets = unpack(properties.Get(keyAppliedProjection))
	owners := properties.Get(keyOwnership)
	if !owners.IsString() {
		owners = properties.Get(KeyFieldOwnership)
		s.Ownership, s.NamesSecret = DecodeTexts(owners), owners.Secret()
		return true
	}
	s.NamesSecret = owners.Secret()
	if json.Unmarshal([]byte(owners.AsString()), &s.Ownership) != nil {
		s.Ownership = nil
	}
	return true
}
