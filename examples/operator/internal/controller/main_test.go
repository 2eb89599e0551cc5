package controller_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/controller"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

const (
	// eventually is how long a condition may take, and moment how often it is looked at.
	eventually, moment = time.Minute, 20 * time.Millisecond
)

// These tests have an API server and the controller, and nothing else: no pod ever runs. What a run would do to the state, a test does.

var apiServer = envtest.Environment{CRDDirectoryPaths: []string{filepath.Join("..", "..", "config", "crd")}, ErrorIfCRDPathMissing: true}

// connect starts the API server and the controller for the first test that asks.
var connect = sync.OnceValues(func() (client.Client, error) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		return nil, errors.New("KUBEBUILDER_ASSETS is not set: these tests need etcd and kube-apiserver, and this variable to name their folder")
	}
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	config, err := apiServer.Start()
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	ctrl.SetLogger(logr.Discard())
	clock := &controller.ServerClock{}
	config.Wrap(clock.Wrap)
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, Cache: controller.CacheOptions(""), Metrics: server.Options{BindAddress: "0"},
	})
	if err != nil {
		return nil, err
	}
	direct, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	reconciler := &controller.Reconciler{
		Client: manager.GetClient(), Direct: direct, Clock: clock, Recorder: manager.GetEventRecorder("environment-operator"),
		Options: controller.Options{RunnerImage: "runner", Runs: 100, Reconciles: 4},
	}
	if err := reconciler.SetupWithManager(manager); err != nil {
		return nil, err
	}
	go func() { _ = manager.Start(context.Background()) }()
	return direct, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if apiServer.Config != nil {
		_ = apiServer.Stop()
	}
	os.Exit(code)
}

// place is a namespace with a program in it.
type place struct {
	*testing.T
	client.Client

	namespace string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	t.Parallel()
	direct, err := connect()
	require.NoError(t, err)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "controller-"}}
	require.NoError(t, direct.Create(t.Context(), namespace))
	p := &place{T: t, Client: direct, namespace: namespace.Name}
	p.make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "program"}, Data: map[string]string{"Pulumi.yaml": "name: shop\nruntime: yaml\n"}})
	return p
}

// make creates an object in the namespace.
func (p *place) make(object client.Object) {
	p.Helper()
	object.SetNamespace(p.namespace)
	require.NoError(p, p.Create(p.Context(), object))
}

// foreign makes a Secret that has nothing to do with the operator.
func (p *place) foreign(name string) *corev1.Secret {
	p.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, StringData: map[string]string{"of": "others"}}
	p.make(secret)
	return secret
}

// requireUntouched wants an object to be as it was.
func (p *place) requireUntouched(object client.Object) {
	p.Helper()
	now := object.DeepCopyObject().(client.Object)
	require.NoError(p, p.Get(p.Context(), client.ObjectKeyFromObject(object), now))
	require.Equal(p, object.GetResourceVersion(), now.GetResourceVersion(), "%s was written", object.GetName())
}

func (p *place) environmentOf(change ...func(*v1alpha1.EnvironmentSpec)) *v1alpha1.Environment {
	environment := &v1alpha1.Environment{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "shop"},
		Spec: v1alpha1.EnvironmentSpec{
			Program:            v1alpha1.ProgramSource{ConfigMapRef: v1alpha1.LocalObjectReference{Name: "program"}},
			ServiceAccountName: "runner", Timeout: metav1.Duration{Duration: time.Minute},
		},
	}
	environment.Spec.Retry.Backoff.Duration = time.Second
	for _, change := range change {
		change(&environment.Spec)
	}
	return environment
}

func (p *place) environment(change ...func(*v1alpha1.EnvironmentSpec)) {
	p.Helper()
	require.NoError(p, p.Create(p.Context(), p.environmentOf(change...)))
}

// read is the Environment as it is, nil if it is gone.
func (p *place) read() *v1alpha1.Environment {
	p.Helper()
	var environment v1alpha1.Environment
	err := p.Get(p.Context(), client.ObjectKey{Namespace: p.namespace, Name: "shop"}, &environment)
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(p, err)
	return &environment
}

func (p *place) eventually(holds func() bool, what string) {
	p.Helper()
	last := func() string { return fmt.Sprintf("%+v", p.read()) }
	require.Eventually(p, holds, eventually, moment, "%s: %v", what, stringer(last))
}

// stringer says something when it is asked, not before.
type stringer func() string

func (s stringer) String() string { return s() }

// becomes waits until Ready has a reason, and returns its message.
func (p *place) becomes(reason string) string {
	p.Helper()
	message := ""
	p.eventually(func() bool {
		ready := meta.FindStatusCondition(p.read().Status.Conditions, v1alpha1.ConditionReady)
		if ready == nil || ready.Reason != reason {
			return false
		}
		message = ready.Message
		return true
	}, "it becomes "+reason)
	return message
}

// job waits for the Job of a run.
func (p *place) job(serial int64) *batchv1.Job {
	p.Helper()
	job := &batchv1.Job{}
	name := (&v1alpha1.Environment{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}).JobName(serial)
	p.eventually(func() bool {
		return p.Get(p.Context(), client.ObjectKey{Namespace: p.namespace, Name: name}, job) == nil
	}, "the Job "+name+" is there")
	return job
}

// runs does what a run does that succeeds: it saves that, and ends.
func (p *place) runs(serial int64, change ...func(*state.Head)) {
	p.Helper()
	job := p.job(serial)
	p.eventually(func() bool { return p.read().Status.CurrentOperation.JobUID == job.UID }, "the Job is in the status")
	operation := p.read().Status.CurrentOperation
	store := state.New(p.Client, p.namespace, "shop")
	head, err := store.Read(p.Context())
	require.NoError(p, err)
	head.Record = state.Record{
		Serial: serial, Kind: operation.Kind, InputHash: operation.InputHash, Outcome: state.Succeeded,
		StartedAt: metav1.Now(), EndedAt: metav1.Now(), Applied: true, ResourceCount: 1,
	}
	for _, change := range change {
		change(head)
	}
	require.NoError(p, store.Save(p.Context(), head))
	require.NoError(p, p.Delete(p.Context(), job, client.PropagationPolicy(metav1.DeletePropagationBackground)))
}

// remove deletes the Environment.
func (p *place) remove() {
	p.Helper()
	require.NoError(p, p.Delete(p.Context(), p.read()))
}

func (p *place) isGone(object client.Object) bool {
	return apierrors.IsNotFound(p.Get(p.Context(), client.ObjectKeyFromObject(object), object))
}
