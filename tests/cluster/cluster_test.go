package cluster_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

var shared = cluster.Shared{Options: everythingAudited()}

func everythingAudited() cluster.Options {
	options := cluster.Everything()
	options.Audit = true
	return options
}

func TestMain(m *testing.M) {
	if os.Getenv(victimVariable) != "" {
		os.Exit(victim())
	}
	os.Exit(shared.Run(m))
}

func TestStartSaysWhatToDoWithoutPrograms(t *testing.T) {
	t.Setenv(cluster.BinVariable, t.TempDir())
	_, err := cluster.Start(t.Context(), cluster.Options{})
	require.ErrorContains(t, err, `run "make tools"`)
}

func TestStartRefusesSchedulerAlone(t *testing.T) {
	_, err := cluster.Start(t.Context(), cluster.Options{Scheduler: true})
	require.ErrorContains(t, err, "Scheduler needs ControllerManager")
}

func TestStartShowsTheLogOfAPartThatFails(t *testing.T) {
	dir := t.TempDir() + "/data"
	_, err := cluster.Start(t.Context(), cluster.Options{Dir: dir, APIServerArgs: []string{"--no-such-flag"}})
	require.ErrorContains(t, err, "kube-apiserver")
	require.ErrorContains(t, err, "no-such-flag")
	require.NoDirExists(t, dir)
}

func TestVersion(t *testing.T) {
	version, err := shared.Get(t).Client().Discovery().ServerVersion()
	require.NoError(t, err)
	require.Regexp(t, `^v1\.\d+\.\d+$`, version.GitVersion)
}

func TestUsers(t *testing.T) {
	c := shared.Get(t)
	namespace := c.Namespace(t)

	mallory, err := c.AddUser("mallory", "nobodies")
	require.NoError(t, err)
	_, err = list(t, mallory, namespace)
	require.True(t, apierrors.IsForbidden(err), "got %v", err)

	root, err := c.AddUser("root", "system:masters")
	require.NoError(t, err)
	_, err = list(t, root, namespace)
	require.NoError(t, err)

	robot, err := c.ServiceAccount(t.Context(), namespace, "robot", time.Hour)
	require.NoError(t, err)
	_, err = list(t, robot, namespace)
	require.True(t, apierrors.IsForbidden(err), "got %v", err)
	require.ErrorContains(t, err, robot.Name, "the token must make it that user")
}

func TestUsersAreMadeConcurrently(t *testing.T) {
	c := shared.Get(t)
	var group errgroup.Group
	for i := range 10 {
		group.Go(func() error {
			_, err := c.AddUser(fmt.Sprintf("clone-%d", i))
			return err
		})
	}
	require.NoError(t, group.Wait())
}

func TestRequests(t *testing.T) {
	c := shared.Get(t)
	namespace := c.Namespace(t)
	config := c.RESTConfig()
	// The cluster is shared, also with the same test when it is run again: only these are counted.
	counted := "counted-in-" + namespace
	config.UserAgent = counted
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	maps := client.CoreV1().ConfigMaps(namespace)

	_, err = maps.Create(t.Context(), configMap("early"), metav1.CreateOptions{})
	require.NoError(t, err)
	mark, err := c.AuditMark()
	require.NoError(t, err)
	for range 3 {
		_, err = maps.Get(t.Context(), "early", metav1.GetOptions{})
		require.NoError(t, err)
	}
	_, err = maps.Create(t.Context(), configMap("late"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	require.NoError(t, err)

	requests, err := c.RequestsSince(mark)
	require.NoError(t, err)
	path := "/api/v1/namespaces/" + namespace + "/configmaps"
	require.Equal(t,
		map[string]int{"get " + path + "/early": 3, "create " + path + "?dryRun=All": 1},
		requests.From(counted).CountBy(cluster.Request.String))

	all, err := c.Requests()
	require.NoError(t, err)
	require.Len(t, all.From(counted), 5)
}

func list(t *testing.T, user cluster.User, namespace string) (*corev1.ConfigMapList, error) {
	t.Helper()
	client, err := kubernetes.NewForConfig(user.RESTConfig())
	require.NoError(t, err)
	return client.CoreV1().ConfigMaps(namespace).List(t.Context(), metav1.ListOptions{})
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"key": "value"}}
}

// eventually waits until check returns nil.
func eventually(t *testing.T, check func(context.Context) error) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, 30*time.Second, true,
		func(ctx context.Context) (bool, error) {
			last = check(ctx)
			return last == nil, nil
		})
	if err != nil {
		t.Fatal(fmt.Errorf("%w: %w", err, last))
	}
}
