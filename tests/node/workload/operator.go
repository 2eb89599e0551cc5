package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// finalizer is what the operator has to do before an object of its kind may go.
const finalizer = "shop.example.com/clean-up"

// operator is the controller of the kind $PLURAL in $NAMESPACE: its objects get a finalizer and the condition Ready, and
// when they are deleted the finalizer goes.
func operator() {
	kind := schema.GroupVersionResource{Group: "shop.example.com", Version: "v1", Resource: os.Getenv("PLURAL")}
	config, err := rest.InClusterConfig()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	objects := dynamic.NewForConfigOrDie(config).Resource(kind).Namespace(os.Getenv("NAMESPACE"))
	see := func(seen any) {
		if object, ok := seen.(*unstructured.Unstructured); ok {
			if err := reconcile(objects, object); err != nil {
				fmt.Println(err) // the next look comes in a second
			}
		}
	}
	informer := dynamicinformer.NewFilteredDynamicInformer(dynamic.NewForConfigOrDie(config), kind, os.Getenv("NAMESPACE"),
		time.Second, cache.Indexers{}, nil).Informer()
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: see, UpdateFunc: func(_, now any) { see(now) }})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	informer.Run(make(chan struct{}))
}

// reconcile takes the next step of an object's life.
func reconcile(objects dynamic.ResourceInterface, object *unstructured.Unstructured) error {
	holds := slices.Contains(object.GetFinalizers(), finalizer)
	observed, _, _ := unstructured.NestedInt64(object.Object, "status", "observedGeneration")
	metadata := map[string]any{"resourceVersion": object.GetResourceVersion()}
	switch {
	case object.GetDeletionTimestamp() != nil && holds:
		metadata["finalizers"] = slices.DeleteFunc(object.GetFinalizers(), func(name string) bool { return name == finalizer })
		return patch(objects, object, map[string]any{"metadata": metadata})
	case object.GetDeletionTimestamp() != nil:
		return nil
	case !holds:
		metadata["finalizers"] = append(object.GetFinalizers(), finalizer)
		return patch(objects, object, map[string]any{"metadata": metadata})
	case observed != object.GetGeneration():
		ready := metav1.Condition{
			Type: "Ready", Status: metav1.ConditionTrue, Reason: "Open", Message: "the shop is open",
			ObservedGeneration: object.GetGeneration(), LastTransitionTime: metav1.Now(),
		}
		return patch(objects, object, map[string]any{
			"status": map[string]any{"observedGeneration": object.GetGeneration(), "conditions": []metav1.Condition{ready}},
		}, "status")
	}
	return nil
}

func patch(objects dynamic.ResourceInterface, object *unstructured.Unstructured, change map[string]any, subresource ...string) error {
	text, err := json.Marshal(change)
	if err != nil {
		return err
	}
	_, err = objects.Patch(context.Background(), object.GetName(), types.MergePatchType, text, metav1.PatchOptions{FieldManager: "operator"}, subresource...)
	return err
}
