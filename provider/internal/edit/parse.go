package edit

import (
	"encoding/json"
	"errors"

	"sigs.k8s.io/kustomize/api/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kustomize"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// parsedPatch is a text that is either strategic merge patches or operations.
type parsedPatch struct {
	documents  []*resource.Resource
	operations []json.RawMessage
}

// parse first reads a patch the way manifests are read: in the library, an anchor that contains itself would end the
// process.
func (p Patch) parse() (parsed *parsedPatch, err error) {
	if objects, failed := manifest.ParseDocuments(p.Patch); len(failed) > 0 || len(objects) == 0 {
		each, err := parseOperations(p.Patch)
		return &parsedPatch{operations: each}, err
	}
	err = kustomize.Guard(func() error {
		documents, err := factory().RF().SliceFromBytes([]byte(p.Patch))
		parsed = &parsedPatch{documents: documents}
		if err == nil && len(documents) == 0 {
			err = errors.New("there is no document")
		}
		return err
	})
	return parsed, err
}

// parseOperations reads one list of operations. The library would ignore further documents, and take any text that
// begins with a bracket for JSON.
func parseOperations(text string) ([]json.RawMessage, error) {
	document, err := manifest.ParseDocument(text)
	if err != nil {
		return nil, err
	}
	list, isList := document.([]any)
	if !isList || len(list) == 0 {
		return nil, errors.New("it is no list of operations")
	}
	each := make([]json.RawMessage, len(list))
	for i, operation := range list {
		if each[i], err = json.Marshal(operation); err != nil {
			return nil, err
		}
	}
	_, err = newOperations(each)
	return each, err
}
