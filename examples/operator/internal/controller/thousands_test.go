//go:build thousands

package controller_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

const eachHas = 10 // objects

// What thousands of Environments cost a controller: go test -tags thousands -run Thousands -v ./internal/controller, with their number in
// ENVIRONMENTS. It prints what it measures, and fails only where a look begins that nothing asks for, or none where something does.
func TestThousandsOfEnvironmentsAreWatched(t *testing.T) { // [X65]
	count, err := strconv.Atoi(os.Getenv("ENVIRONMENTS"))
	if err != nil {
		count = 2000
	}
	p := &place{T: t, namespace: fmt.Sprintf("controller-%d", places.Add(1)), environmentName: "shop-0"}
	t.Run("one runs", func(t *testing.T) {
		p.T, p.Client = t, control(t, p.namespace, 8)
		p.found(nil)
		p.environment(watching)
		p.runs(1, func(head *state.Head) { head.Record.Resources = p.makeObjects("shop-0") })
		p.isWatched(eachHas)
	})
	p.T = t
	p.copies(count)

	var requests atomic.Int64
	before := heap()
	began := time.Now()
	control(t, p.namespace, 8, func(with *setup) {
		with.config.QPS, with.config.Burst = 50, 100 // as the operator has it
		with.config.Wrap(func(inner http.RoundTripper) http.RoundTripper {
			return roundTripper(func(request *http.Request) (*http.Response, error) {
				requests.Add(1)
				return inner.RoundTrip(request)
			})
		})
	})
	p.untilAll(count, func(e *v1alpha1.Environment) bool { return e.Status.Watched != nil && e.Status.Watched.Digest != "" })
	t.Logf("%d Environments with %d objects each are watched after %.0f s and %d requests, with %d MiB more on the heap",
		count, eachHas, time.Since(began).Seconds(), requests.Load(), (heap()-before)>>20)

	time.Sleep(10 * time.Second) // What is measured is that nothing happens.
	requests.Store(0)
	time.Sleep(10 * time.Second)
	t.Logf("at rest: %d requests in 10 s", requests.Load())
	drifting := fmt.Sprintf("shop-%d", count/2)
	requests.Store(0)
	p.edit(drifting+"-3", func(made *corev1.ConfigMap) { made.Data["text"] = "bye" })
	took := p.and(drifting).isLookedAt(2)
	time.Sleep(5 * time.Second)
	running := 0
	for _, e := range p.all() {
		if e.Status.CurrentOperation != nil {
			running++
		}
	}
	t.Logf("one object has drifted: its look begins after %.1f s; %d requests; heap %d MiB more", took.Seconds(), requests.Load(), (heap()-before)>>20)
	require.Less(t, (heap()-before)>>20, int64(300), "MiB")
	require.Equal(t, 1, running)
	require.Less(t, took, 5*time.Second)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// makeObjects makes the objects of an Environment.
func (p *place) makeObjects(environment string) (made []v1alpha1.ResourceStatus) {
	for i := range eachHas {
		made = append(made, p.apply("ConfigMap", fmt.Sprintf("%s-%d", environment, i), "hello"))
	}
	return made
}

// copies makes further Environments that are as the first one.
func (p *place) copies(count int) {
	p.Helper()
	first := p.read()
	var secrets corev1.SecretList
	require.NoError(p, p.List(p.Context(), &secrets, client.InNamespace(p.namespace), client.HasLabels{v1alpha1.LabelEnvironment}))
	var outputs corev1.Secret
	require.NoError(p, p.Get(p.Context(), client.ObjectKey{Namespace: p.namespace, Name: first.OutputsSecretName()}, &outputs))
	parts := append(secrets.Items, outputs)
	group, ctx := errgroup.WithContext(context.Background())
	group.SetLimit(16)
	for i := 1; i < count; i++ {
		group.Go(func() error { return p.copy(ctx, first, parts, fmt.Sprintf("shop-%d", i)) })
	}
	require.NoError(p, group.Wait())
}

func (p *place) copy(ctx context.Context, first *v1alpha1.Environment, parts []corev1.Secret, name string) error {
	e := &v1alpha1.Environment{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: name, Finalizers: first.Finalizers}, Spec: *first.Spec.DeepCopy()}
	if err := p.Create(ctx, e); err != nil {
		return err
	}
	e.Status = *first.Status.DeepCopy()
	e.Status.Watched = nil
	e.Status.StateRef.Name, e.Status.OutputsSecretRef.Name = e.StateSecretName(), e.OutputsSecretName()
	e.Status.Resources = p.makeObjects(name)
	made := map[string]bool{}
	for i := range parts {
		part := corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: p.namespace, Name: strings.Replace(parts[i].Name, first.Name, name, 1), Annotations: parts[i].Annotations,
				Finalizers: parts[i].Finalizers, Labels: map[string]string{},
			},
			Type: parts[i].Type, Data: parts[i].Data,
		}
		for key, value := range parts[i].Labels {
			part.Labels[key] = strings.Replace(value, first.Name, name, 1)
		}
		if parts[i].OwnerReferences != nil {
			part.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(e, v1alpha1.GroupVersion.WithKind("Environment"))}
		}
		if made[part.Name] {
			continue
		}
		made[part.Name] = true
		if err := p.Create(ctx, &part); err != nil {
			return err
		}
	}
	return p.Status().Update(ctx, e)
}

func (p *place) all() []v1alpha1.Environment {
	p.Helper()
	var all v1alpha1.EnvironmentList
	require.NoError(p, p.List(p.Context(), &all, client.InNamespace(p.namespace)))
	return all.Items
}

func (p *place) untilAll(count int, holds func(*v1alpha1.Environment) bool) {
	p.Helper()
	require.Eventually(p, func() bool {
		all := p.all()
		for i := range all {
			if !holds(&all[i]) {
				return false
			}
		}
		return len(all) == count
	}, 20*time.Minute, time.Second)
}
