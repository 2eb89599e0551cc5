package class_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
)

func TestADeletedClassSaysWhatItWaitsFor(t *testing.T) { // [X61]
	t.Parallel()
	of := &v1alpha1.EnvironmentClass{Spec: v1alpha1.EnvironmentClassSpec{Namespace: "runs", Kind: v1alpha1.ClassKind{Kind: "WebApp", Plural: "webapps"}}}
	object := func(name string, deleted bool) unstructured.Unstructured {
		one := unstructured.Unstructured{Object: map[string]any{}}
		one.SetNamespace("team")
		one.SetName(name)
		if deleted {
			one.SetDeletionTimestamp(new(metav1.Now()))
		}
		return one
	}
	const begin = "The class is deleted when no object of its kind exists, and waits for "
	assert.Equal(t, begin+"2 objects: team/b, team/a (is being deleted). Delete them, which destroys what their programs made: "+
		"kubectl delete webapps.apps.platform.example.com --namespace team b", class.WaitsForObjects(of, []unstructured.Unstructured{object("a", true), object("b", false)}))
	assert.Equal(t, begin+"1 object: team/a (is being deleted). What they wait for is in their messages: "+
		"kubectl get webapps.apps.platform.example.com --all-namespaces", class.WaitsForObjects(of, []unstructured.Unstructured{object("a", true)}))
	var many []unstructured.Unstructured
	for i := range 7 {
		many = append(many, object(fmt.Sprint("shop-", i), false))
	}
	assert.Contains(t, class.WaitsForObjects(of, many), begin+"7 objects: team/shop-0, team/shop-1, team/shop-2, team/shop-3, team/shop-4 and 2 more. Delete them")

	left := v1alpha1.Environment{ObjectMeta: metav1.ObjectMeta{Namespace: "runs", Name: "shop-1"}}
	assert.Equal(t, "The class is deleted when it has no Environment, and waits for 1 Environment without an object: runs/shop-1. Delete them, too: "+
		"kubectl delete environment --namespace runs shop-1", class.WaitsForEnvironments(of, []v1alpha1.Environment{left}))
}
