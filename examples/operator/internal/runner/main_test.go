package runner_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

var (
	direct     client.WithWatch
	server     *rest.Config
	tools      string // with pulumi, its host for YAML, and the provider
	operator   string
	kubeconfig string
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if err := prepare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	folder, err := os.MkdirTemp("", "operator-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder) //nolint:errcheck // temporary
	operator, kubeconfig = filepath.Join(folder, "operator"), filepath.Join(folder, "kubeconfig")
	if out, err := exec.Command("go", "build", "-o", operator, "../../cmd/operator").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
		return 1
	}
	log.SetLogger(logr.Discard())
	cluster := envtest.Environment{CRDDirectoryPaths: []string{filepath.Join("..", "..", "config", "crd")}, ErrorIfCRDPathMissing: true}
	config, err := cluster.Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = cluster.Stop() }()
	if err := connect(config, cluster.KubeConfig); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// prepare checks that all programs are there that the tests start.
func prepare() error {
	tools = os.Getenv("KUBEBUILDER_ASSETS")
	if tools == "" {
		return fmt.Errorf("KUBEBUILDER_ASSETS is not set: these tests need etcd, kube-apiserver, pulumi, pulumi-language-yaml and pulumi-resource-k8sconnect, and this variable to name their folder")
	}
	for _, program := range []string{"pulumi", "pulumi-language-yaml", "pulumi-resource-k8sconnect"} {
		if _, err := os.Stat(filepath.Join(tools, program)); err != nil {
			return fmt.Errorf("these tests need %s in the folder that KUBEBUILDER_ASSETS names: %w", program, err)
		}
	}
	return nil
}

func connect(config *rest.Config, content []byte) error {
	config.QPS = -1
	server = config
	// Not the scheme of client-go, which is everyone's: the tests use theirs side by side, so nothing registers with it later.
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return err
	}
	var err error
	if direct, err = client.NewWithWatch(config, client.Options{Scheme: scheme}); err != nil {
		return err
	}
	return os.WriteFile(kubeconfig, content, 0o600)
}
