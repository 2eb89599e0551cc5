package cluster_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

func TestRequestsNameTheirObject(t *testing.T) {
	for uri, object := range map[string]string{
		"/api/v1/namespaces/prod/configmaps/settings":                                            "prod/configmaps/settings",
		"/api/v1/namespaces/prod/configmaps/settings?dryRun=All&force=true":                      "prod/configmaps/settings",
		"/apis/apps/v1/namespaces/prod/deployments/web/status":                                   "prod/deployments/web",
		"/apis/apps/v1/namespaces/prod/deployments?fieldSelector=metadata.name%3Dweb&watch=true": "prod/deployments/web",
		"/apis/apps/v1/namespaces/prod/deployments?watch=true":                                   "",
		"/apis/apps/v1/namespaces/prod/deployments?fieldSelector=status.phase%3DRunning":         "",
		"/api/v1/namespaces/prod": "namespaces/prod",
		"/api/v1/namespaces?fieldSelector=metadata.name%3Dprod&watch=true":         "namespaces/prod",
		"/apis/rbac.authorization.k8s.io/v1/clusterroles/view":                     "clusterroles/view",
		"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/a.example/status": "customresourcedefinitions/a.example",
		"/apis/rbac.authorization.k8s.io/v1/clusterroles":                          "",
		"/apis":         "",
		"/version":      "",
		"/api/v1":       "",
		"/apis/apps/v1": "",
	} {
		assert.Equal(t, object, cluster.Request{URI: uri}.Object(), uri)
	}
}
