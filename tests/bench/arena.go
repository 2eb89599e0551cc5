package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/sets"
)

// The contenders, in the order of the table.
const (
	ours = iota
	engine
	server
	contenders
)

// arena is where the contenders work on one stack, each in a namespace and as a user of its own.
type arena struct {
	cluster *cluster.Cluster
	world   dynamic.Interface
	stack   stack
	sides   [contenders]side
}

type side struct {
	contender
	user      string
	namespace string
	// idle says that it makes no requests.
	idle bool
}

// result is what all rounds of a step came to.
type result struct {
	step    step
	elapsed [contenders][]time.Duration
	cpu     []time.Duration // of the provider alone
	peak    int64
	counts  counts
}

func newArena(ctx context.Context, c *cluster.Cluster, tools cli.Tools, s stack, dir string) (*arena, error) {
	world, err := dynamic.NewForConfig(c.RESTConfig())
	if err != nil {
		return nil, err
	}
	a := &arena{cluster: c, world: world, stack: s}
	for i, name := range [contenders]string{ours: "k8sconnect", engine: "nothing", server: "bare"} {
		namespace, err := c.Client().CoreV1().Namespaces().Create(ctx,
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: name + "-"}}, metav1.CreateOptions{})
		if err != nil {
			return nil, err
		}
		user, err := c.AddUser(namespace.Name, "system:masters")
		if err != nil {
			return nil, err
		}
		a.sides[i] = side{user: user.Name, namespace: namespace.Name, idle: i == engine}
		if i == server {
			a.sides[i].contender = bare{stack: s, namespace: namespace.Name, config: user.RESTConfig()}
			continue
		}
		p, err := newProject(ctx, tools, project{
			plugin: name, form: asObjects,
			set: func(generation string) sets.Set { return s.set(namespace.Name, generation) },
		}, user, filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		p.withoutCheckpoints()
		a.sides[i].contender = p
	}
	return a, nil
}

// measure has all contenders do all steps, a number of times. Each step is done by one after the other, and
// who begins changes with every step and round.
func (a *arena) measure(ctx context.Context, rounds int) ([]result, error) {
	results := make([]result, len(steps))
	for round := range rounds {
		for i, s := range steps {
			results[i].step = s
			fmt.Fprintf(os.Stderr, "%s: round %d of %d: %s\n", a.stack.name, round+1, rounds, s.name)
			for turn := range contenders {
				who := (round + i + turn) % contenders
				used, requests, err := a.one(ctx, s, a.sides[who])
				if err != nil {
					return nil, fmt.Errorf("%s, %s: %s: %w", a.stack.name, a.sides[who].user, s.name, err)
				}
				results[i].elapsed[who] = append(results[i].elapsed[who], used.elapsed)
				if who == ours {
					results[i].peak = max(results[i].peak, used.process.peak)
					results[i].cpu = append(results[i].cpu, used.process.cpu)
					results[i].counts = results[i].counts.worst(count(requests))
				}
			}
		}
	}
	return results, nil
}

// one has one contender do one step, and looks whether it did.
func (a *arena) one(ctx context.Context, s step, by side) (usage, cluster.Requests, error) {
	mark, err := a.cluster.AuditMark()
	if err != nil {
		return usage{}, nil, err
	}
	used, err := by.run(ctx, s)
	if err != nil {
		return usage{}, nil, err
	}
	all, err := a.cluster.RequestsSince(mark)
	if err != nil || by.idle {
		return used, nil, err
	}
	return used, all.Where(func(r cluster.Request) bool { return r.User == by.user }), a.verify(ctx, s, by.namespace)
}

// verify looks whether the objects are what the step leaves. It waits until the controllers are through with
// the Deployments: what they do later would be counted to the next.
func (a *arena) verify(ctx context.Context, s step, namespace string) error {
	wanted := map[schema.GroupVersionResource][]object{}
	for _, o := range a.stack.objects {
		wanted[o.resource] = append(wanted[o.resource], o)
	}
	for resource, objects := range wanted {
		for {
			list, err := a.world.Resource(resource).Namespace(namespace).List(ctx, metav1.ListOptions{
				LabelSelector: "app.kubernetes.io/part-of=bench",
			})
			if err != nil {
				return err
			}
			want := len(objects)
			if s.leaves == "" {
				want = 0
			}
			if len(list.Items) != want {
				return fmt.Errorf("%d %s are in the cluster, not %d", len(list.Items), resource.Resource, want)
			}
			if i := slices.IndexFunc(list.Items, func(live unstructured.Unstructured) bool {
				generation, _, _ := unstructured.NestedString(live.Object, objects[0].generation...)
				return generation != s.leaves
			}); i >= 0 {
				return fmt.Errorf("%s is not of generation %s", list.Items[i].GetName(), s.leaves)
			}
			if !slices.ContainsFunc(list.Items, unsettled) {
				break
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	return nil
}

// unsettled reports whether a controller has not yet seen the object as it is.
func unsettled(live unstructured.Unstructured) bool {
	if live.GetKind() != "Deployment" {
		return false
	}
	observed, _, _ := unstructured.NestedInt64(live.Object, "status", "observedGeneration")
	return observed != live.GetGeneration()
}
