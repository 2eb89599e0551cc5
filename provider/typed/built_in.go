package typed

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"fmt"
	"io"
)

// builtIn is what from= has in place of a file for the kinds that Kubernetes has itself.
const builtIn = "kubernetes"

// builtInKinds are these kinds as save= writes them, compressed. A test compares them with those of an API server.
//
//go:embed built_in.json.gz
var builtInKinds []byte

// readSaved reads what save= has written, wherever it is.
func readSaved(ctx context.Context, from string) ([]byte, error) {
	if from != builtIn {
		return readFile(ctx, from)
	}
	reader, err := gzip.NewReader(bytes.NewReader(builtInKinds))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}

// notSaved is the error about a kind that is not among those that were saved.
func notSaved(from string, k Kind, saved []Kind) error {
	if from != builtIn {
		return fmt.Errorf("the file has no %s, only %s. Write it again with save=, where the cluster can be read", k, list(saved))
	}
	return fmt.Errorf("there is no %s in Kubernetes itself.%s Give the definitions of custom kinds with crds=, or leave out from= to read the cluster", k, didYouMean(k.String(), names(saved)))
}
