package task

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

const (
	// digestLength is the number of hexadecimal digits of a digest at the end of a run's name.
	digestLength = 8
	// maxName is the longest name that a Job may have. Its pods have the name as a label.
	maxName = 63
)

// runName is the name of a run: the name from the manifest, and a digest that distinguishes the run from all others. It does not
// depend on the state of this process, so that another process finds the object again.
func runName(base string, urn resource.URN, content any, which ...any) (string, error) {
	sum, err := digest(string(urn), which, content)
	if err != nil {
		return "", err
	}
	if most := maxName - digestLength - 1; len(base) > most {
		base = strings.TrimRight(base[:most], "-.")
	}
	return base + "-" + sum, nil
}

// digest returns a short text that stands for all of these values.
func digest(what ...any) (string, error) {
	text, err := json.Marshal(what)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:digestLength], nil
}

// objectName is the name of a run's object: the name of the run, or, for a hook, the name from the manifest.
func (in inputs) objectName(run string) string {
	if in.hook != nil {
		return in.id().Name
	}
	return run
}
