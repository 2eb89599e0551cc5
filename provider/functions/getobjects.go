package functions

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/raw"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
)

// getObjectsExamples appear in the registry and in the language packages, each in its own language.
//
//go:embed getobjects.md
var getObjectsExamples string

// GetObjects is the type that the function getObjects is inferred from.
type GetObjects struct {
	raw.Function[GetObjectsArgs, GetObjectsResult]
}

// Annotate describes the function for the schema.
func (g *GetObjects) Annotate(a infer.Annotator) {
	a.SetToken("index", "getObjects")
	a.Describe(&g, texts.Of("GetObjects")+"\n\n"+getObjectsExamples)
}

// GetObjectsArgs are the arguments of getObjects.
type GetObjectsArgs struct {
	APIVersion        string                        `pulumi:"apiVersion"`
	Kind              string                        `pulumi:"kind"`
	Namespace         *string                       `pulumi:"namespace,optional"`
	AllNamespaces     *bool                         `pulumi:"allNamespaces,optional"`
	LabelSelector     *string                       `pulumi:"labelSelector,optional"`
	FieldSelector     *string                       `pulumi:"fieldSelector,optional"`
	Limit             *int                          `pulumi:"limit,optional"`
	MetadataOnly      *bool                         `pulumi:"metadataOnly,optional"`
	ClusterConnection *connection.ClusterConnection `pulumi:"clusterConnection,optional" provider:"secret"`
}

// Annotate describes the arguments for the schema.
func (g *GetObjectsArgs) Annotate(a infer.Annotator) {
	texts.Describe(a, "GetObjectsArgs", g)
}

// GetObjectsResult is what getObjects returns.
type GetObjectsResult struct {
	Manifests []any `pulumi:"manifests"`
	Truncated bool  `pulumi:"truncated"`
}

// Annotate describes the results for the schema.
func (g *GetObjectsResult) Annotate(a infer.Annotator) {
	texts.Describe(a, "GetObjectsResult", g)
}

// The names of the arguments and of the results that the other functions do not have.
const (
	keyAllNamespaces = "allNamespaces"
	keyLabelSelector = "labelSelector"
	keyFieldSelector = "fieldSelector"
	keyLimit         = "limit"
	keyMetadataOnly  = "metadataOnly"

	keyTruncated = "truncated"
)

// selectingKeys are the arguments that select the objects.
var selectingKeys = []string{keyAPIVersion, keyKind, keyNamespace, keyLabelSelector, keyFieldSelector}

// getObjects serves the function.
type getObjects struct {
	infer.InferredFunction

	source *connection.Source
}

// Invoke lists the objects: one request for each page, and one more for the kind if this process has not asked about
// its group and version yet.
func (g *getObjects) Invoke(ctx context.Context, req p.InvokeRequest) (p.InvokeResponse, error) {
	query, wrong := checkGetObjects(req.Args)
	if len(wrong) > 0 {
		return p.InvokeResponse{Failures: wrong}, nil
	}
	clu, err := g.source.Cluster(req.Args)
	if err != nil {
		return p.InvokeResponse{}, err
	}
	objects, more, err := query.list(ctx, clu)
	if err != nil {
		return p.InvokeResponse{}, redact(query.explain(ctx, clu, err), query.secrets)
	}
	result, err := query.result(ctx, objects, more)
	return p.InvokeResponse{Return: result}, redact(err, query.secrets)
}

// query says which objects a call asks for.
type query struct {
	cluster.ListOptions

	allNamespaces bool
	// secrets are the secret ones among its texts.
	secrets []string
}

// String names the list in errors.
func (q query) String() string {
	switch {
	case q.allNamespaces:
		return fmt.Sprintf("the %s objects of %s in all namespaces", q.Kind, q.APIVersion)
	case q.Namespace != "":
		return fmt.Sprintf("the %s objects of %s in namespace %s", q.Kind, q.APIVersion, q.Namespace)
	default:
		return fmt.Sprintf("the %s objects of %s", q.Kind, q.APIVersion)
	}
}

