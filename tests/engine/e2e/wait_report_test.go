package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// longestReport is how many lines a report may have.
const longestReport = 25

// situation is something that keeps an object from being as it is waited for.
type situation struct {
	wait    string // the properties of the Wait
	prepare func(t *testing.T, k *kube, space string)
}

const deploymentManifest = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[2]s, namespace: %[1]s}
spec:
  replicas: %[3]d
  selector: {matchLabels: {app: %[2]s}}
  template:
    metadata: {labels: {app: %[2]s, kubelet: test}}
    spec: {containers: [{name: %[2]s, image: "registry.example/shop/%[2]s:2.0", resources: {requests: {cpu: %[4]q}}}]}
`

// situations are prepared in the test's own namespace. What the kubelet says is worded as it
// words it.
func situations(space string) map[string]situation {
	now := time.Now()
	events := func(t *testing.T) func(k *kube, pod, kind, reason, message string, count int32, ago time.Duration) {
		return func(k *kube, pod, kind, reason, message string, count int32, ago time.Duration) {
			k.report(t, workloads.Get(t), pod, kind, reason, message, count, now.Add(-ago))
		}
	}
	ref := func(apiVersion, kind, name string) string {
		return fmt.Sprintf("resourceRef: {apiVersion: %s, kind: %s, namespace: %s, name: %s}", apiVersion, kind, space, name)
	}
	const rollout = "waitFor: {rollout: true, timeout: 2s}"
	return map[string]situation{
		"image": {ref("apps/v1", "Deployment", "web") + "\n      " + rollout, func(t *testing.T, k *kube, space string) {
			const image = "registry.example/shop/web:2.0"
			const answer = `rpc error: code = NotFound desc = failed to pull and unpack image "` + image + `": failed to resolve image: ` + image + `: not found`
			for _, pod := range deploy(t, k, space, "web", 2, "1") {
				k.status(t, pod, waitingPod("web", "ImagePullBackOff", `Back-off pulling image "`+image+`": ErrImagePull: `+answer))
				event := events(t)
				event(k, pod, "Normal", "Pulling", `Pulling image "`+image+`"`, 4, 40*time.Second)
				event(k, pod, "Warning", "Failed", `Failed to pull image "`+image+`": `+answer, 4, 40*time.Second)
				event(k, pod, "Warning", "Failed", "Error: ErrImagePull", 4, 40*time.Second)
				event(k, pod, "Normal", "BackOff", `Back-off pulling image "`+image+`"`, 12, 10*time.Second)
				event(k, pod, "Warning", "Failed", "Error: ImagePullBackOff", 12, 10*time.Second)
			}
		}},
		"crash": {ref("apps/v1", "Deployment", "worker") + "\n      " + rollout, func(t *testing.T, k *kube, space string) {
			for _, pod := range deploy(t, k, space, "worker", 1, "1") {
				k.status(t, pod, crashingPod)
				event := events(t)
				event(k, pod, "Normal", "Started", "Container started", 5, 130*time.Second)
				event(k, pod, "Warning", "BackOff", "Back-off restarting failed container worker in pod "+
					filepath.Base(pod)+"_"+space+"("+string(k.get(t, pod).GetUID())+")", 9, 20*time.Second)
			}
		}},
		"unschedulable": {ref("apps/v1", "Deployment", "big") + "\n      " + rollout, func(t *testing.T, k *kube, space string) {
			k.create(t, "apps/v1/Deployment/"+space+"/big", fmt.Sprintf(deploymentManifest, space, "big", 1, "2k"))
			eventually(t, "the scheduler has said why", func() bool {
				pods := k.podsOf(t, space, "app=big")
				return len(pods) == 1 && at(conditionOf(k.get(t, pods[0]).Object, "PodScheduled"), "reason") == "Unschedulable" &&
					k.hasEvent(t, space, "FailedScheduling")
			})
		}},
		"claim": {ref("v1", "PersistentVolumeClaim", "data") + "\n      waitFor: {fieldValue: {status.phase: Bound}, timeout: 2s}", func(t *testing.T, k *kube, space string) {
			k.create(t, "v1/PersistentVolumeClaim/"+space+"/data", fmt.Sprintf(`
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: %s}
spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 1Gi}}}
`, space))
			eventually(t, "the controller has said why", func() bool { return k.hasEvent(t, space, "ProvisioningFailed") })
		}},
		"job": {ref("batch/v1", "Job", "migrate") + "\n      waitFor: {condition: Complete, timeout: 1m}", func(t *testing.T, k *kube, space string) {
			job := "batch/v1/Job/" + space + "/migrate"
			k.create(t, job, fmt.Sprintf(`
