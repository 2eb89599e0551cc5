package kubelet

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

var shared = cluster.Shared{Options: cluster.Options{ControllerManager: true, Scheduler: true}}

// played is the player of the Node that all tests share which do not break it.
var played struct {
	once   sync.Once
	player *Player
	image  Image
	err    error
}

const (
	sharedNode   = "played"
	programImage = "example.com/program:1"
)

func TestMain(m *testing.M) {
	if os.Getenv(victimVariable) != "" {
		beVictim()
	}
	os.Exit(run(m))
}

func run(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "k8sconnect-image-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	played.image = Image{Root: dir, Entrypoint: []string{"/bin/program"}, Env: []string{"FROM_IMAGE=yes"}}
	code = m.Run()
	if played.player != nil {
		if err := played.player.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	if err := shared.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	return code
}

// surroundings are what a test has.
type surroundings struct {
	*testing.T
	player    *Player
	client    kubernetes.Interface
	namespace string
}

// with is a namespace of a cluster with the shared player.
func with(t *testing.T) surroundings {
	t.Helper()
	if err := Supported(); err != nil {
		t.Skip(err)
	}
	c := shared.Get(t)
	played.once.Do(func() {
		build := exec.Command("go", "build", "-o", filepath.Join(played.image.Root, "bin", "program"), "./testdata/program")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			played.err = fmt.Errorf("%w: %s", err, out)
			return
		}
		played.player, played.err = Start(context.Background(), c.RESTConfig(), options(sharedNode))
	})
	require.NoError(t, played.err)
	s := surroundings{t, played.player, c.Client(), c.Namespace(t)}
	s.eventually(func() bool {
		_, err := s.client.CoreV1().ServiceAccounts(s.namespace).Get(t.Context(), "default", metav1.GetOptions{})
		return err == nil
	}, func() string { return "the namespace has no service account" })
	return s
}

func options(node string) Options {
	return Options{NodeName: node, Images: map[string]Image{programImage: played.image}}
}

// pod is one of the shared Node whose only container runs the program's steps.
func pod(name string, steps ...string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			NodeSelector:  map[string]string{corev1.LabelHostname: sharedNode},
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: "run", Image: programImage, Args: steps}},
		},
	}
}

func (s surroundings) create(pod *corev1.Pod) *corev1.Pod {
	s.Helper()
	created, err := s.client.CoreV1().Pods(s.namespace).Create(s.Context(), pod, metav1.CreateOptions{})
	require.NoError(s, err)
	return created
}

func (s surroundings) get(name string) *corev1.Pod {
	s.Helper()
	got, err := s.client.CoreV1().Pods(s.namespace).Get(s.Context(), name, metav1.GetOptions{})
	require.NoError(s, err)
	return got
}

// until waits for a pod to be as wanted, and returns it.
func (s surroundings) until(name string, wanted func(*corev1.Pod) bool) *corev1.Pod {
	s.Helper()
	var got *corev1.Pod
	s.eventually(func() bool {
		var err error
		got, err = s.client.CoreV1().Pods(s.namespace).Get(s.Context(), name, metav1.GetOptions{})
		return err == nil && wanted(got)
	}, func() string { return fmt.Sprintf("pod %s: %+v\n%s", name, got.Status, s.logs(name)) })
	return got
}

func (s surroundings) eventually(condition func() bool, otherwise func() string) {
	s.Helper()
	for end := time.Now().Add(30 * time.Second); !condition(); {
		if time.Now().After(end) {
			s.Fatal(otherwise())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (s surroundings) logs(name string) string { return s.player.Logs(s.namespace + "/" + name) }

// printed waits until a pod has printed something.
func (s surroundings) printed(name, text string) {
	s.Helper()
	s.eventually(func() bool { return strings.Contains(s.logs(name), text) },
		func() string { return fmt.Sprintf("%s has not printed %q but: %s", name, text, s.logs(name)) })
}

func ended(pod *corev1.Pod) bool { return terminal(pod.Status.Phase) }

func running(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodRunning }

// state is that of the pod's only container.
func state(pod *corev1.Pod) corev1.ContainerState {
	if len(pod.Status.ContainerStatuses) == 0 {
		return corev1.ContainerState{}
	}
	return pod.Status.ContainerStatuses[0].State
}

func waitsFor(reason string) func(*corev1.Pod) bool {
	return func(pod *corev1.Pod) bool {
		waiting := state(pod).Waiting
		return waiting != nil && waiting.Reason == reason
	}
}
