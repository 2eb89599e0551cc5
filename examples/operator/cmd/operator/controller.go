package main

import (
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"os"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	clientconfig "sigs.k8s.io/controller-runtime/pkg/client/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/controller"
)

// controllerOptions are the flags of the controller.
type controllerOptions struct {
	controller.Options

	namespace, selector     string
	leaderElection          bool
	leaderElectionNamespace string
	metrics, probes         string
	qps                     float64
	burst                   int
}

// control is the process of the controller's pod.
func control(args []string) int {
	options, err := controlOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 64
	}
	ctrl.SetLogger(zap.New(zap.UseDevMode(false)))
	if err := runController(options); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func controlOptions(args []string) (controllerOptions, error) {
	var options controllerOptions
	flags := flag.NewFlagSet("controller", flag.ContinueOnError)
	flags.StringVar(&options.RunnerImage, "runner-image", "localhost/k8sconnect-operator:dev", "the `image` of the pods that run programs")
	flags.IntVar(&options.Runs, "runs", 8, "how many programs may run at a time")
	flags.IntVar(&options.Reconciles, "reconciles", 4, "how many Environments are looked at at a time")
	flags.StringVar(&options.namespace, "namespace", "", "look after the Environments of this `namespace` alone (default: of all)")
	flags.StringVar(&options.selector, "namespace-selector", "", "look after the namespaces alone that this `selector` of labels selects, such as shard=a")
	flags.BoolVar(&options.leaderElection, "leader-elect", true, "let one of several controllers work")
	flags.StringVar(&options.leaderElectionNamespace, "leader-election-namespace", "", "the `namespace` of the leader's Lease (default: the pod's)")
	flags.StringVar(&options.metrics, "metrics-bind-address", "0", "where to serve metrics by HTTPS to those who may get /metrics, such as :8443; 0 for nowhere")
	flags.StringVar(&options.probes, "health-probe-bind-address", "0", "where to serve /healthz and /readyz, such as :8081; 0 for nowhere")
	flags.Float64Var(&options.qps, "qps", 50, "requests to the API server a second")
	flags.IntVar(&options.burst, "burst", 100, "requests to the API server at once")
	if err := flags.Parse(args); err != nil {
		return options, err
	}
	if options.Runs < 1 || options.Reconciles < 1 {
		return options, errors.New("--runs and --reconciles are at least 1")
	}
	if options.namespace != "" && options.selector != "" {
		return options, errors.New("--namespace and --namespace-selector exclude each other")
	}
	selector, err := labels.Parse(options.selector)
	if err != nil {
		return options, fmt.Errorf("--namespace-selector: %w", err)
	}
	options.Namespaces, options.Namespace, options.Classes, options.Approvals = selector, options.namespace, options.namespace == "", true
	return options, nil
}

// leaderElectionID names the Lease of those controllers of which one works: all with the same selector.
func (o controllerOptions) leaderElectionID() string {
	const name = "environment-operator"
	if o.Namespaces.Empty() {
		return name
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(o.Namespaces.String()))
	return fmt.Sprintf("%s-%08x", name, hash.Sum32())
}

func runController(options controllerOptions) error {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	utilruntime.Must(apiextensionsv1.AddToScheme(scheme))

	config, err := clientconfig.GetConfig()
	if err != nil {
		return fmt.Errorf("find the API server: %w", err)
	}
	config.QPS, config.Burst = float32(options.qps), options.burst
	clock := &controller.ServerClock{}
	config.Wrap(clock.Wrap)

	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, Cache: controller.CacheOptions(options.namespace),
		LeaderElection: options.leaderElection, LeaderElectionID: options.leaderElectionID(), LeaderElectionNamespace: options.leaderElectionNamespace,
		LeaderElectionReleaseOnCancel: true,
		Metrics:                       controller.MetricsOptions(options.metrics), HealthProbeBindAddress: options.probes,
	})
	if err != nil {
		return err
	}
	// Who has upgraded the operator before the definitions has none of these kinds until the next start, but all Environments.
	for kind, enabled := range map[string]*bool{"EnvironmentClass": &options.Classes, "Approval": &options.Approvals} {
		_, err = manager.GetRESTMapper().RESTMapping(v1alpha1.GroupVersion.WithKind(kind).GroupKind(), v1alpha1.GroupVersion.Version)
		if meta.IsNoMatchError(err) {
			ctrl.Log.Info("There is no " + kind + ": its definition is not installed. Apply config/crd, and restart the operator.")
			*enabled = false
		} else if err != nil {
			return err
		}
	}
	direct, err := client.New(config, client.Options{Scheme: scheme, HTTPClient: manager.GetHTTPClient()})
	if err != nil {
		return err
	}
	reconciler := &controller.Reconciler{
		Client: manager.GetClient(), Direct: direct, Clock: clock,
		Recorder: manager.GetEventRecorder("environment-operator"), Options: options.Options,
	}
	if err := reconciler.SetupWithManager(manager); err != nil {
		return err
	}
	if err := reconciler.RegisterMetrics(metrics.Registry, manager.Elected()); err != nil {
		return err
	}
	for name, add := range map[string]func(string, healthz.Checker) error{"healthz": manager.AddHealthzCheck, "readyz": manager.AddReadyzCheck} {
		if err := add(name, healthz.Ping); err != nil {
			return err
		}
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
