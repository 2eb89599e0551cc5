package functions

import (
	"context"
	_ "embed"
	"errors"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// splitYamlExamples are what the registry and the packages of the languages show, each its own language.
//
//go:embed splityaml.md
var splitYamlExamples string

// SplitYaml is the type that the function splitYaml is inferred from.
type SplitYaml struct{}

// Annotate describes the function for the schema.
func (s *SplitYaml) Annotate(a infer.Annotator) {
	a.SetToken("index", "splitYaml")
	a.Describe(&s, "Takes the Kubernetes manifests apart that a text, files or a kustomization hold, so that each can be given to "+
		"a KubeObject of its own. No cluster is asked.\n\n"+
		"Exactly one of `content`, `files` and `kustomization` is given. Paths are relative to the folder of the program: that of "+
		"Pulumi.yaml, or what its `main` says.\n\n"+
		"Every result is a map whose keys say which object it is: `[group/]Kind[.namespace].name`, with the kind as in the "+
		"manifest and without the version: `ConfigMap.prod.settings`, `apps/Deployment.prod.web`, `Namespace.prod`, "+
		"`rbac.authorization.k8s.io/ClusterRole.admin`. A manifest that names no namespace has none in its key, and neither has "+
		"one of a kind that lives outside of namespaces.\n\n"+
		"`ordered` is a list of all of them, in an order in which they can be applied one after the other. The maps have no "+
		"order: `manifests` has all of them by their keys, and `crds`, `clusterScoped` and `namespaced` have them in three parts.\n\n"+
		"YAML is read as kubectl reads it (YAML 1.1). Empty documents are skipped, and objects of kind List are taken apart. "+
		"Duplicate keys, two manifests of one object, and a manifest without apiVersion, kind or name are errors that say where "+
		"they are. What a Secret holds is secret, and all results are if an argument is.\n\n"+splitYamlExamples)
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
	a.Describe(&s.Content, "The manifests as text: YAML with any number of documents, or JSON.")
	a.Describe(&s.Files, "Paths of files, and patterns such as `manifests/*.yaml`, in which `*` and `?` stand for anything but "+
		"`/` and `[a-z]` for one of these characters. A pattern that matches no file is an error. Each file is read once.")
	a.Describe(&s.Kustomization, "The folder of a kustomization, which is built as `kubectl kustomize` builds it. Nothing is "+
		"fetched from the network: a remote resource or base is an error. Plugins and Helm charts are not run.")
	a.Describe(&s.Secrets, "What to do with objects of kind Secret: `include` them (the default), `exclude` them, or return them "+
		"`only`. In programs in YAML and Go all results of a call are secret as soon as one value is, and previews hide them all: "+
		"call the function twice there, once with `exclude` and once with `only`.")
}

// SplitYamlResult is what splitYaml returns.
type SplitYamlResult struct {
	Manifests     map[string]any  `pulumi:"manifests"`
	CRDs          map[string]any  `pulumi:"crds"`
	ClusterScoped map[string]any  `pulumi:"clusterScoped"`
	Namespaced    map[string]any  `pulumi:"namespaced"`
	Ordered       []NamedManifest `pulumi:"ordered"`
}

// NamedManifest is a manifest with its key.
type NamedManifest struct {
	Name     string         `pulumi:"name"`
	Manifest map[string]any `pulumi:"manifest"`
}

// Annotate describes a manifest with its key for the schema.
func (n *NamedManifest) Annotate(a infer.Annotator) {
	a.SetToken("index", "NamedManifest")
	a.Describe(&n, "A manifest of `splitYaml` with its key.")
	a.Describe(&n.Name, "Its key in `manifests`, such as `apps/Deployment.prod.web`.")
	a.Describe(&n.Manifest, "The manifest.")
}

// Annotate describes the results for the schema.
func (s *SplitYamlResult) Annotate(a infer.Annotator) {
	a.Describe(&s.Manifests, "All manifests by their keys.")
	a.Describe(&s.CRDs, "The CustomResourceDefinitions, to be applied first.")
	a.Describe(&s.ClusterScoped, "The other objects that live outside of namespaces, and the namespaces themselves, to be "+
		"applied second. Custom resources are among them if their definition is in `crds` and says so.")
	a.Describe(&s.Namespaced, "All others, to be applied last. Custom resources whose definition is not in `crds` are among them.")
	a.Describe(&s.Ordered, "All manifests in the order to apply them in: definitions, namespaces, what pods need, roles and bindings, "+
		"services and workloads, custom resources, and at the end what the API server asks about everything else: webhook "+
		"configurations, admission policies and APIServices. Objects of one kind stay in the order of their files.")
}

// The names of the arguments and of the results.
const (
	keyContent       = "content"
	keyFiles         = "files"
	keyKustomization = "kustomization"
	keySecrets       = "secrets"

	keyManifests     = "manifests"
	keyCRDs          = "crds"
	keyClusterScoped = "clusterScoped"
	keyNamespaced    = "namespaced"
	keyOrdered       = "ordered"
)

var (
	splitYamlKeys   = []string{keyContent, keyFiles, keyKustomization, keySecrets}
	splitYamlSource = splitYamlKeys[:3]
)

// What to do with objects of kind Secret.
const (
	secretsInclude = "include"
	secretsExclude = "exclude"
	secretsOnly    = "only"
)

// Invoke satisfies infer's constraint on functions. It is never reached, because splitYaml serves the raw
// request.
func (*SplitYaml) Invoke(
	context.Context, infer.FunctionRequest[SplitYamlArgs],
) (infer.FunctionResponse[SplitYamlResult], error) {
	return infer.FunctionResponse[SplitYamlResult]{}, errors.New("splitYaml is served from the raw request")
}

// splitYaml serves the function.
type splitYaml struct{ infer.InferredFunction }

// Invoke reads the sources and sorts what is in them.
func (s *splitYaml) Invoke(_ context.Context, req p.InvokeRequest) (p.InvokeResponse, error) {
	secret := property.New(req.Args).HasSecrets()
	sources, wrong := sourcesOf(req.Args, secret)
	if len(wrong) > 0 {
		return p.InvokeResponse{Failures: wrong}, nil
	}
	found, wrong := collect(sources, secret)
	if len(wrong) > 0 {
		return p.InvokeResponse{Failures: wrong}, nil
	}
	found.keep(values.Text(req.Args.Get(keySecrets)))
	result, err := found.encode(secret)
	return p.InvokeResponse{Return: result}, err
}

// encode is what the call returns.
func (c collection) encode(secret bool) (property.Map, error) {
	tiers := map[string]map[string]property.Value{keyManifests: {}, keyCRDs: {}, keyClusterScoped: {}, keyNamespaced: {}}
	var ordered []property.Value
	for _, key := range c.inApplyOrder() {
		object := c.objects[key]
		value, err := values.ToProperty(object.Object, secretPlaces(object.Object))
		if err != nil && secret {
			return property.Map{}, failure.Errorf(failure.ReasonInvalid, "a manifest cannot be returned; why is not shown, because the arguments are secret")
		} else if err != nil {
			return property.Map{}, failure.Errorf(failure.ReasonInvalid, "%s: %w", key, err)
		}
		tiers[keyManifests][key], tiers[object.tier][key] = value, value
		ordered = append(ordered, property.New(map[string]property.Value{"name": property.New(key), "manifest": value}))
	}
	result := map[string]property.Value{keyOrdered: property.New(ordered).WithSecret(secret)}
	for name, tier := range tiers {
		result[name] = property.New(tier).WithSecret(secret)
	}
	return property.NewMap(result), nil
}
