package controller_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	managerconfig "sigs.k8s.io/controller-runtime/pkg/config"
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

// These tests have an API server and a controller for each, and nothing else: no pod ever runs. What a run would do to the state, a test does.

var apiServer = envtest.Environment{CRDDirectoryPaths: []string{filepath.Join("..", "..", "config", "crd")}, ErrorIfCRDPathMissing: true}

// connect starts the API server for the first test that asks.
var connect = sync.OnceValues(func() (*rest.Config, error) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		return nil, errors.New("KUBEBUILDER_ASSETS is not set: these tests need etcd and kube-apiserver, and this variable to name their folder")
	}
	ctrl.SetLogger(logr.Discard())
	config, err := apiServer.Start()
	if err == nil {
		config.QPS = -1
	}
	return config, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if apiServer.Config != nil {
		_ = apiServer.Stop()
	}
	os.Exit(code)
}

// setup is what may be another one for a test.
type setup struct {
	config  *rest.Config
	metrics server.Options
	// options are those of the controller.
	options controller.Options
	// registered is called with the reconciler before the controller starts.
	registered func(*controller.Reconciler, ctrl.Manager) error
}

// control starts a controller that looks after one namespace; "" is all. The client is a person's.
func control(t *testing.T, namespace string, runs int, change ...func(*setup)) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	utilruntime.Must(apiextensionsv1.AddToScheme(scheme))
	shared, err := connect()
	require.NoError(t, err)
	with := setup{
		config: rest.CopyConfig(shared), metrics: server.Options{BindAddress: "0"},
		options: controller.Options{RunnerImage: "runner", Runs: runs, Reconciles: 4, Namespace: namespace, Approvals: true},
	}
	for _, change := range change {
		change(&with)
	}
	config, clock := with.config, &controller.ServerClock{}
	config.Wrap(clock.Wrap)
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, Cache: controller.CacheOptions(namespace), Metrics: with.metrics,
		Controller: managerconfig.Controller{SkipNameValidation: new(true)},
	})
	require.NoError(t, err)
	direct, err := client.New(config, client.Options{Scheme: scheme})
	require.NoError(t, err)
	reconciler := &controller.Reconciler{
		Client: manager.GetClient(), Direct: direct, Clock: clock, Recorder: manager.GetEventRecorder("environment-operator"),
		Options: with.options,
	}
	require.NoError(t, reconciler.SetupWithManager(manager))
	if with.registered != nil {
		require.NoError(t, with.registered(reconciler, manager))
	}
	person, err := client.New(shared, client.Options{Scheme: scheme})
	require.NoError(t, err)
	stopped := make(chan struct{})
	ctx, stop := context.WithCancel(context.Background())
	go func() { defer close(stopped); _ = manager.Start(ctx) }()
	t.Cleanup(func() { stop(); <-stopped })
	return person
}

// place is a namespace with a program in it, and a controller.
type place struct {
	*testing.T
	client.Client

	namespace string
	// environmentName is the Environment that is told about.
	environmentName string
}

// and tells of another Environment of the place.
func (p *place) and(name string) *place {
	other := *p
	other.environmentName = name
	return &other
}

var places atomic.Int32

func newPlace(t *testing.T) *place { t.Helper(); return newPlaceFor(t, 8) }

// newPlaceFor has a controller that lets so many programs run at a time.
func newPlaceFor(t *testing.T, runs int, change ...func(*setup)) *place {
	t.Helper()
	t.Parallel()
	namespace := fmt.Sprintf("controller-%d", places.Add(1))
	p := &place{T: t, Client: control(t, namespace, runs, change...), namespace: namespace, environmentName: "shop"}
	p.found(nil)
	return p
}

// found makes the namespace, and the program in it.
func (p *place) found(labels map[string]string) {
	p.Helper()
	require.NoError(p, p.Create(p.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.namespace, Labels: labels}}))
	p.make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "program"}, Data: map[string]string{"Pulumi.yaml": "name: shop\nruntime: yaml\n"}})
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
		ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: p.environmentName},
		Spec: v1alpha1.EnvironmentSpec{
			Program:            v1alpha1.ProgramSource{ConfigMapRef: v1alpha1.LocalObjectReference{Name: "program"}},
			ServiceAccountName: "runner", Timeout: &metav1.Duration{Duration: time.Minute},
		},
	}
	environment.Spec.Retry.Backoff = &metav1.Duration{Duration: time.Second}
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
	err := p.Get(p.Context(), client.ObjectKey{Namespace: p.namespace, Name: p.environmentName}, &environment)
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
	name := (&v1alpha1.Environment{ObjectMeta: metav1.ObjectMeta{Name: p.environmentName}}).JobName(serial)
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
	store := state.New(p.Client, p.namespace, p.environmentName)
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

// secret is a Secret as it is.
func (p *place) secret(name string) *corev1.Secret {
	p.Helper()
	secret := &corev1.Secret{}
	require.NoError(p, p.Get(p.Context(), client.ObjectKey{Namespace: p.namespace, Name: name}, secret))
	return secret
}

// applied has an Environment whose first run has succeeded.
func (p *place) applied() {
	p.Helper()
	p.environment()
	p.runs(1)
	p.becomes("Applied")
}

// remove deletes the Environment.
func (p *place) remove() {
	p.Helper()
	require.NoError(p, p.Delete(p.Context(), p.read()))
}

func (p *place) isGone(object client.Object) bool {
	return apierrors.IsNotFound(p.Get(p.Context(), client.ObjectKeyFromObject(object), object))
}
