package runner

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

const (
	maximumResources = 100
	maximumElsewhere = 20
)

// The types of this provider whose state names an object.
const (
	typeKubeObject = "k8sconnect:index:KubeObject"
	typePatch      = "k8sconnect:index:Patch"
	typeWait       = "k8sconnect:index:Wait"
	typeTask       = "k8sconnect:index:Task"
)

// inventory writes into a record what the state says: which resources there are, and which of them are not objects of
// the Environment's namespace.
func inventory(record *state.Record, deployment *apitype.DeploymentV3, namespace string, failed []urn.URN) {
	configured := configuredProviders(deployment)
	var all []v1alpha1.ResourceStatus
	var elsewhere []string
	seen := map[urn.URN]bool{}
	for _, resource := range deployment.Resources {
		if resource.Type == rootType || strings.HasPrefix(string(resource.Type), providerPrefix) || resource.External {
			continue
		}
		status := describe(resource)
		if len(resource.InitErrors) > 0 || slices.Contains(failed, resource.URN) {
			status.State = v1alpha1.ResourceFailed
		}
		seen[resource.URN] = true
		all = append(all, status)
		inNamespace := goesWith(namespace, resource, status) && !configured[resource.Provider] && resource.Inputs["clusterConnection"] == nil
		if resource.Custom && resource.Type != typeWait && !inNamespace {
			elsewhere = append(elsewhere, place(status))
		}
	}
	count := len(all)
	for _, missing := range failed {
		if !seen[missing] && missing.Type() != rootType {
			seen[missing] = true
			all = append(all, v1alpha1.ResourceStatus{Name: missing.Name(), Type: string(missing.Type()), State: v1alpha1.ResourceFailed})
		}
	}
	slices.SortStableFunc(all, func(a, b v1alpha1.ResourceStatus) int {
		return cmp.Compare(order(a), order(b))
	})
	slices.Sort(elsewhere)
	record.ResourceCount = int32(min(count, math.MaxInt32))
	record.PendingOperations = pending(deployment)
	record.Resources = all[:min(len(all), maximumResources)]
	record.Elsewhere = elsewhere[:min(len(elsewhere), maximumElsewhere)]
	record.ElsewhereCount = int32(min(len(elsewhere), math.MaxInt32))
}

// goesWith says whether all that a resource has made is in a namespace. Of a Task that is its Job or Pod, if that was kept; but one that is to
// run at the end has not.
func goesWith(namespace string, resource apitype.ResourceV3, status v1alpha1.ResourceStatus) bool {
	if resource.Type != typeTask {
		return status.Type == "" && status.Namespace == namespace
	}
	reference, isKept := resource.Outputs["resourceRef"].(map[string]any)
	runOn, _ := resource.Inputs["runOn"].([]any)
	return (!isKept || reference["namespace"] == namespace) && !slices.Contains(runOn, any("delete"))
}

func order(status v1alpha1.ResourceStatus) int {
	if status.State == v1alpha1.ResourceFailed {
		return 0
	}
	return 1
}

// describe says which object a resource is.
func describe(resource apitype.ResourceV3) v1alpha1.ResourceStatus {
	status := v1alpha1.ResourceStatus{Name: resource.URN.Name(), Type: string(resource.Type), State: v1alpha1.ResourceApplied}
	var reference map[string]any
	switch resource.Type {
	case typeKubeObject, typePatch:
		reference, _ = resource.Outputs["resourceRef"].(map[string]any)
	case typeWait:
		reference, _ = resource.Inputs["resourceRef"].(map[string]any)
	default:
		reference = typedReference(resource)
	}
	text := func(key string) string { text, _ := reference[key].(string); return text }
	if text("kind") == "" || text("name") == "" {
		return status
	}
	status.APIVersion, status.Kind, status.Namespace = text("apiVersion"), text("kind"), text("namespace")
	status.ObjectName, status.UID = text("name"), types.UID(text("uid"))
	status.Type = ""
	return status
}

// typedReference is the object of a resource of a kind's own class, nil for another resource.
func typedReference(resource apitype.ResourceV3) map[string]any {
	if !strings.HasPrefix(string(resource.Type), "k8sconnect:") {
		return nil
	}
	ours, _ := resource.Outputs["k8sconnect"].(map[string]any)
	reference, _ := ours["resourceRef"].(map[string]any)
	return reference
}

// place names a resource for people.
func place(status v1alpha1.ResourceStatus) string {
	if status.Kind == "" {
		return status.Type + " " + status.Name
	}
	name := status.ObjectName
	if status.Namespace != "" {
		name = status.Namespace + "/" + name
	}
	return status.APIVersion + " " + status.Kind + " " + name
}

// configuredProviders are those that say which cluster is meant: it may be another one.
func configuredProviders(deployment *apitype.DeploymentV3) map[string]bool {
	found := map[string]bool{}
	for _, resource := range deployment.Resources {
		if !strings.HasPrefix(string(resource.Type), providerPrefix) {
			continue
		}
		for _, input := range []string{"kubeconfig", "context", "host", "proxyUrl"} {
			if resource.Inputs[input] != nil {
				found[string(resource.URN)+"::"+string(resource.ID)] = true
			}
		}
	}
	return found
}

// pending counts the operations that began and may not have ended. The engine remembers a creation that was cut off even
// after a later run has made the resource.
func pending(deployment *apitype.DeploymentV3) (count int32) {
	made := map[urn.URN]bool{}
	for _, resource := range deployment.Resources {
		made[resource.URN] = true
	}
	for _, operation := range deployment.PendingOperations {
		if operation.Type != apitype.OperationTypeCreating || !made[operation.Resource.URN] {
			count++
		}
	}
	return count
}
