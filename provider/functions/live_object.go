package functions

import (
	"context"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// encodeLive returns a live object as the result of a function: all of it except metadata.managedFields. secret means
// that the program's arguments are secret; then the whole object is, and no message names it.
func encodeLive(ctx context.Context, live *unstructured.Unstructured, secret bool) (property.Value, error) {
	unstructured.RemoveNestedField(live.Object, "metadata", "managedFields")
	identity := manifest.IdentityOf(live.Object)
	if !secret {
		for _, problem := range manifest.ValidateNumbers(live.Object) {
			p.GetLogger(ctx).Warningf("%s: %s: the last digits of the number are not right: Pulumi keeps numbers as "+
				"64-bit floats.", identity, problem.Path)
		}
	}
	object, err := values.ToProperty(live.Object, secretPlaces(live.Object))
	if err != nil {
		return property.Value{}, fmt.Errorf("%s: %w", identity, err)
	}
	return object.WithSecret(secret), nil
}

// explainRead says why something could not be read.
func explainRead(ctx context.Context, clu *cluster.Cluster, subject string, err error) error {
	return failure.Explain(clu.ExplainNotServed(ctx, err), failure.Operation{Verb: "read", Subject: subject, Server: clu.Server()})
}
