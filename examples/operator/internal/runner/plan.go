package runner

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
)

const (
	maximumChanges = 50
	maximumPaths   = 10
)

// plan is what a preview has found; nil if nothing would change.
func plan(preview *report, from inputs.Inputs, refresh bool) (*v1alpha1.Plan, error) {
	if len(preview.steps) == 0 {
		return nil, nil
	}
	hash, err := planHash(preview.steps, from, refresh)
	if err != nil {
		return nil, err
	}
	return &v1alpha1.Plan{Hash: hash, InputHash: from.InputHash, Summary: preview.summary, Changes: planned(preview.steps)}, nil
}

// planHash is the same for two previews that would do the same. The plan file's bytes differ each time, and it has no
// secrets in clear; that a secret has changed is in the hash of the inputs.
func planHash(steps []apitype.StepEventMetadata, from inputs.Inputs, refresh bool) (string, error) {
	type step struct {
		Op           apitype.OpType                  `json:"op"`
		URN          string                          `json:"urn"`
		DetailedDiff map[string]apitype.PropertyDiff `json:"detailedDiff,omitempty"`
		Inputs       map[string]any                  `json:"inputs,omitempty"`
	}
	hashed := struct {
		InputHash     string `json:"inputHash"`
		AppliedSerial int64  `json:"appliedSerial"`
		Refresh       bool   `json:"refresh"`
		Steps         []step `json:"steps"`
	}{InputHash: from.InputHash, AppliedSerial: from.AppliedSerial, Refresh: refresh}
	for _, planned := range ordered(steps) {
		next := step{Op: planned.Op, URN: planned.URN, DetailedDiff: planned.DetailedDiff}
		if planned.New != nil {
			next.Inputs = planned.New.Inputs
		}
		hashed.Steps = append(hashed.Steps, next)
	}
	content, err := json.Marshal(hashed)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8]), nil
}

// ordered brings steps into an order of their own: the engine's is another each time.
func ordered(steps []apitype.StepEventMetadata) []apitype.StepEventMetadata {
	return slices.SortedFunc(slices.Values(steps), func(a, b apitype.StepEventMetadata) int {
		return cmp.Or(cmp.Compare(a.URN, b.URN), cmp.Compare(a.Op, b.Op))
	})
}

// planned lists the changes for people, a replacement once.
func planned(steps []apitype.StepEventMetadata) []v1alpha1.Change {
	var changes []v1alpha1.Change
	for _, step := range ordered(steps) {
		if step.Op == apitype.OpCreateReplacement || step.Op == apitype.OpDeleteReplaced || step.Op == apitype.OpImportReplacement {
			continue
		}
		if len(changes) == maximumChanges {
			break
		}
		paths := slices.Sorted(maps.Keys(step.DetailedDiff))
		if len(paths) == 0 {
			paths = slices.Sorted(slices.Values(step.Diffs))
		}
		changes = append(changes, v1alpha1.Change{
			Op: string(step.Op), Type: step.Type, Name: urn.URN(step.URN).Name(), Paths: paths[:min(len(paths), maximumPaths)],
		})
	}
	return changes
}