apiVersion: batch/v1
kind: Job
metadata: {name: migrate, namespace: %s}
spec:
  backoffLimit: 0
  template:
    metadata: {labels: {kubelet: test}}
    spec: {restartPolicy: Never, containers: [{name: migrate, image: "migrate:1"}]}
`, space))
			k.status(t, k.thePod(t, space, "job-name=migrate"), failedPod)
			eventually(t, "the Job has failed", func() bool { return conditionOf(k.get(t, job).Object, "Failed") != nil })
		}},
		"refused": {ref("apps/v1", "Deployment", "strict") + "\n      " + rollout, func(t *testing.T, k *kube, space string) {
			deployment := "apps/v1/Deployment/" + space + "/strict"
			k.create(t, deployment, fmt.Sprintf(strings.Replace(deploymentManifest, "spec: {containers", "spec: {serviceAccountName: absent, containers", 1),
				space, "strict", 1, "1"))
			eventually(t, "its pods are refused", func() bool { return conditionOf(k.get(t, deployment).Object, "ReplicaFailure") != nil })
		}},
		"absent": {ref("apps/v1", "Deployment", "nobody") + "\n      " + rollout, func(*testing.T, *kube, string) {}},
		"everything": {ref("apps/v1", "Deployment", "shop") + "\n      " + rollout, func(t *testing.T, k *kube, space string) {
			event := events(t)
			for i, pod := range deploy(t, k, space, "shop", 8, "1") {
				k.status(t, pod, waitingPod("shop", "CreateContainerConfigError", fmt.Sprintf("secret %q not found", fmt.Sprint("shop-", i))))
				event(k, pod, "Warning", "FailedMount", fmt.Sprintf("MountVolume.SetUp failed for volume %q", fmt.Sprint("volume-", i)), 2, time.Duration(20-i)*time.Second)
				event(k, pod, "Warning", "Failed", fmt.Sprintf("Error: secret %q not found", fmt.Sprint("shop-", i)), 2, time.Duration(10-i)*time.Second)
				event(k, pod, "Warning", "DNSConfigForming", fmt.Sprintf("Nameserver limits were exceeded, %d of them", i), 2, time.Duration(40-i)*time.Second)
			}
		}},
	}
}

// TestReportsOfFailedWaits compares what people read when they waited, and it did not come with
// testdata/wait. Run it with -update to write that again, and read it as someone would who was
// woken up by it.
func TestReportsOfFailedWaits(t *testing.T) {
	t.Parallel()
	c := workloads.Get(t)
	k, space := kubeOf(t, c), c.Namespace(t)
	s := newStackIn(t, k, c.KubeconfigFile())
	all := situations(space)
	program := "resources:\n"
	for name, situation := range all {
		situation.prepare(t, k, space)
		program += "  " + name + ":\n    type: k8sconnect:Wait\n    properties:\n      " + situation.wait + "\n"
	}
	s.program(t, "%s", program)
	s.upFails(t)
	saved := s.export(t)
	for name := range all {
		t.Run("a wait that failed tells why: "+name+" [W28]", func(t *testing.T) {
			r := saved.get(t, name)
			require.Len(t, r.InitErrors, 1)
			report := r.InitErrors[0]
			lines := strings.Split(report, "\n")
			assert.LessOrEqual(t, len(lines), longestReport)
			for i, line := range lines {
				assert.LessOrEqual(t, len(line), 300, line)
				assert.False(t, slices.Contains(lines[:i], line), "said twice: %s", line)
			}
			golden := filepath.Join("testdata", "wait", name+".txt")
			report = withoutChance(report, space)
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(report+"\n"), 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), report+"\n")
		})
	}
	step(t, "failed waits do not hold up a destroy, which leaves the objects alone [W12]", func(t *testing.T) {
		s.destroy(t)
		assert.Empty(t, s.export(t).resources)
		k.get(t, "apps/v1/Deployment/"+space+"/web")
	})
}

var (
	podName = regexp.MustCompile(`\b([a-z]+)-[a-z0-9]{8,10}-[a-z0-9]{5}\b|\b(migrate)-[a-z0-9]{5}\b`)
	setName = regexp.MustCompile(`\b([a-z]+)-[a-z0-9]{8,10}(-?")`)
	anyUID  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	instant = regexp.MustCompile(`failed after [0-9]+ms`)
	// A machine with much to do notices the end of two seconds in the third one.
	overdue = regexp.MustCompile(`timed out after [23]s`)
	// What the scheduler says of it is worded otherwise in each of Kubernetes 1.33, 1.36 and 1.37.
	preemption = regexp.MustCompile(`(no new claims to deallocate, )?preemption: .*`)
	// Where a text is cut depends on the length of the pod's name, which has a hash of 8 to 10 characters in it.
	aroundCut = regexp.MustCompile(`\S*…\S*`)
	anyAge    = regexp.MustCompile(`\(([0-9]+ times, last )?[0-9]+[smh][0-9ms]* ago\)`)
)

