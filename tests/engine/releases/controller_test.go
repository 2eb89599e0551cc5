package releases_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// The kinds that releases of these tests have.
var resources = map[string]schema.GroupVersionResource{
	"ConfigMap":             {Version: "v1", Resource: "configmaps"},
	"Secret":                {Version: "v1", Resource: "secrets"},
	"ServiceAccount":        {Version: "v1", Resource: "serviceaccounts"},
	"PersistentVolumeClaim": {Version: "v1", Resource: "persistentvolumeclaims"},
	"Deployment":            {Group: "apps", Version: "v1", Resource: "deployments"},
	"Job":                   {Group: "batch", Version: "v1", Resource: "jobs"},
	shop:                    {Group: shopGroup, Version: "v1", Resource: "shops"},
}

// shop is a kind whose definition is in no chart.
const (
	shop      = "Shop"
	shopGroup = "releases.example"
)

// defineShop makes the definition, and waits until its kind is served.
func (c *controller) defineShop() error {
	var definition unstructured.Unstructured
	if err := yaml.Unmarshal([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: shops.releases.example }
spec:
  group: releases.example
  names: { kind: Shop, plural: shops }
  scope: Namespaced
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } } }]
`), &definition); err != nil {
		return err
	}
	definitions := c.client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	if _, err := definitions.Create(context.Background(), &definition, metav1.CreateOptions{}); err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(context.Background(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		_, err := c.client.Resource(resources[shop]).List(ctx, metav1.ListOptions{})
		return err == nil, nil
	})
}

// played is the controller of all lives.
var played *controller

// controller stands for kube-controller-manager and the kubelets. It ends Jobs as their images say, has Deployments ready at
// once, and removes what waits for the garbage collector. It notes each run with what existed when the Job was made: nobody
// who waits for the Job has gone on by then.
type controller struct {
	client dynamic.Interface

	mu   sync.Mutex
	runs map[string][]run // by namespace
	seen map[types.UID]bool
}

// run is one Job that ran.
type run struct {
	job   string
	uid   types.UID
	image string
	args  []string
	// existed are the objects of the namespace, by kind and name.
	existed map[string]*unstructured.Unstructured
}

// String is the name of the Job, and how it ended if not well.
func (r run) String() string {
	if r.fails() {
		return r.job + " (failed)"
	}
	return r.job
}

func (r run) fails() bool { return strings.HasPrefix(r.image, "fails:") }

func startController(of *cluster.Cluster) (*controller, error) {
	config := of.RESTConfig()
	config.QPS, config.Burst = 500, 1000
	config = rest.AddUserAgent(config, "played-controller")
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("the controller of the tests: %w", err)
	}
	c := &controller{client: client, runs: map[string][]run{}, seen: map[types.UID]bool{}}
	if err := c.defineShop(); err != nil {
		return nil, fmt.Errorf("the definition of the tests: %w", err)
	}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	for kind, resource := range resources {
		informer := factory.ForResource(resource).Informer()
		sees := func(object any) {
			if live, ok := object.(*unstructured.Unstructured); ok {
				c.sees(kind, live)
			}
		}
		if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: sees, UpdateFunc: func(_, object any) { sees(object) },
		}); err != nil {
			return nil, fmt.Errorf("the controller of the tests: %w", err)
		}
	}
	factory.Start(context.Background().Done()) // until the process ends
	factory.WaitForCacheSync(context.Background().Done())
	return c, nil
}

// sees does what a cluster would do about an object. Errors are those of objects that have changed meanwhile, or are gone.
func (c *controller) sees(kind string, live *unstructured.Unstructured) {
	switch {
	case live.GetDeletionTimestamp() != nil:
		c.collect(kind, live)
	case kind == "Job":
		c.runJob(live)
	case kind == "Deployment":
		c.rollOut(live)
	}
}

// collect removes the finalizers of Kubernetes itself from an object that is deleted.
func (c *controller) collect(kind string, live *unstructured.Unstructured) {
	kubernetes := []string{metav1.FinalizerDeleteDependents, metav1.FinalizerOrphanDependents, "kubernetes.io/pvc-protection"}
	left := slices.DeleteFunc(slices.Clone(live.GetFinalizers()), func(f string) bool { return slices.Contains(kubernetes, f) })
	if len(left) == len(live.GetFinalizers()) {
		return
	}
	if left == nil {
		left = []string{}
	}
	c.patch(kind, live, map[string]any{"metadata": map[string]any{"finalizers": left, "resourceVersion": live.GetResourceVersion()}})
}

func (c *controller) patch(kind string, live *unstructured.Unstructured, patch map[string]any, subresources ...string) {
	body, err := json.Marshal(patch)
	if err != nil {
		panic(err)
	}
	_, _ = c.client.Resource(resources[kind]).Namespace(live.GetNamespace()).
		Patch(context.Background(), live.GetName(), types.MergePatchType, body, metav1.PatchOptions{}, subresources...)
}

// runJob notes a run and ends it. A Job whose account is missing has no pods and never ends; so that nobody waits, it fails.
func (c *controller) runJob(live *unstructured.Unstructured) {
	containers, _, _ := unstructured.NestedSlice(live.Object, "spec", "template", "spec", "containers")
	if len(containers) == 0 {
		return
	}
	c.mu.Lock()
	seen := c.seen[live.GetUID()]
	c.seen[live.GetUID()] = true
	c.mu.Unlock()
	if seen {
		return
	}
	container, _ := containers[0].(map[string]any)
	image, _ := container["image"].(string)
	args, _, _ := unstructured.NestedStringSlice(container, "args")
	r := run{job: live.GetName(), uid: live.GetUID(), image: image, args: args, existed: c.objects(live.GetNamespace())}
	c.mu.Lock()
	c.runs[live.GetNamespace()] = append(c.runs[live.GetNamespace()], r)
	c.mu.Unlock()
	if strings.HasPrefix(image, "waits:") {
		return
	}
	condition := func(kind string) map[string]any {
		return map[string]any{"type": kind, "status": "True", "lastTransitionTime": metav1.Now(), "reason": "Played", "message": "played"}
	}
	now := metav1.Now()
	status := map[string]any{"startTime": now, "uncountedTerminatedPods": map[string]any{}}
	if r.fails() {
		status["failed"] = 1
		status["conditions"] = []any{condition(string(batchv1.JobFailureTarget)), condition(string(batchv1.JobFailed))}
	} else {
		status["succeeded"], status["completionTime"] = 1, now
		status["conditions"] = []any{condition(string(batchv1.JobSuccessCriteriaMet)), condition(string(batchv1.JobComplete))}
	}
	c.patch("Job", live, map[string]any{"status": status}, "status")
}

func (c *controller) rollOut(live *unstructured.Unstructured) {
	observed, _, _ := unstructured.NestedInt64(live.Object, "status", "observedGeneration")
	if observed == live.GetGeneration() {
		return
	}
	replicas, _, _ := unstructured.NestedInt64(live.Object, "spec", "replicas")
	condition := func(kind, reason string) map[string]any {
		now := metav1.NewTime(time.Now())
		return map[string]any{"type": kind, "status": string(corev1.ConditionTrue), "reason": reason, "message": "played", "lastTransitionTime": now, "lastUpdateTime": now}
	}
	c.patch("Deployment", live, map[string]any{"status": map[string]any{
		"observedGeneration": live.GetGeneration(), "replicas": replicas, "updatedReplicas": replicas, "readyReplicas": replicas, "availableReplicas": replicas,
		"conditions": []any{condition("Available", "MinimumReplicasAvailable"), condition("Progressing", "NewReplicaSetAvailable")},
	}}, "status")
}

// expire removes the Jobs of a namespace that have ended and whose time to live will be over some day.
func (c *controller) expire(namespace string) {
	jobs := c.client.Resource(resources["Job"]).Namespace(namespace)
	for id, live := range c.objects(namespace) {
		conditions, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
		if _, given, _ := unstructured.NestedInt64(live.Object, "spec", "ttlSecondsAfterFinished"); !given || len(conditions) == 0 {
			continue
		}
		uid, background := live.GetUID(), metav1.DeletePropagationBackground
		options := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}, PropagationPolicy: &background}
		if err := jobs.Delete(context.Background(), live.GetName(), options); err != nil {
			panic(fmt.Errorf("%s: %w", id, err))
		}
	}
}

// objects are the objects of a namespace, by kind and name.
func (c *controller) objects(namespace string) map[string]*unstructured.Unstructured {
	found := map[string]*unstructured.Unstructured{}
	for kind, resource := range resources {
		list, err := c.client.Resource(resource).Namespace(namespace).List(context.Background(), metav1.ListOptions{})
		if err != nil {
			panic(err)
		}
		for i := range list.Items {
			found[kind+"/"+list.Items[i].GetName()] = &list.Items[i]
		}
	}
	return found
}

// ran are the runs in a namespace, from the first after so many.
func (c *controller) ran(namespace string, after int) []run {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.runs[namespace][min(after, len(c.runs[namespace])):])
}

// jobs are the names of the Jobs of runs.
func jobs(runs []run) []string {
	names := []string{}
	for _, r := range runs {
		names = append(names, r.String())
	}
	return names
}
