package functions

import (
	"context"
	_ "embed"
	"errors"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/raw"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
)

// getObjectExamples appear in the registry and in the language packages, each in its own language.
//
//go:embed getobject.md
var getObjectExamples string

// GetObject is the type that the function getObject is inferred from.
type GetObject struct {
	raw.Function[GetObjectArgs, GetObjectResult]
}

// Annotate describes the function for the schema.
func (g *GetObject) Annotate(a infer.Annotator) {
	a.SetToken("index", "getObject")
	a.Describe(&g, texts.Of("GetObject")+"\n\n"+getObjectExamples)
}

// GetObjectArgs are the arguments of getObject.
type GetObjectArgs struct {
	APIVersion        string                        `pulumi:"apiVersion"`
	Kind              string                        `pulumi:"kind"`
	Name              string                        `pulumi:"name"`
	Namespace         *string                       `pulumi:"namespace,optional"`
	ClusterConnection *connection.ClusterConnection `pulumi:"clusterConnection,optional" provider:"secret"`
	Optional          *bool                         `pulumi:"optional,optional"`
}

// Annotate describes the arguments for the schema.
func (g *GetObjectArgs) Annotate(a infer.Annotator) {
	texts.Describe(a, "GetObjectArgs", g)
}

// GetObjectResult is what getObject returns.
type GetObjectResult struct {
	Manifest any     `pulumi:"manifest,optional"`
	UID      *string `pulumi:"uid,optional"`
}

// Annotate describes the results for the schema.
func (g *GetObjectResult) Annotate(a infer.Annotator) {
	texts.Describe(a, "GetObjectResult", g)
}

// The names of the arguments and of the results.
const (
	keyAPIVersion = "apiVersion"
	keyKind       = "kind"
	keyName       = "name"
	keyNamespace  = "namespace"
	keyOptional   = "optional"

	keyManifest = "manifest"
	keyUID      = "uid"
)

// referenceKeys are the arguments that identify the object.
var referenceKeys = []string{keyAPIVersion, keyKind, keyName, keyNamespace}

// getObject serves the function.
type getObject struct {
	infer.InferredFunction

	source *connection.Source
}

// servingTime is how long a kind is waited for that is defined and not served: its definition may be new.
const servingTime = 2 * time.Second

// Invoke reads the object: one request, and one more for the kind if this process has not asked about its group and
// version yet.
func (g *getObject) Invoke(ctx context.Context, req p.InvokeRequest) (p.InvokeResponse, error) {
	wanted, wrong := checkGetObject(req.Args)
	if len(wrong) > 0 {
		return p.InvokeResponse{Failures: wrong}, nil
	}
	clu, err := g.source.Cluster(req.Args)
	if err != nil {
		return p.InvokeResponse{}, err
	}
	ref, live, err := wanted.read(ctx, clu)
	if wanted.optional {
		if err = clu.ConfirmGone(ctx, err); failure.NotServed(err) && !failure.Gone(err) {
			cluster.Patiently(ctx, servingTime, func() bool {
				ref, live, err = wanted.read(ctx, clu)
				return failure.NotServed(err)
			})
			err = clu.ConfirmGone(ctx, err)
		}
	}
	switch {
	case err == nil:
		result, err := wanted.result(ctx, live)
		return p.InvokeResponse{Return: result}, redact(err, wanted.secrets)
	case wanted.optional && failure.Gone(err):
		return p.InvokeResponse{Return: property.NewMap(map[string]property.Value{
			keyManifest: property.New(property.Null), keyUID: property.New(property.Null),
		})}, nil
	default:
		return p.InvokeResponse{}, redact(explain(ctx, clu, ref, err), wanted.secrets)
	}
}

// wanted is the object that a call asks for.
type wanted struct {
	manifest.Identity

	optional bool
	// secrets are the secret ones among its names.
	secrets []string
}

// checkGetObject reads the arguments, or says what is wrong with each.
func checkGetObject(args property.Map) (wanted, check.Mistakes) {
	wrong := check.Arguments[GetObjectArgs](args)
	members := map[string]property.Value{}
	for _, key := range referenceKeys {
		if member, given := args.GetOk(key); given {
			members[key] = member
		}
	}
	object, secrets := property.New(members), secretTexts(args, referenceKeys)
	hide := failure.NewRedactor(secrets)
	reference.Check(object, func(path, reason string) {
		wrong.Add(strings.TrimPrefix(path, "."), hide.Redact(reason))
	})
	return wanted{
		Identity: reference.Decode(object).Identity, optional: wrong.Flag(args, keyOptional), secrets: secrets,
	}, wrong
}

// read reads the object. The reference is as complete as possible.
func (w wanted) read(ctx context.Context, clu *cluster.Cluster) (cluster.Ref, *unstructured.Unstructured, error) {
	resolved, err := clu.Resolve(ctx, w.APIVersion, w.Kind, w.Namespace, w.Name)
	if err != nil {
		return cluster.Ref(w.Identity), nil, err
	}
	if resolved.NamespaceIgnored && len(w.secrets) == 0 {
		p.GetLogger(ctx).Warningf("%s belongs to no namespace; the argument namespace is ignored.", resolved.Ref)
	}
	live, err := clu.Get(ctx, resolved.Ref)
	return resolved.Ref, live, err
}

// explain says why the object could not be read, and how to handle its absence.
func explain(ctx context.Context, clu *cluster.Cluster, ref cluster.Ref, err error) error {
	err = explainRead(ctx, clu, ref.String(), err)
	if explained := (*failure.Failure)(nil); failure.Gone(err) && errors.As(err, &explained) {
		explained.Next = strings.TrimSpace(explained.Next + " If it may be absent, set optional to true.")
	}
	return err
}

// result returns the result of the call. It is secret as a whole if one of the names is.
func (w wanted) result(ctx context.Context, live *unstructured.Unstructured) (property.Map, error) {
	object, err := encodeLive(ctx, live, len(w.secrets) > 0)
	if err != nil {
		return property.Map{}, err
	}
	return property.NewMap(map[string]property.Value{
		keyManifest: object,
		keyUID:      property.New(string(live.GetUID())).WithSecret(len(w.secrets) > 0),
	}), nil
}