// withoutChance takes out of a report what is different each time, or in another version of Kubernetes.
func withoutChance(report, space string) string {
	report = strings.ReplaceAll(report, space, "NAMESPACE")
	report = aroundCut.ReplaceAllString(report, "…")
	report = preemption.ReplaceAllString(report, "PREEMPTION")
	report = anyUID.ReplaceAllString(report, "UID")
	report = podName.ReplaceAllString(report, "$1$2-POD")
	report = instant.ReplaceAllString(report, "failed after MILLISECONDS")
	report = overdue.ReplaceAllString(report, "timed out after 2s")
	report = setName.ReplaceAllString(report, `$1-SET$2`)
	return anyAge.ReplaceAllString(report, "(TIMES AND AGE)")
}

// deploy makes a Deployment and returns the IDs of its pods, in the order of their names, when
// they have their nodes.
func deploy(t *testing.T, k *kube, space, name string, replicas int, cpu string) []string {
	t.Helper()
	k.create(t, "apps/v1/Deployment/"+space+"/"+name, fmt.Sprintf(deploymentManifest, space, name, replicas, cpu))
	var pods []string
	eventually(t, "the pods of "+name, func() bool {
		pods = k.podsOf(t, space, "app="+name)
		return len(pods) == replicas && !slices.ContainsFunc(pods, func(id string) bool { return k.value(t, id, "spec", "nodeName") == nil })
	})
	return pods
}

// podsOf are the IDs of the pods that a selector selects.
func (k *kube) podsOf(t testing.TB, space, selector string) []string {
	t.Helper()
	client, _ := k.must(t, "v1/Pod/"+space+"/any")
	list, err := client.List(t.Context(), metav1.ListOptions{LabelSelector: selector})
	require.NoError(t, err)
	var ids []string
	for _, item := range list.Items {
		ids = append(ids, "v1/Pod/"+space+"/"+item.GetName())
	}
	slices.Sort(ids)
	return ids
}

func (k *kube) hasEvent(t testing.TB, space, reason string) bool {
	t.Helper()
	client, _ := k.must(t, "v1/Event/"+space+"/any")
	list, err := client.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, item := range list.Items {
		if at(item.Object, "reason") == reason {
			return true
		}
	}
	return false
}

// crashingPod is the status of a pod whose only container ends as soon as it has started.
const crashingPod = `
status:
  phase: Running
  conditions:
  - {type: PodReadyToStartContainers, status: "True"}
  - {type: Initialized, status: "True"}
  - {type: Ready, status: "False", reason: ContainersNotReady, message: 'containers with unready status: [worker]'}
  - {type: ContainersReady, status: "False", reason: ContainersNotReady, message: 'containers with unready status: [worker]'}
  - {type: PodScheduled, status: "True"}
  containerStatuses:
  - name: worker
    image: registry.example/shop/worker:2.0
    imageID: ""
    ready: false
    started: false
    restartCount: 5
    state: {waiting: {reason: CrashLoopBackOff, message: back-off 2m40s restarting failed container=worker}}
    lastState: {terminated: {exitCode: 1, reason: Error, startedAt: null, finishedAt: null}}
`
