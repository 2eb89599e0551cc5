package task

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

const (
	// digestLength is how many hexadecimal digits of a run's digest its name ends in.
	digestLength = 8
	// maxName is how long the name of a Job may be, which its pods have as a label.
	maxName = 63
)

// runName is the name of a run: that of the manifest, and a digest of what tells the run from all others. It does
// not depend on the state of this process, so that another one finds the object again.
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

// digest is short, and stands for all of these.
func digest(what ...any) (string, error) {
	text, err := json.Marshal(what)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:digestLength], nil
}

// objectName is the name of the object of a run: that of the run, unless what is run keeps its own.
func (in inputs) objectName(run string) string {
	if in.hook != nil {
		return in.id().Name
	}
	return run
}
