package cluster

import (
	"context"
	"strings"
)

// OpenAPI reads the OpenAPI document of an API version, which describes all its kinds.
func (c *Cluster) OpenAPI(ctx context.Context, apiVersion string) ([]byte, error) {
	root := "/openapi/v3/api/"
	if strings.Contains(apiVersion, "/") {
		root = "/openapi/v3/apis/"
	}
	answer, err := c.read(ctx, c.client.Get().AbsPath(root+apiVersion))
	return answer.body, err
}
