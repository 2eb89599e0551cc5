package diagnosis

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// maxPods is the maximum number of pods of an object that are read.
const maxPods = 200

// PodIssue is the reason why a pod is not ready.
type PodIssue struct {
	Pod string
	UID types.UID
	// Short is a word or two, such as "ImagePullBackOff".
	Short string
	// Long says where the pod fails, and why.
	Long string
	// Advice says what the user could do; empty if that is obvious.
	Advice string
	// Failed is the container that has failed, if that is the issue.
	Failed Container
	// Message is the termination message of that container.
	Message string

	rank int
}

// Container is a container of a pod. The zero value stands for no container.
type Container struct {
	Namespace, Pod, Name string
	// Previous means that the container waits for its restart, so that its log is the log of the run before.
	Previous bool

	log string // as remembered
}

// The ranks order issues: what does not pass by itself comes first.
const (
	rankPassing = iota
	rankUnready
	rankUnscheduled
	rankBroken
)

// PodIssues lists the pods of an object that are not ready, the worst first. The pods of an object are those
// that spec.selector selects; an object without a selector has none. A pod counts as its own pod. If there
// are no such pods, the remembered ones count; remembered may be nil.
func PodIssues(ctx context.Context, clu *cluster.Cluster, object *unstructured.Unstructured, remembered *Remembered) []PodIssue {
	var troubles []PodIssue
	for _, pod := range podsOf(ctx, clu, object) {
		if trouble, ok := issueOf(pod); ok {
			troubles = append(troubles, trouble)
		}
	}
	if len(troubles) == 0 {
		troubles = remembered.issues()
	}
	slices.SortStableFunc(troubles, func(a, b PodIssue) int { return cmp.Compare(b.rank, a.rank) })
	return troubles
}

// HasPods reports whether an object selects pods, or is a pod.
func HasPods(object *unstructured.Unstructured) bool {
	return isPod(object) || selectorOf(object) != nil
}

func isPod(object *unstructured.Unstructured) bool {
	return object.GroupVersionKind().GroupKind() == kinds.Pod
}

func podsOf(ctx context.Context, clu *cluster.Cluster, object *unstructured.Unstructured) []*corev1.Pod {
	items := []unstructured.Unstructured{*object}
	if !isPod(object) {
		selector := selectorOf(object)
		if selector == nil || object.GetNamespace() == "" {
			return nil
		}
		list, err := clu.List(ctx, cluster.ListOptions{
			APIVersion: "v1", Kind: "Pod", Namespace: object.GetNamespace(), LabelSelector: selector.String(), Limit: maxPods,
		})
		if err != nil {
			return nil
		}
		items = list.Items
	}
	var pods []*corev1.Pod
	for _, item := range items {
		pod := &corev1.Pod{}
		if runtime.DefaultUnstructuredConverter.FromUnstructured(item.Object, pod) == nil {
			pods = append(pods, pod)
		}
	}
	return pods
}

// selectorOf reads spec.selector, which is a label selector or, for Services and ReplicationControllers, a
// plain map. It is nil if it selects nothing, or everything.
func selectorOf(object *unstructured.Unstructured) labels.Selector {
	raw, _, _ := unstructured.NestedMap(object.Object, "spec", "selector")
	_, byLabels := raw["matchLabels"]
	_, byExpressions := raw["matchExpressions"]
	switch {
	case len(raw) == 0:
		return nil
	case !byLabels && !byExpressions:
		plain, _, err := unstructured.NestedStringMap(object.Object, "spec", "selector")
		if err != nil {
			return nil
		}
		return labels.SelectorFromSet(plain)
	}
	described := &metav1.LabelSelector{}
	if runtime.DefaultUnstructuredConverter.FromUnstructured(raw, described) != nil {
		return nil
	}
	selector, err := metav1.LabelSelectorAsSelector(described)
	if err != nil || selector.Empty() {
		return nil
	}
	return selector
}

// issueOf finds what keeps a pod from being ready. A pod has no issue if it is ready, has done its work, or
// is being deleted.
func issueOf(pod *corev1.Pod) (PodIssue, bool) {
	if pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodSucceeded {
		return PodIssue{}, false
	}
	worst := PodIssue{rank: -1}
	fail := func(trouble PodIssue) {
		if trouble.rank > worst.rank {
			trouble.Pod, trouble.UID, trouble.Long = pod.Name, pod.UID, withoutProtocol(trouble.Long)
			worst = trouble
		}
	}
	note := func(rank int, short, long, advice string) {
		fail(PodIssue{Short: short, Long: long, Advice: advice, rank: rank})
	}
	if pod.Status.Phase == corev1.PodFailed && pod.Status.Reason != "" {
		note(rankBroken, pod.Status.Reason, Joined(pod.Status.Reason, pod.Status.Message), "")
	}
	for _, container := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		noteContainer(pod, container, note, fail)
	}
	for _, condition := range pod.Status.Conditions {
		switch {
		case condition.Status == corev1.ConditionTrue:
		case condition.Type == corev1.PodScheduled:
			reason := cmp.Or(condition.Reason, "not scheduled")
			note(rankUnscheduled, reason, Joined(reason, condition.Message), unscheduledAdvice(pod, condition.Message))
		case condition.Type == corev1.PodReady && condition.Reason != "PodCompleted":
			note(rankPassing, "not ready", Joined("not ready", condition.Message), "")
		}
	}
	if len(pod.Status.Conditions) == 0 && pod.Status.Phase == corev1.PodPending {
		note(rankPassing, "pending", "pending: it has no node yet", "")
	}
	return worst, worst.rank >= 0
}

// unscheduledAdvice says what the user could do about a pod that has no node. Only the scheduler's message shows
// whether the pod waits for room on the nodes or for its volumes.
func unscheduledAdvice(pod *corev1.Pod, message string) string {
	var claims []string
	for _, volume := range pod.Spec.Volumes {
		switch {
		case volume.PersistentVolumeClaim != nil:
			claims = append(claims, volume.PersistentVolumeClaim.ClaimName)
		case volume.Ephemeral != nil:
			claims = append(claims, pod.Name+"-"+volume.Name)
		}
	}
	said := strings.ToLower(message)
	if len(claims) > 0 && (strings.Contains(said, "persistentvolumeclaim") || strings.Contains(said, "persistent volume")) {
		return fmt.Sprintf("have its claims bound: see what they wait for with `kubectl describe pvc --namespace %s %s`",
			pod.Namespace, strings.Join(claims, " "))
	}
	return "make room on the nodes, or ask for less in the pod's requests, selectors and affinities"
}

// imageReasons are the reasons of a container that waits because its image cannot be pulled.
var imageReasons = []string{"ImagePullBackOff", "ErrImagePull", "InvalidImageName"}

// Joined is a reason with its message, if there is a message.
func Joined(reason, message string) string {
	return strings.TrimSuffix(reason+": "+strings.TrimSpace(message), ": ")
}

// protocol is what the kubelet's runtime interface puts before the message of the runtime.
var protocol = regexp.MustCompile(`rpc error: code = \w+ desc = `)

// escapes are the escape sequences with which a text controls a terminal, such as for colours.
var escapes = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)

func withoutProtocol(text string) string { return protocol.ReplaceAllString(text, "") }
