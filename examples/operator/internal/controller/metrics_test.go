package controller_test

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/controller"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// configuration is the folder with the manifests.
var configuration = filepath.Join("..", "..", "config")

// monitored are all manifests with the metrics, as kustomize puts them together.
func monitored(t *testing.T) []map[string]any {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	manifests, err := filepath.Abs(configuration)
	require.NoError(t, err)
	manifests, err = filepath.Rel(folder, manifests) // kustomize takes no absolute paths
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "kustomization.yaml"),
		fmt.Appendf(nil, "resources: [%s]\ncomponents: [%s/metrics]\n", manifests, manifests), 0o600))
	rendered, err := exec.CommandContext(t.Context(), filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kubectl"), "kustomize", folder).Output()
	require.NoError(t, err)
	var all []map[string]any
	for document := range strings.SplitSeq(string(rendered), "\n---\n") {
		object := map[string]any{}
		require.NoError(t, yaml.Unmarshal([]byte(document), &object))
		all = append(all, object)
	}
	return all
}

// into decodes the only object of a kind and name.
func into[T any](t *testing.T, all []map[string]any, kind, name string) T {
	t.Helper()
	var decoded T
	for _, object := range all {
		if object["kind"] == kind && object["metadata"].(map[string]any)["name"] == name {
			encoded, err := json.Marshal(object)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(encoded, &decoded))
			return decoded
		}
	}
	require.Fail(t, "there is none", "%s %s", kind, name)
	return decoded
}

const operatorName = "environment-operator"

// newMonitoredPlace has a controller with the rights that the manifests give it, and the address of its metrics.
func newMonitoredPlace(t *testing.T, runs int) (*place, string) {
	t.Helper()
	shared, err := connect()
	require.NoError(t, err)
	admin, err := client.New(shared, client.Options{})
	require.NoError(t, err)
	all := monitored(t)
	namespace := into[corev1.Namespace](t, all, "Namespace", operatorName)
	account := into[corev1.ServiceAccount](t, all, "ServiceAccount", operatorName)
	objects := []client.Object{&namespace, &account}
	for _, name := range []string{operatorName, operatorName + "-metrics", operatorName + "-metrics-reader"} {
		role := into[rbacv1.ClusterRole](t, all, "ClusterRole", name)
		objects = append(objects, &role)
	}
	for _, name := range []string{operatorName, operatorName + "-metrics"} {
		binding := into[rbacv1.ClusterRoleBinding](t, all, "ClusterRoleBinding", name)
		objects = append(objects, &binding)
	}
	for _, object := range objects {
		require.NoError(t, admin.Create(t.Context(), object))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	p := newPlaceFor(t, runs, func(with *setup) {
		with.config.Impersonate = rest.ImpersonationConfig{
			UserName: "system:serviceaccount:" + operatorName + ":" + operatorName,
			Groups:   []string{"system:serviceaccounts", "system:serviceaccounts:" + operatorName, "system:authenticated"},
		}
		with.metrics = controller.MetricsOptions(address)
		with.registered = func(reconciler *controller.Reconciler, manager ctrl.Manager) error {
			return reconciler.RegisterMetrics(metrics.Registry, manager.Elected())
		}
	})
	return p, "https://" + address + "/metrics"
}

// token is that of a service account of the namespace, which has this ClusterRole.
func (p *place) token(name, role string) string {
	p.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: name}}
	require.NoError(p, p.Create(p.Context(), account))
	require.NoError(p, p.Create(p.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name + "-of-" + p.namespace},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: p.namespace, Name: name}},
	}))
	request := &authenticationv1.TokenRequest{}
	require.NoError(p, p.SubResource("token").Create(p.Context(), account, request))
	return request.Status.Token
}

// get asks for the metrics, and says what the answer is.
func (p *place) get(address, token string) (int, string) {
	p.Helper()
	request, err := http.NewRequestWithContext(p.Context(), http.MethodGet, address, nil)
	require.NoError(p, err)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	asked := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	answer, err := asked.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	require.NoError(p, err)
	return answer.StatusCode, string(body)
}

// families are the metrics by their names.
type families map[string]*dto.MetricFamily

func (p *place) scrape(address, token string) families {
	p.Helper()
	code, body := p.get(address, token)
	require.Equal(p, http.StatusOK, code, body)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	parsed, err := parser.TextToMetricFamilies(strings.NewReader(body))
	require.NoError(p, err)
	return parsed
}

// values are those of a metric by its labels, as "value,value" in the order of the labels' names.
func (f families) values(name string) map[string]float64 {
	values := map[string]float64{}
	for _, metric := range f[name].GetMetric() {
		var labels []string
		for _, label := range metric.GetLabel() {
			labels = append(labels, label.GetValue())
		}
		value := metric.GetGauge().GetValue() + metric.GetCounter().GetValue() + float64(metric.GetHistogram().GetSampleCount())
		values[strings.Join(labels, ",")] = value
	}
	return values
}

// counted are the Environments of the API server, as the metric has them.
func (p *place) counted() map[string]float64 {
	p.Helper()
	var all v1alpha1.EnvironmentList
	require.NoError(p, p.List(p.Context(), &all, client.InNamespace(p.namespace)))
	counted := map[string]float64{}
	for _, state := range []string{"Stalled", "Deleting", "Ready", "Failing", "Suspended", "Reconciling"} {
		counted[p.namespace+","+state] = 0
	}
	for i := range all.Items {
		counted[p.namespace+","+string(all.Items[i].State())]++
	}
	return counted
}

// labels are the names of those of a metric.
func (f families) labels(name string) []string {
	var names []string
	for _, label := range f[name].GetMetric()[0].GetLabel() {
		names = append(names, label.GetName())
	}
	return names
}