// checkGetObjects reads the arguments, or says what is wrong with each.
func checkGetObjects(args property.Map) (query, check.Mistakes) {
	wrong := check.Arguments[GetObjectsArgs](args)
	secrets := secretTexts(args, selectingKeys)
	q := query{
		ListOptions: cluster.ListOptions{
			APIVersion: wrong.Text(args, keyAPIVersion), Kind: wrong.Text(args, keyKind), Namespace: wrong.Text(args, keyNamespace),
			LabelSelector: wrong.Text(args, keyLabelSelector), FieldSelector: wrong.Text(args, keyFieldSelector),
		},
		allNamespaces: wrong.Flag(args, keyAllNamespaces), secrets: secrets,
	}
	q.MetadataOnly = wrong.Flag(args, keyMetadataOnly)
	reference.CheckKind(args, func(path, reason string) { wrong.Add(strings.TrimPrefix(path, "."), reason) })
	hide := failure.NewRedactor(secrets)
	if _, err := labels.Parse(q.LabelSelector); err != nil {
		wrong.Add(keyLabelSelector, hide.Redact("The value is not a label selector: "+err.Error()+"."))
	}
	if _, err := fields.ParseSelector(q.FieldSelector); err != nil {
		wrong.Add(keyFieldSelector, hide.Redact("The value is not a field selector: "+err.Error()+"."))
	}
	if q.allNamespaces && q.Namespace != "" {
		wrong.Add(keyAllNamespaces, "Set either namespace or allNamespaces.")
	}
	if limit := args.Get(keyLimit); !limit.IsNull() && !limit.IsComputed() {
		if !limit.IsNumber() || limit.AsNumber() < 1 || limit.AsNumber() != float64(int64(limit.AsNumber())) {
			wrong.Add(keyLimit, "The value must be a whole number of at least 1.")
		} else {
			q.Limit = int64(limit.AsNumber())
		}
	}
	return q, wrong
}

// list reads the objects.
func (q *query) list(ctx context.Context, clu *cluster.Cluster) (objects []unstructured.Unstructured, more bool, err error) {
	resolved, err := clu.Resolve(ctx, q.APIVersion, q.Kind, q.Namespace, "")
	if err != nil {
		return nil, false, err
	}
	if resolved.NamespaceIgnored && len(q.secrets) == 0 {
		p.GetLogger(ctx).Warningf("Objects of kind %s belong to no namespace; the argument namespace is ignored.", q.Kind)
	}
	if !q.allNamespaces {
		q.Namespace = resolved.Namespace
	}
	return clu.ListAll(ctx, resolved.Resource, q.ListOptions)
}

// explain says why the objects could not be listed. If the API server finds a request without a body invalid, the
// cause is a selector.
func (q *query) explain(ctx context.Context, clu *cluster.Cluster, err error) error {
	err = explainRead(ctx, clu, q.String(), err)
	if explained := (*failure.Failure)(nil); errors.As(err, &explained) && explained.Class == failure.ClassInvalid {
		explained.What = fmt.Sprintf("cannot read %s: the API server refuses the selector", q)
		explained.Next = "select by labels, or by the fields that the kind supports."
	}
	return err
}

// result returns the result of the call. It is secret as a whole if one of the selecting texts is.
func (q *query) result(ctx context.Context, objects []unstructured.Unstructured, more bool) (property.Map, error) {
	secret := len(q.secrets) > 0
	manifests := make([]property.Value, 0, len(objects))
	for i := range objects {
		manifest, err := encodeLive(ctx, &objects[i], secret)
		if err != nil {
			return property.Map{}, err
		}
		manifests = append(manifests, manifest)
	}
	return property.NewMap(map[string]property.Value{
		keyManifests: property.New(manifests).WithSecret(secret),
		keyTruncated: property.New(more).WithSecret(secret),
	}), nil
}
