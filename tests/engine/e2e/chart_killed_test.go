package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// hookedChart has four hooks that run, an account for those before the objects, and a password.
var hookedChart = map[string]string{
	"values.yaml":           "replicas: 1\n",
	"templates/secret.yaml": chartSecret,
	"templates/hooks.yaml": strings.Join([]string{
		jobOf("first", "kwok", `helm.sh/hook: "pre-install,pre-upgrade"`, `helm.sh/hook-weight: "1"`),
		jobOf("second", "kwok", `helm.sh/hook: pre-install`, `helm.sh/hook-weight: "2"`, "helm.sh/hook-delete-policy: hook-succeeded"),
		jobOf("third", "kwok", `helm.sh/hook: "post-install,post-upgrade"`, `helm.sh/hook-weight: "1"`),
		jobOf("fourth", "kwok", `helm.sh/hook: post-install`, `helm.sh/hook-weight: "2"`, `helm.sh/hook-delete-policy: "before-hook-creation,hook-succeeded"`),
		`
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .Release.Name }}-hooks
  annotations: { helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: hook-succeeded }
`}, "---"),
}

// succeeded are the Jobs that have succeeded, by their names.
func (s chartStory) succeeded(t *testing.T) map[string]types.UID {
	t.Helper()
	list, err := s.cluster.Client().BatchV1().Jobs(s.space).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	found := map[string]types.UID{}
	for _, job := range list.Items {
		for _, condition := range job.Status.Conditions {
			if condition.Type == batchv1.JobComplete && condition.Status == corev1.ConditionTrue {
				found[job.Name] = job.UID
			}
		}
	}
	return found
}

// asks reports whether a request is about an object of the namespace.
func (s chartStory) asks(r *http.Request) bool {
	return strings.Contains(r.URL.Path, "/namespaces/"+s.space+"/")
}

// killedAt kills a command while the reply to one of its requests about objects of the namespace is under way, the first being 0. How
// often a watch begins depends on the time, so a command may have fewer requests than another one; then it comes to its end.
func (s chartStory) killedAt(t *testing.T, proxy *faulty, command string, request int32) {
	t.Helper()
	held, spoil := hold()
	var seen atomic.Int32
	proxy.strike(func(r *http.Request) bool { return s.asks(r) && seen.Add(1) == request+1 }, spoil)
	running := s.start(t, command, "--yes", "--skip-preview")
	select {
	case <-held:
		s.kill(t, running)
		running.wait(t)
		s.run(t, "cancel", "--yes")
	case <-time.After(20 * time.Second):
		running.wait(t).succeeded(t)
	}
	proxy.heal()
}

// killedAtEach runs a command once to count its requests about objects of the namespace. Then it kills the CLI and the provider while
// the reply to each of them is under way, in a release of its own, and calls after with what had succeeded until then.
func killedAtEach(
	t *testing.T, begin func(t *testing.T) (chartStory, *faulty), command string, after func(t *testing.T, s chartStory, before map[string]types.UID),
) {
	counted, proxy := begin(t)
	var requests atomic.Int32
	proxy.strike(func(r *http.Request) bool {
		if counted.asks(r) {
			requests.Add(1)
		}
		return false
	}, nil)
	counted.run(t, command, "--yes", "--skip-preview")
	for killed := range requests.Load() {
		t.Run(fmt.Sprint("request ", killed), func(t *testing.T) {
			t.Parallel()
			s, proxy := begin(t)
			s.killedAt(t, proxy, command, killed)
			after(t, s, s.succeeded(t))
		})
	}
}

// requireOnce wants hooks to have succeeded, and those that had succeeded before not to have run again.
func (s chartStory) requireOnce(t *testing.T, before map[string]types.UID, names ...string) {
	t.Helper()
	after := s.succeeded(t)
	for _, name := range names {
		require.Contains(t, after, name)
		if uid, was := before[name]; was {
			assert.Equal(t, uid, after[name], "%s ran again although it had succeeded", name)
		}
	}
}

func TestAnInstallIsKilledAtEachOfItsRequests(t *testing.T) { // [H14]
	t.Parallel()
	begin := func(t *testing.T) (chartStory, *faulty) {
		s := newChartStory(t)
		proxy := newFaulty(t, s.cluster)
		s.connectAs(t, proxy.User)
		s.chart(t, "1.0.0", hookedChart)
		s.declare(t, "")
		return s, proxy
	}
	killedAtEach(t, begin, "up", func(t *testing.T, s chartStory, before map[string]types.UID) {
		s.up(t)
		s.requireOnce(t, before, "shop-first", "shop-second", "shop-third", "shop-fourth")
		s.kube.gone(t, "v1/ServiceAccount/"+s.space+"/shop-hooks")
		s.previewEmpty(t)
	})
}

// leavingChart has hooks that run when it is deleted, an account for those before the objects go, settings that stay, and an object.
var leavingChart = map[string]string{
	"templates/object.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Release.Name }} }\n",
	"templates/hooks.yaml": strings.Join([]string{
		jobOf("backup", "kwok", "helm.sh/hook: pre-delete", `helm.sh/hook-weight: "1"`),
		jobOf("drain", "kwok", "helm.sh/hook: pre-delete", `helm.sh/hook-weight: "2"`, "helm.sh/hook-delete-policy: hook-succeeded"),
		jobOf("clean", "kwok", "helm.sh/hook: post-delete", `helm.sh/hook-weight: "1"`, `helm.sh/hook-delete-policy: "before-hook-creation,hook-succeeded"`),
		jobOf("report", "kwok", "helm.sh/hook: post-delete", `helm.sh/hook-weight: "2"`),
		`
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .Release.Name }}-hooks
  annotations: { helm.sh/hook: pre-delete, helm.sh/hook-delete-policy: hook-succeeded }
`, `
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-settings
  annotations: { helm.sh/hook: post-delete }
`}, "---"),
}

func TestADeletionIsKilledAtEachOfItsRequests(t *testing.T) { // [H7] [H14]
	t.Parallel()
	begin := func(t *testing.T) (chartStory, *faulty) {
		s := newChartStory(t)
		proxy := newFaulty(t, s.cluster)
		s.connectAs(t, proxy.User)
		s.chart(t, "1.0.0", leavingChart)
		s.declare(t, "")
		s.up(t, "--skip-preview")
		return s, proxy
	}
	killedAtEach(t, begin, "destroy", func(t *testing.T, s chartStory, before map[string]types.UID) {
		s.destroy(t)
		s.requireOnce(t, before, "shop-backup", "shop-drain", "shop-clean", "shop-report")
		s.kube.gone(t, "v1/ConfigMap/"+s.space+"/shop")
		s.kube.gone(t, "v1/ServiceAccount/"+s.space+"/shop-hooks")
		s.kube.get(t, "v1/ConfigMap/"+s.space+"/shop-settings")
		assert.Empty(t, s.export(t).resources)
	})
}
