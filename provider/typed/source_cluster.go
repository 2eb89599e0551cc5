package typed

import (
	"context"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
)

// addLive adds kinds of the cluster that the parameters lead to. A client of its own reads it: the provider is not configured yet, and
// may never be.
func (c *catalog) addLive(ctx context.Context, parameters parameters, userAgent string) error {
	given := map[string]property.Value{}
	for name, value := range map[string]string{"kubeconfig": parameters.kubeconfig, "context": parameters.context} {
		if value != "" {
			given[name] = property.New(value)
		}
	}
	inputs := property.Map{}
	if len(given) > 0 {
		inputs = inputs.Set(connection.Key, property.New(given))
	}
	cluster, err := connection.NewSource(userAgent).Cluster(inputs)
	if err != nil {
		return fmt.Errorf("the kinds of the cluster cannot be read: %w", err)
	}
	documents := map[string]document{}
	for _, apiVersion := range apiVersions(parameters.kinds) {
		text, err := cluster.OpenAPI(ctx, apiVersion)
		if apierrors.IsNotFound(err) {
			return fmt.Errorf("the cluster %s does not serve %s. For kinds that it does not have yet, give their definitions with crds=", cluster.Server(), apiVersion)
		}
		if err != nil {
			return fmt.Errorf("the kinds of %s cannot be read: %w", apiVersion, err)
		}
		if documents[apiVersion], err = parseDocument(text); err != nil {
			return fmt.Errorf("the kinds of %s cannot be read: what %s describes is no OpenAPI: %w", apiVersion, cluster.Server(), err)
		}
	}
	for _, k := range parameters.kinds {
		if err := c.add(k, documents[k.APIVersion()]); err != nil {
			return fmt.Errorf("the cluster %s: %w", cluster.Server(), err)
		}
	}
	return nil
}
