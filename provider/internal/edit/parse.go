package edit

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"sigs.k8s.io/kustomize/api/builtins"
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kustomize"
)

// parsedPatch is a text that is either strategic merge patches or operations.
type parsedPatch struct {
	documents  []*resource.Resource
	operations []json.RawMessage
}

func (p Patch) parse() (parsed *parsedPatch, err error) {
	err = kustomize.Guard(func() error {
		documents, asMerge := factory().RF().SliceFromBytes([]byte(p.Patch))
		if asMerge == nil && len(documents) > 0 {
			parsed = &parsedPatch{documents: documents}
			return nil
		}
		each, asOperations := parseOperations(p.Patch)
		if asOperations != nil {
			return errors.Join(asMerge, asOperations)
		}
		parsed = &parsedPatch{operations: each}
		return nil
	})
	return parsed, err
}

// parseOperations reads what the library reads, which ignores all documents but the first, and takes what begins with a
// bracket for JSON.
func parseOperations(text string) ([]json.RawMessage, error) {
	documents := kyaml.NewDecoder(strings.NewReader(text))
	for count := 0; ; count++ {
		var document any
		switch err := documents.Decode(&document); {
		case errors.Is(err, io.EOF):
			return decodeOperations(text)
		case err != nil:
			return nil, err
		case count > 0 && document != nil:
			return nil, errors.New("there is more than one document")
		}
	}
}

func decodeOperations(text string) ([]json.RawMessage, error) {
	encoded, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return nil, err
	}
	var each []json.RawMessage
	if err := json.Unmarshal(encoded, &each); err != nil {
		return nil, err
	}
	if len(each) == 0 {
		return nil, errors.New("there is no operation")
	}
	_, err = newOperations(each)
	return each, err
}

func factory() *resmap.Factory {
	return resmap.NewFactory(provider.NewDefaultDepProvider().GetResourceFactory())
}

// newTransformer makes a transformer of the text of a patch. It gets nothing that could load files.
func newTransformer(text string, target *types.Selector) (resmap.Transformer, error) {
	plugin := &builtins.PatchTransformerPlugin{}
	config, err := json.Marshal(map[string]string{"patch": text})
	if err == nil {
		err = plugin.Config(resmap.NewPluginHelpers(nil, nil, factory(), nil), config)
	}
	plugin.Target = target
	return plugin, err
}
