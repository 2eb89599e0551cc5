package cluster

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// DefinitionAnnotation reads an annotation of the CustomResourceDefinition of a kind that is served. It is empty if there is
// no such annotation, if something else defines the kind, and for a user who may not read the definition. Only the metadata
// is sent: a definition may be large.
func (c *Cluster) DefinitionAnnotation(ctx context.Context, apiVersion, kind, key string) (string, error) {
	resource, err := c.Resource(ctx, apiVersion, kind)
	if err != nil {
		return "", err
	}
	ref := Ref{
		APIVersion: definitionsPath.GroupVersion().String(), Kind: kinds.CustomResourceDefinition.Kind, Name: resource.GroupResource().String(),
	}
	answer, err := c.read(ctx, c.client.Get().AbsPath(append(collectionOf(definitionsPath), ref.Name)...).SetHeader("Accept", metadataOfOne))
	if err != nil {
		if err = c.answerTo(ctx, ref, Resource{GroupVersionResource: definitionsPath}, err); failure.Gone(err) || apierrors.IsForbidden(err) {
			return "", nil
		}
		return "", err
	}
	var definition metav1.PartialObjectMetadata
	if err := json.Unmarshal(answer.body, &definition); err != nil || definition.Kind != "PartialObjectMetadata" {
		// Nothing else may count as a definition without annotations.
		return "", fmt.Errorf("%s: %w", ref, &failure.UnreadableReplyError{Code: answer.code})
	}
	return definition.Annotations[key], nil
}
