package object

import (
	"context"
	"fmt"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// The engine takes the values of a difference from the outputs and the inputs, at the path of the difference. If one of
// them has the manifest as text, there is nothing at such a path. So a message names the differences, and the diff says
// only where they are.

// wholeManifest represents the manifest itself below the input yaml.
const wholeManifest = "manifest"

// isShownAsText reports whether the engine cannot show a difference in the manifest.
func isShownAsText(req p.DiffRequest) bool {
	return isBig(req) || tracked.IsText(req.State)
}

// isBig reports whether the manifest is so big that it is text, or was so in the last run.
func isBig(req p.DiffRequest) bool { return holdText(req.Inputs) || holdText(req.OldInputs) }

// asText converts a diff of the manifest as a tree to one of its text, and names the differences. It reads only which
// paths differ and whether the object is replaced, so a manifest as text is replaced if and only if a tree would be.
//
// At a path inside the text, the engine shows only the path. At the path of the text itself, it would show the whole
// text on both sides, unless it is secret; if only one side has the text, at any path in it.
func (r *kubeObject) asText(ctx context.Context, req p.DiffRequest, in inputs, old state, diff p.DiffResponse) p.DiffResponse {
	both := holdText(req.Inputs) && holdText(req.OldInputs)
	shown := map[string]p.PropertyDiff{}
	concerned := false
	for path, change := range diff.DetailedDiff {
		rest, inside := strings.CutPrefix(path, keyManifest)
		if !inside || rest != "" && rest[0] != '.' && rest[0] != '[' {
			shown[path] = change
			continue
		}
		concerned = true
		switch {
		case !both:
			path = keyAppliedFields // hidden, so the engine shows nothing
		case rest != "":
			path = keyYAML + rest
		case req.Inputs.Get(keyYAML).Secret():
			path = keyYAML
		default:
			path = values.JoinPath(keyYAML, wholeManifest)
		}
		kind := p.Update
		if replacing(change.Kind) == change.Kind || shown[path].Kind == p.UpdateReplace {
			kind = p.UpdateReplace
		}
		shown[path] = p.PropertyDiff{Kind: kind, InputDiff: true}
	}
	if !concerned {
		return diff
	}
	diff.DetailedDiff = shown
	r.nameDifferences(ctx, req, in, old)
	return diff
}

// nameDifferences says which fields of the manifest differ, only once if two calls in a row find the same differences.
func (r *kubeObject) nameDifferences(ctx context.Context, req p.DiffRequest, in inputs, old state) {
	lines := *in.differences
	if len(lines) == 0 {
		lines = in.inputDifferences(req.OldInputs)
	}
	if len(lines) == 0 {
		return
	}
	lines = shortened(lines)
	// The program may use a removed secret under another name.
	hide := failure.NewRedactor(in.sensitive())
	for i := range lines {
		lines[i] = hide.Redact(lines[i])
	}
	text := fmt.Sprintf("%s: the manifest is too big for Pulumi to show what differs in it. These fields do (live -> desired):\n  %s",
		tracked.RefOf(old.Ref.Identity), strings.Join(lines, "\n  "))
	if said, _ := r.named.Swap(req.Urn, text); said != text {
		p.GetLogger(ctx).Info(text)
	}
}

// inputDifferences names the differences between the last run's manifest and this one, as written.
func (in inputs) inputDifferences(saved property.Map) []string {
	was, err := decodeInputs(saved)
	if err != nil || was.written == nil || in.written == nil {
		return nil
	}
	sensitive := append(in.sensitive(), was.sensitive()...)
	var lines []string
	isSecret := func(at []any) bool {
		path := tracked.PropertyPath(at)
		return in.secrets.IsSecret(path) || was.secrets.IsSecret(path)
	}
	walkDifferences(was.written, in.written, nil, isSecret, func(d difference) {
		lines = append(lines, d.format("", sensitive))
	})
	return lines
}
