package class

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// WaitsForObjects says for which objects a deleted class waits, and what to do.
func WaitsForObjects(of *v1alpha1.EnvironmentClass, objects []unstructured.Unstructured) string {
	left := make([]client.Object, len(objects))
	for i := range objects {
		left[i] = &objects[i]
	}
	names, first := listed(left)
	message := fmt.Sprintf("The class is deleted when no object of its kind exists, and waits for %s: %s.", counted(len(left), "object"), names)
	if first == nil {
		return message + " What they wait for is in their messages: kubectl get " + of.DefinitionName() + " --all-namespaces"
	}
	return message + fmt.Sprintf(" Delete them, which destroys what their programs made: kubectl delete %s --namespace %s %s",
		of.DefinitionName(), first.GetNamespace(), first.GetName())
}

// WaitsForEnvironments says the same of Environments whose objects are gone.
func WaitsForEnvironments(of *v1alpha1.EnvironmentClass, environments []v1alpha1.Environment) string {
	left := make([]client.Object, len(environments))
	for i := range environments {
		left[i] = &environments[i]
	}
	names, first := listed(left)
	message := fmt.Sprintf("The class is deleted when it has no Environment, and waits for %s without an object: %s.", counted(len(left), "Environment"), names)
	if first == nil {
		return message + " What they wait for is in their messages: kubectl get environments --namespace " + of.Spec.Namespace
	}
	return message + fmt.Sprintf(" Delete them, too: kubectl delete environment --namespace %s %s", first.GetNamespace(), first.GetName())
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// listed are the names of objects, those first that nobody has deleted, of which the first is returned, too.
func listed(objects []client.Object) (names string, first client.Object) {
	const most = 5
	isDeleted := func(object client.Object) bool { return object.GetDeletionTimestamp() != nil }
	slices.SortStableFunc(objects, func(a, b client.Object) int {
		switch {
		case isDeleted(a) == isDeleted(b):
			return 0
		case isDeleted(b):
			return -1
		}
		return 1
	})
	var shown []string
	for _, object := range objects[:min(len(objects), most)] {
		name := object.GetNamespace() + "/" + object.GetName()
		if isDeleted(object) {
			name += " (is being deleted)"
		}
		shown = append(shown, name)
	}
	names = strings.Join(shown, ", ")
	if more := len(objects) - most; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	if !isDeleted(objects[0]) {
		first = objects[0]
	}
	return names, first
}
