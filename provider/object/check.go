package object

import (
	"context"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/policy"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// Check validates the inputs without the network and converts them to what the other verbs read. It gives the manifest
// the form that suits its size, regardless of the form in the program, and drops everything that never reaches the API
// server.
func (r *kubeObject) Check(ctx context.Context, req p.CheckRequest) (p.CheckResponse, error) {
	r.calls.Check(req.Urn)
	r.deleting.Checked(req)
	checked, wrong := check.Inputs[Args](req.Inputs.Delete(hiddenFlags...))
	for _, key := range hiddenFlags {
		if flag := req.Inputs.Get(key); !flag.IsNull() {
			checked = checked.Set(key, flag)
		}
	}
	fail := wrong.Add
	program, as := restoreIgnored(req)
	r.given.Store(req.Urn, as)
	plain, secrets, ok := checkManifest(ctx, program, fail)
	object, _ := plain.(map[string]any)
	if ok {
		var err error
		if checked, err = withManifest(checked, plain, secrets); err != nil {
			fail(writtenAs(req.Inputs), err.Error())
		}
		if req.Inputs.Get(keyManifest).Secret() {
			r.sayHidden(ctx, object)
		}
	}

	checkIgnoreFields(req.Inputs.Get(keyIgnoreFields), object, fail)
	tracked.CheckIgnoredManagers(req.Inputs.Get(keyIgnoreManagers), tracked.ManagerOf(req.Urn), tracked.DecodeTakeOver(req.Inputs.Get(keyTakeOverFrom)),
		func(at, reason string) { fail(keyIgnoreManagers+at, reason) })
	tracked.CheckTakeOver(req.Inputs.Get(keyTakeOverFrom), fail)
	policy.Check(req.Inputs, fail)
	checkDeleteInstances(req.Inputs.Get(keyDeleteInstances), object, fail)
	for _, key := range append([]string{keyAdopt, keyForceDestroy, keyDeleteInstances}, hiddenFlags...) {
		wrong.Flag(req.Inputs, key)
	}
	return p.CheckResponse{Inputs: checked, Failures: wrong}, nil
}

// sayHidden explains, once per run, why a preview shows no values of an object that is not a Secret. In YAML and Go
// programs, the whole result of a function is secret as soon as part of it is.
func (r *kubeObject) sayHidden(ctx context.Context, object map[string]any) {
	id := manifest.IdentityOf(object)
	if id.Kind == "" || manifest.IsSecretKind(id.APIVersion, id.Kind) {
		return
	}
	r.hidden.Do(func() {
		p.GetLogger(ctx).Infof("The whole manifest of %s is secret, so previews show none of its values, nor what drifts. "+
			"If it comes from splitYaml, call that twice: with `secrets: exclude` for this one, and with `secrets: only` for the Secrets.",
			tracked.RefOf(id))
	})
}

// checkIgnoreFields rejects paths that do not parse, and keys with dots that would be read as path steps: a path that
// selects nothing by mistake would take a field from its manager.
func checkIgnoreFields(v property.Value, object map[string]any, fail func(path, reason string)) {
	switch {
	case v.IsNull(), v.IsComputed():
		return
	case !v.IsArray():
		fail(keyIgnoreFields, "The value must be a list of paths.")
		return
	}
	for i, item := range v.AsArray().All {
		if item.IsComputed() {
			continue
		}
		path := fmt.Sprintf("%s[%d]", keyIgnoreFields, i)
		if !item.IsString() {
			fail(path, "The path must be a string, such as \"spec.replicas\".")
		} else if pattern, err := ownership.ParsePattern(item.AsString()); err != nil {
			fail(path, err.Error())
		} else if meant, ok := pattern.Meant(object); ok && !pattern.SelectsIn(object) {
			fail(path, "The path selects nothing: a dot ends a name. "+inBrackets(meant))
		}
	}
}

// writtenAs returns the input in which the program has the manifest.
func writtenAs(program property.Map) string {
	if program.Get(keyYAML).IsNull() {
		return keyManifest
	}
	return keyYAML
}

// checkManifest returns the normalized manifest from whichever of the two inputs holds it. It reports problems under
// the input that the user wrote.
func checkManifest(
	ctx context.Context, in property.Map, fail func(path, reason string),
) (plain any, secrets values.Marks, ok bool) {
	object, text := in.Get(keyManifest), in.Get(keyYAML)
	switch {
	case !object.IsNull() && !text.IsNull():
		fail(keyYAML, bothGiven)
		return nil, secrets, false
	case object.IsNull() && text.IsNull():
		fail(keyManifest, neitherGiven)
		return nil, secrets, false
	case object.IsNull() && text.IsComputed():
		return values.Unknown{}, wholly(text), true
	case object.IsNull():
		parsed, secrets, ok := parseYAML(text, fail)
		if !ok {
			return nil, secrets, false
		}
		return normalize(ctx, parsed, secrets, keyYAML, fail)
	}

	plain, secrets, err := values.FromProperty(object)
	if err != nil {
		fail(keyManifest, err.Error())
		return nil, secrets, false
	}
	if values.IsUnknown(plain) {
		return plain, secrets, true
	}
	parsed, isMap := plain.(map[string]any)
	if !isMap {
		fail(keyManifest, "The manifest must be an object with apiVersion, kind and metadata. For text use yaml.")
		return nil, secrets, false
	}
	return normalize(ctx, parsed, secrets, keyManifest, fail)
}

func parseYAML(text property.Value, fail func(path, reason string)) (map[string]any, values.Marks, bool) {
	if !text.IsString() {
		fail(keyYAML, "The value must be text. For an object use manifest.")
		return nil, values.Marks{}, false
	}
	written, secrets := programText(text)
	object, err := manifest.ParseYAML(written)
	switch {
	case err == nil:
		return object, secrets, true
	case text.Secret():
		fail(keyYAML, "The text is not one Kubernetes object in YAML. Where it breaks is not shown, because it is secret.")
	default:
		fail(keyYAML, err.Error())
	}
	return nil, secrets, false
}

// normalize drops what is never sent, validates the rest, and adds the secret marks of the kind.
func normalize(
	ctx context.Context, object map[string]any, secrets values.Marks, input string, fail func(path, reason string),
) (any, values.Marks, bool) {
	clean, dropped := manifest.Normalize(object)
	problems := manifest.Validate(clean)
	for _, problem := range problems {
		fail(values.JoinPath(input, problem.Path), problem.Reason)
	}
	if len(dropped) > 0 {
		p.GetLogger(ctx).Warningf("%s: %s", input, manifest.SayDropped(dropped))
	}
	tracked.MarkKind(&secrets, manifest.IdentityOf(clean))
	return clean, secrets, len(problems) == 0
}
