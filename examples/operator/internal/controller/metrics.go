package controller

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// MetricsOptions serve metrics by HTTPS, to those who may get /metrics.
func MetricsOptions(address string) server.Options {
	return server.Options{BindAddress: address, SecureServing: true, FilterProvider: filters.WithAuthenticationAndAuthorization}
}

// metricsPrefix is how all names begin.
const metricsPrefix = "environment_operator_"

// What is there now is read at each scrape, so that nothing is left of a namespace or an Environment that is gone.
var (
	describedEnvironments = prometheus.NewDesc(metricsPrefix+"environments",
		"Environments by what becomes of them, each in one state.", []string{"namespace", "state"}, nil)
	describedDrifted = prometheus.NewDesc(metricsPrefix+"drifted_environments",
		"Environments with drift that is not corrected.", []string{"namespace"}, nil)
	describedSlots      = prometheus.NewDesc(metricsPrefix+"slots", "How many programs may run at a time.", nil, nil)
	describedSlotsTaken = prometheus.NewDesc(metricsPrefix+"slots_taken", "How many programs run, or begin to.", nil, nil)
	describedQueue      = prometheus.NewDesc(metricsPrefix+"queue_length", "How many Environments wait for a slot.", nil, nil)
	describedOldest     = prometheus.NewDesc(metricsPrefix+"queue_oldest_seconds",
		"How long the Environment waits that has waited longest for a slot.", nil, nil)
)

// metrics are those of what happens.
type metrics struct {
	runs  *prometheus.HistogramVec
	drift *prometheus.CounterVec
}

func newMetrics() metrics {
	return metrics{
		runs: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    metricsPrefix + "run_duration_seconds",
			Help:    "How long runs took that have ended, the start of their pods included.",
			Buckets: []float64{1, 2.5, 5, 10, 20, 40, 60, 120, 300, 600, 1200, 1800, 3600},
		}, []string{"kind", "result"}),
		drift: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: metricsPrefix + "drift_found_total",
			Help: "How many looks have found drift, and whether it was corrected.",
		}, []string{"namespace", "corrected"}),
	}
}

// note counts what a status says that was just written.
func (m metrics) note(before *v1alpha1.Environment, after *v1alpha1.EnvironmentStatus) {
	if len(after.History) == 0 || len(before.Status.History) > 0 && before.Status.History[0].Serial >= after.History[0].Serial {
		return
	}
	ended := after.History[0]
	took := ended.EndedAt.Sub(ended.StartedAt.Time)
	m.runs.WithLabelValues(string(ended.Kind), ended.Result).Observe(max(0, took.Seconds())) // of two clocks
	if ended.Kind != v1alpha1.OperationDriftCheck || ended.Result != v1alpha1.ResultSucceeded {
		return
	}
	switch found := meta.FindStatusCondition(after.Conditions, v1alpha1.ConditionDriftDetected); {
	case found == nil:
	case found.Reason == "Corrected":
		m.drift.WithLabelValues(before.Namespace, "true").Inc()
	case found.Reason == "DriftDetected":
		m.drift.WithLabelValues(before.Namespace, "false").Inc()
	}
}

// RegisterMetrics registers all metrics. Those of what is there are of the controller that was elected: all others see the same.
func (r *Reconciler) RegisterMetrics(registry prometheus.Registerer, elected <-chan struct{}) error {
	for _, collector := range []prometheus.Collector{r.metrics.runs, r.metrics.drift, collector{r, elected}} {
		if err := registry.Register(collector); err != nil {
			return err
		}
	}
	return nil
}

// collector reads what is there.
type collector struct {
	reconciler *Reconciler
	elected    <-chan struct{}
}

func (c collector) Describe(descriptions chan<- *prometheus.Desc) {
	for _, one := range []*prometheus.Desc{
		describedEnvironments, describedDrifted, describedSlots, describedSlotsTaken, describedQueue, describedOldest,
	} {
		descriptions <- one
	}
}

func (c collector) Collect(values chan<- prometheus.Metric) {
	select {
	case <-c.elected:
	default:
		return
	}
	gauge := func(description *prometheus.Desc, value float64, labels ...string) {
		values <- prometheus.MustNewConstMetric(description, prometheus.GaugeValue, value, labels...)
	}
	limit, taken, waiting, oldest := c.reconciler.slots.load()
	gauge(describedSlots, float64(limit))
	gauge(describedSlotsTaken, float64(taken))
	gauge(describedQueue, float64(waiting))
	gauge(describedOldest, oldest.Seconds())

	all, err := c.reconciler.environments(context.Background())
	if err != nil {
		log.Log.Error(err, "Metrics cannot list Environments.")
		return
	}
	states, drifted := map[string]map[v1alpha1.State]int{}, map[string]int{}
	for i := range all {
		environment := &all[i]
		if states[environment.Namespace] == nil {
			states[environment.Namespace] = map[v1alpha1.State]int{}
		}
		states[environment.Namespace][environment.State()]++
		if meta.IsStatusConditionTrue(environment.Status.Conditions, v1alpha1.ConditionDriftDetected) {
			drifted[environment.Namespace]++
		}
	}
	for namespace, of := range states {
		for _, state := range v1alpha1.States {
			gauge(describedEnvironments, float64(of[state]), namespace, string(state))
		}
		gauge(describedDrifted, float64(drifted[namespace]), namespace)
	}
}
