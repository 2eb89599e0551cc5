package functions

import (
	"context"
	_ "embed"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/raw"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sources"
)

// splitYamlExamples appear in the registry and in the language packages, each in its own language.
//
//go:embed splityaml.md
var splitYamlExamples string

// SplitYaml is the type that the function splitYaml is inferred from.
type SplitYaml struct {
	raw.Function[SplitYamlArgs, SplitYamlResult]
}

// Annotate describes the function for the schema.
func (s *SplitYaml) Annotate(a infer.Annotator) {
	a.SetToken("index", "splitYaml")
	a.Describe(&s, texts.Of("SplitYaml")+"\n\n"+splitYamlExamples)
}

// SplitYamlArgs are the arguments of splitYaml.
type SplitYamlArgs struct {
	Content       *string  `pulumi:"content,optional"`
	Files         []string `pulumi:"files,optional"`
	Kustomization *string  `pulumi:"kustomization,optional"`
	Secrets       *string  `pulumi:"secrets,optional"`
}

// Annotate describes the arguments for the schema.
func (s *SplitYamlArgs) Annotate(a infer.Annotator) {
	texts.Describe(a, "SplitYamlArgs", s)
}

// SplitYamlResult is what splitYaml returns.
type SplitYamlResult struct {
	Manifests     map[string]any          `pulumi:"manifests"`
	CRDs          map[string]any          `pulumi:"crds"`
	ClusterScoped map[string]any          `pulumi:"clusterScoped"`
	Namespaced    map[string]any          `pulumi:"namespaced"`
	Ordered       []sources.NamedManifest `pulumi:"ordered"`
}

// Annotate describes the results for the schema.
func (s *SplitYamlResult) Annotate(a infer.Annotator) {
	texts.Describe(a, "SplitYamlResult", s)
}

// The names of the arguments and of the results.
const (
	keySecrets = "secrets"

	keyManifests     = "manifests"
	keyCRDs          = string(sources.Definitions)
	keyClusterScoped = string(sources.ClusterScoped)
	keyNamespaced    = string(sources.Namespaced)
	keyOrdered       = "ordered"
)

// Choices for objects of kind Secret.
const (
	secretsInclude = "include"
	secretsExclude = "exclude"
	secretsOnly    = "only"
)

// splitYaml serves the function.
type splitYaml struct{ infer.InferredFunction }

// Invoke reads the sources and sorts their objects.
func (s *splitYaml) Invoke(ctx context.Context, req p.InvokeRequest) (p.InvokeResponse, error) {
	secret := property.New(req.Args).HasSecrets()
	wrong := check.Arguments[SplitYamlArgs](req.Args)
	secrets := req.Args.Get(keySecrets)
	if !secrets.IsNull() && !slices.Contains([]string{secretsInclude, secretsExclude, secretsOnly}, values.Text(secrets)) {
		wrong.Add(keySecrets, "The value must be one of include, exclude, only.")
	}
	if len(wrong) > 0 {
		return p.InvokeResponse{Failures: wrong}, nil
	}
	input, wrong := sources.Given(req.Args, sources.Content, sources.Files, sources.Kustomization)
	if len(wrong) > 0 {
		return p.InvokeResponse{Failures: wrong}, nil
	}
	documents, wrong := sources.Read(input, req.Args.Get(input), secret)
	found, notes, more := sources.Collect(documents, secret)
	if wrong = sources.Few(append(wrong, more...)); len(wrong) > 0 {
		return p.InvokeResponse{Failures: wrong}, nil
	}
	if len(notes) > 0 {
		p.GetLogger(ctx).Info(sources.Listed(notes))
	}
	result, err := encode(keep(found, values.Text(secrets)), secret)
	return p.InvokeResponse{Return: result}, err
}

// keep filters objects by whether they are Secrets.
func keep(set sources.Set, secrets string) sources.Set {
	return slices.DeleteFunc(set, func(object sources.Object) bool {
		id := manifest.IdentityOf(object.Object)
		isSecret := manifest.IsSecretKind(id.APIVersion, id.Kind)
		return secrets == secretsExclude && isSecret || secrets == secretsOnly && !isSecret
	})
}

// encode returns the result of the call.
func encode(set sources.Set, secret bool) (property.Map, error) {
	tiers := map[string]map[string]property.Value{keyManifests: {}, keyCRDs: {}, keyClusterScoped: {}, keyNamespaced: {}}
	var ordered []property.Value
	for _, object := range set.InApplyOrder() {
		value, err := values.ToProperty(object.Object, secretPlaces(object.Object))
		if err != nil && secret {
			return property.Map{}, failure.Errorf(failure.ReasonInvalid, "a manifest cannot be returned; why is not shown, because the arguments are secret")
		} else if err != nil {
			return property.Map{}, failure.Errorf(failure.ReasonInvalid, "%s: %w", object.Key, err)
		}
		tiers[keyManifests][object.Key], tiers[string(object.Tier)][object.Key] = value, value
		ordered = append(ordered, property.New(map[string]property.Value{"name": property.New(object.Key), "manifest": value}))
	}
	result := map[string]property.Value{keyOrdered: property.New(ordered).WithSecret(secret)}
	for name, tier := range tiers {
		result[name] = property.New(tier).WithSecret(secret)
	}
	return property.NewMap(result), nil
}