// hasDrifted lets a look for drift find some.
func (p *place) hasDrifted() {
	p.Helper()
	p.environment(func(spec *v1alpha1.EnvironmentSpec) {
		spec.DriftDetection = &v1alpha1.DriftDetection{Interval: &metav1.Duration{Duration: time.Hour}, Correct: new(false)}
	})
	p.runs(1)
	p.becomes("Applied")
	p.eventually(func() bool {
		environment, before := p.read(), metav1.NewTime(time.Now().Add(-2*time.Hour))
		environment.Status.LastApplied.Time, environment.Status.LastDriftCheck = before, &before
		return p.Status().Update(p.Context(), environment) == nil
	}, "the last look was long ago")
	p.runs(2, func(head *state.Head) {
		head.Record.Applied, head.Record.Drifted, head.Record.Plan = false, true, &v1alpha1.Plan{Hash: "plan", Drift: true}
	})
	p.eventually(func() bool { return p.read().Status.PendingPlan != nil }, "drift is found")
}

func TestMetricsSayWhatTheAPIServerHas(t *testing.T) { // [X66]
	p, address := newMonitoredPlace(t, 1)
	p.applied()
	for name, change := range map[string]func(*v1alpha1.EnvironmentSpec){
		"stalled": func(spec *v1alpha1.EnvironmentSpec) { spec.Retry.Limit = new(int32(0)) },
		"failing": func(spec *v1alpha1.EnvironmentSpec) {
			spec.Retry.Backoff = &metav1.Duration{Duration: 30 * time.Minute}
		},
	} {
		other := p.and(name)
		other.environment(change)
		other.runs(1, func(head *state.Head) {
			head.Record.Outcome, head.Record.Reason, head.Record.Message = state.Failed, "UpdateFailed", "settings: it is invalid"
		})
		other.becomes("UpdateFailed")
	}
	suspended := p.and("suspended")
	suspended.environment(func(spec *v1alpha1.EnvironmentSpec) { spec.Suspend = true })
	p.and("drifted").hasDrifted()
	running := p.and("running")
	running.environment()
	running.job(1)
	for _, name := range []string{"waiting", "waiting-too"} {
		p.and(name).environment()
		p.and(name).becomes("Queued")
	}

	token := p.token("prometheus", operatorName+"-metrics-reader")
	var now families
	p.eventually(func() bool {
		code, _ := p.get(address, token)
		return code == http.StatusOK && suspended.read().State() == v1alpha1.StateSuspended
	}, "metrics are served to who may read them")
	p.eventually(func() bool {
		now = p.scrape(address, token)
		return reflect.DeepEqual(p.counted(), now.values("environment_operator_environments"))
	}, "the metrics are those of the API server")
	in := p.namespace + ","
	assert.Equal(t, map[string]float64{
		in + "Ready": 2, in + "Stalled": 1, in + "Failing": 1, in + "Suspended": 1, in + "Reconciling": 3, in + "Deleting": 0,
	}, now.values("environment_operator_environments"))
	assert.Equal(t, map[string]float64{p.namespace: 1}, now.values("environment_operator_drifted_environments"))
	assert.Equal(t, map[string]float64{"false," + p.namespace: 1}, now.values("environment_operator_drift_found_total"))
	assert.Equal(t, map[string]float64{"Update,Succeeded": 2, "Update,Failed": 2, "DriftCheck,Succeeded": 1},
		now.values("environment_operator_run_duration_seconds"))
	for name, value := range map[string]float64{"slots": 1, "slots_taken": 1, "queue_length": 2} {
		assert.Equal(t, map[string]float64{"": value}, now.values("environment_operator_"+name), name)
	}
	assert.Greater(t, now.values("environment_operator_queue_oldest_seconds")[""], 0.0)

	t.Run("they are for those alone who may read them", func(t *testing.T) {
		code, _ := p.get(address, "")
		assert.Equal(t, http.StatusUnauthorized, code)
		code, _ = p.get(address, p.token("other", "view"))
		assert.Equal(t, http.StatusForbidden, code)
	})
	t.Run("nothing is left of what is gone", func(*testing.T) {
		suspended.remove()
		p.eventually(func() bool {
			return p.scrape(address, token).values("environment_operator_environments")[in+"Suspended"] == 0
		}, "it is not counted")
	})
	t.Run("their names are as Prometheus wants them", func(t *testing.T) {
		problems, err := promlint.NewWithMetricFamilies(slices.Collect(maps.Values(now.ours()))).Lint()
		require.NoError(t, err)
		assert.Empty(t, problems)
	})
	t.Run("the README explains each, with its labels", func(t *testing.T) {
		readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
		require.NoError(t, err)
		_, table, _ := strings.Cut(string(readme), "\n## Watch it\n")
		table, _, _ = strings.Cut(table, "\n## ")
		explained := map[string]string{}
		for _, row := range regexp.MustCompile("(?m)^\\| `(environment_operator_\\w+)` \\| ([^|]*)\\|").FindAllStringSubmatch(table, -1) {
			explained[row[1]] = strings.TrimSpace(strings.ReplaceAll(row[2], "`", ""))
		}
		wanted := map[string]string{}
		for name := range now.ours() {
			wanted[name] = strings.Join(now.labels(name), ", ")
		}
		assert.Equal(t, wanted, explained)
	})
	t.Run("the dashboard asks for metrics and labels that exist", now.requireDashboard)
}

// ours are those of the operator itself.
func (f families) ours() families {
	ours := families{}
	for name, family := range f {
		if strings.HasPrefix(name, "environment_operator_") {
			ours[name] = family
		}
	}
	return ours
}
