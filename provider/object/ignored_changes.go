package object

import (
	"maps"
	"reflect"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// The engine applies the resource option ignoreChanges before Check: at each ignored path, it replaces the program's
// input by the saved one. The saved manifest has the form that suits its size, and the program's may have the other
// form. If the whole manifest is ignored, the engine then removes the program's input, or adds the saved one beside it,
// and Check uses the saved one. If part of the manifest is ignored, the engine cannot put the saved part into a text.
// It passes on the program's part, or even removes it. Check does not know what is ignored. Diff knows, and refuses a
// change that would be applied although it is ignored.

// given describes the manifest in the inputs of a Check.
type given struct {
	// asText means that the manifest is in yaml.
	asText bool
	// wrong says what is wrong with the inputs, unless the engine has caused it.
	wrong string
}

// anyMember is the step in a path that stands for every member or item.
const anyMember = "*"

const (
	bothGiven    = "Give either manifest or yaml, not both."
	neitherGiven = "Give the object as manifest, or as text in yaml."
)

// givenTo returns how the inputs of the last Check of a resource contained the manifest.
func (r *kubeObject) givenTo(urn resource.URN) given {
	last, _ := r.given.Load(urn)
	as, _ := last.(given)
	return as
}

// restoreIgnored returns the inputs of a Check, with the saved manifest if the engine may have restored it.
func restoreIgnored(req p.CheckRequest) (property.Map, given) {
	tree, text := req.Inputs.Get(keyManifest), req.Inputs.Get(keyYAML)
	as := given{asText: !text.IsNull()}
	key := keyManifest
	if holdText(req.State) {
		key = keyYAML
	}
	saved := req.State.Get(key)
	switch {
	case saved.IsNull():
		return req.Inputs, as
	case tree.IsNull() && text.IsNull():
		as.wrong = neitherGiven
	case !tree.IsNull() && !text.IsNull() && req.Inputs.Get(key).Equals(saved):
		as.wrong = bothGiven
	default:
		return req.Inputs, as
	}
	return req.Inputs.Delete(keyManifest, keyYAML).Set(key, saved), as
}

// ignoredIn reads the resource option ignoreChanges. For a manifest in text form, yaml stands for all of it.
func ignoredIn(req p.DiffRequest) tracked.IgnoredPaths {
	ignored := tracked.ParseIgnored(req.IgnoreChanges)
	if isShownAsText(req) && ignored.Covers(keyYAML) {
		ignored = append(ignored, tracked.ParseIgnored([]string{keyManifest})...)
	}
	return ignored
}

// refuseIgnored refuses a manifest whose ignored changes the engine could not undo. It refuses an ignored part of a big
// manifest at once, and an ignored part of a small manifest when it changes: until then, ignoreChanges hides drift in
// that part.
func (as given) refuseIgnored(req p.DiffRequest, old state) error {
	ignored := tracked.ParseIgnored(req.IgnoreChanges)
	if as.wrong != "" && !ignored.Covers(keyManifest) && !ignored.Covers(keyYAML) {
		return tracked.Refused(failure.ReasonInvalid, "%s: %s Nothing was changed.", tracked.RefOf(old.Ref.Identity), as.wrong)
	}
	if len(ignored) == 0 || !isBig(req) && !as.asText {
		return nil
	}
	was, _, err := manifestIn(req.OldInputs)
	if err != nil {
		return nil // there is nothing to keep
	}
	is, _, err := manifestIn(req.Inputs)
	if err != nil {
		return err
	}
	for _, path := range ignored {
		if len(path) == 0 || !slices.Contains([]any{keyManifest, keyYAML, anyMember}, path[0]) {
			continue
		}
		if !isPartOfBig(req, path) && !differAt(was, is, path[1:]) {
			continue
		}
		why, next := as.whyNotKept(req, path)
		return tracked.Refused(failure.ReasonInvalid, "%s: ignoreChanges names %s, and %s. Nothing was changed.\n"+
			"Next: %s the whole manifest as it was, set ignoreChanges to [%q].", tracked.RefOf(old.Ref.Identity), path, why, next, as.input())
	}
	return nil
}

// isPartOfBig reports whether a path is inside of a big manifest, rather than in any input.
func isPartOfBig(req p.DiffRequest, path resource.PropertyPath) bool {
	return isBig(req) && len(path) > 1 && path[0] != anyMember
}

// whyNotKept says why the engine cannot keep what is at a path, and how the advice to ignore the whole manifest begins.
func (as given) whyNotKept(req p.DiffRequest, path resource.PropertyPath) (why, next string) {
	switch {
	case len(path) == 1:
		return "the program has the object in " + as.input(), "to keep"
	case isBig(req):
		return "Pulumi cannot keep a part of such a big manifest as it was", "name the part in ignoreFields; or, to keep"
	default:
		return "Pulumi cannot keep a part of a manifest that the program has as text in yaml",
			"give the object as manifest, or name the part in ignoreFields; or, to keep"
	}
}

// input returns the input that contains the manifest.
func (as given) input() string {
	if as.asText {
		return keyYAML
	}
	return keyManifest
}

// differAt reports whether two trees differ at a path. Unknown values count as equal, because they may turn out so.
func differAt(was, is any, path resource.PropertyPath) bool {
	if values.IsUnknown(was) || values.IsUnknown(is) {
		return false
	}
	if len(path) == 0 {
		return !values.HasUnknown(is) && !reflect.DeepEqual(was, is)
	}
	if path[0] != anyMember {
		return differAt(memberAt(was, path[0]), memberAt(is, path[0]), path[1:])
	}
	for _, step := range stepsInto(was, is) {
		if differAt(memberAt(was, step), memberAt(is, step), path[1:]) {
			return true
		}
	}
	return false
}

// memberAt returns a member of a map or an item of a list; nil if there is none.
func memberAt(tree, step any) any {
	switch tree := tree.(type) {
	case map[string]any:
		key, _ := step.(string)
		return tree[key]
	case []any:
		if i, ok := step.(int); ok && i >= 0 && i < len(tree) {
			return tree[i]
		}
	}
	return nil
}

// stepsInto returns the keys of the maps and the positions of the lists among trees.
func stepsInto(trees ...any) (steps []any) {
	for _, tree := range trees {
		switch tree := tree.(type) {
		case map[string]any:
			for key := range maps.Keys(tree) {
				steps = append(steps, key)
			}
		case []any:
			for i := range tree {
				steps = append(steps, i)
			}
		}
	}
	return steps
}
