package operator

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

const (
	// manifests are the operator, as "kubectl apply -k" installs it after definitions.
	manifests   = "../../examples/operator/config"
	definitions = manifests + "/crd"
	// runner is who runs programs, in each namespace.
	runner = manifests + "/namespace/runner.yaml"
	image  = "localhost/k8sconnect-operator:dev"
	// nextImage is another name of the same.
	nextImage = "localhost/k8sconnect-operator:next"
	// system is the namespace of the operator.
	system = "environment-operator"
)

var shared = newSharedCluster(cluster.Options{ControllerManager: true, Scheduler: true})

// installed is the operator that all tests share which do not break it.
var installed struct {
	once sync.Once
	node node
	err  error
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	switch *nodeFlag {
	case "played":
		return runTests(m)
	case "real":
		shared.Options = cluster.Real()
		return runInNamespaces(m)
	}
	fmt.Fprintf(os.Stderr, "-node=%s: it is \"played\" or \"real\"\n", *nodeFlag)
	return 2
}

// runTests runs the tests, and then stops what they have started.
func runTests(m *testing.M) int {
	// They wait for runs most of the time: more of them than there are processors.
	if err := flag.Set("test.parallel", strconv.Itoa(max(6, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
	code := m.Run()
	var errs []error
	for _, node := range []node{installed.node, bare.node} {
		if node != nil {
			errs = append(errs, node.stop())
		}
	}
	if err := errors.Join(append(errs, shared.Stop(), bare.Stop())...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	return code
}

// binaries is the folder with what is built.
func binaries() string {
	if dir := os.Getenv("K8SCONNECT_BIN"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "bin")
}

// surroundings are what a test has: a namespace in which programs may run.
type surroundings struct {
	*testing.T
	cluster   *cluster.Cluster
	node      node
	client    client.Client
	namespace string
}

// with is a namespace of the cluster in which the operator works.
func with(t *testing.T) *surroundings { t.Helper(); return inNamespace(t, "") }

// inNamespace is the same in a namespace of a certain name, which the test deletes itself.
func inNamespace(t *testing.T, name string) *surroundings {
	t.Helper()
	needsNode(t)
	c := shared.Get(t)
	shared.share(t)
	require.NoError(t, installOnce(c))
	return in(t, c, installed.node, name)
}

// installOnce installs the operator into the cluster that tests share.
func installOnce(c *cluster.Cluster) error {
	installed.once.Do(func() { installed.node, installed.err = install(c) })
	return installed.err
}

// in makes a namespace in which programs may run.
func in(t *testing.T, c *cluster.Cluster, node node, namespace string) *surroundings {
	t.Helper()
	if namespace == "" {
		namespace = c.Namespace(t)
	} else {
		out, err := kubectl(t.Context(), c, "create", "namespace", namespace)
		require.NoError(t, err, out)
	}
	s := &surroundings{T: t, cluster: c, node: node, namespace: namespace}
	var err error
	s.client, err = client.New(c.RESTConfig(), client.Options{})
	require.NoError(t, err)
	s.apply(runner)
	return s
}

// install starts the Node and applies the manifests.
func install(c *cluster.Cluster) (node, error) {
	ctx := context.Background()
	node, err := startNode(c)
	if err != nil {
		return nil, err
	}
	if err := applyManifests(ctx, c); err != nil {
		return node, err
	}
	if out, err := kubectl(ctx, c, "rollout", "status", "-n", system, "deployment/environment-operator", "--timeout=60s"); err != nil {
		return node, fmt.Errorf("install: %w: %s", err, out)
	}
	return node, nil
}

// applyManifests applies the manifests. The port of the probes of a played pod is one that is free on this machine: all of
// them share its network.
func applyManifests(ctx context.Context, c *cluster.Cluster) error {
	if out, err := kubectl(ctx, c, "apply", "--kustomize", definitions); err != nil {
		return fmt.Errorf("install: %w: %s", err, out)
	}
	rendered, err := kubectl(ctx, c, "kustomize", manifests)
	if err != nil {
		return fmt.Errorf("install: %w: %s", err, rendered)
	}
	if !onRealNode() {
		port, err := freePort()
		if err != nil {
			return err
		}
		rendered = strings.ReplaceAll(rendered, "8081", port)
	}
	file, err := os.CreateTemp("", "operator-*.yaml")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.WriteString(rendered)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	if out, err := kubectl(ctx, c, "apply", "-f", file.Name()); err != nil {
		return fmt.Errorf("install: %w: %s", err, out)
	}
	return nil
}

// freePort is a port that nothing listens on.
func freePort() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return strconv.Itoa(port), listener.Close()
}

func kubectl(ctx context.Context, c *cluster.Cluster, args ...string) (string, error) {
	command := exec.CommandContext(ctx, filepath.Join(binaries(), "kubectl"), args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+c.KubeconfigFile())
	out, err := command.CombinedOutput()
	return string(out), err
}

// apply applies a file to the namespace.
func (s *surroundings) apply(file string) {
	s.Helper()
	out, err := kubectl(s.Context(), s.cluster, "apply", "-n", s.namespace, "-f", file)
	require.NoError(s, err, out)
}

var environmentKind = schema.GroupVersionKind{Group: "platform.example.com", Version: "v1alpha1", Kind: "Environment"}

// patience is how long a test waits for what takes seconds on an idle machine.
const patience = 90 * time.Second

// eventually waits until a condition holds.
func (s *surroundings) eventually(condition func() bool, what string) {
	s.Helper()
	s.eventuallyWithin(patience, condition, what)
}

// eventuallyWithin waits for what takes long even on an idle machine.
func (s *surroundings) eventuallyWithin(patience time.Duration, condition func() bool, what string) {
	s.Helper()
	deadline := time.Now().Add(patience)
	for !condition() {
		if time.Now().After(deadline) {
			s.explain()
			require.Fail(s, "it did not happen: "+what)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// explain logs what a person would look at.
func (s *surroundings) explain() {
	for _, args := range [][]string{
		{"get", "environments,jobs,pods,leases,secrets", "-n", s.namespace},
		{"describe", "environments", "-n", s.namespace},
		{"get", "events", "-n", s.namespace},
	} {
		out, _ := kubectl(context.Background(), s.cluster, args...)
		s.Log(out)
	}
	s.logs(s.namespace)
	s.logs(system)
}

// logs logs what the pods of a namespace have printed.
func (s *surroundings) logs(namespace string) {
	var pods unstructured.UnstructuredList
	pods.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "PodList"})
	if s.client.List(context.Background(), &pods, client.InNamespace(namespace)) == nil {
		for _, pod := range pods.Items {
			s.Log(pod.GetName(), s.node.logs(namespace+"/"+pod.GetName()))
		}
	}
}
