//go:build linux && node

package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	// What is tested is another program. This tells go test that its results are out of date when
	// the provider has changed.
	_ "github.com/k8sconnect/pulumi-k8sconnect/provider"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster/namespaces"
)

// shared is the cluster of all tests.
var shared = cluster.Shared{Options: cluster.Real()}

// tools are what the commands need that is made once for the whole run.
var tools cli.Tools

// workload is the path of the program that runs in the containers.
var workload string

// The images of the tests: the same program, of which they say different versions.
const (
	image1 = "docker.io/library/workload:1"
	image2 = "docker.io/library/workload:2"
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if len(namespaces.Missing()) > 0 {
		return m.Run() // every test says so, and is skipped
	}
	code, inside, err := namespaces.Run()
	if err == nil && inside {
		code, err = runInside(m)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "node:", err)
		return max(code, 1)
	}
	return code
}

func runInside(m *testing.M) (code int, err error) {
	space, err := namespaces.Inside()
	if err != nil {
		return 1, err
	}
	// What a killed run leaves of its own goes with the rest.
	if err := os.Setenv("TMPDIR", space.Dir); err != nil {
		return 1, err
	}
	dir, err := os.MkdirTemp("", "tests-")
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// From source, so that what is tested is never an old build.
	if tools, err = cli.Prepare(dir, map[string]string{"k8sconnect": cli.Module}); err != nil {
		return 1, err
	}
	workload = filepath.Join(dir, "workload")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", workload, cli.Module+"/tests/node/workload")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return 1, fmt.Errorf("building the workload: %w\n%s", err, out)
	}
	return shared.Run(m), nil
}

// imported is how the import of the images went.
var imported struct {
	once sync.Once
	err  error
}

// addImages brings the images, once. One that is not among them does not exist.
func addImages(c *cluster.Cluster) error {
	imported.once.Do(func() {
		for version, name := range map[string]string{"1": image1, "2": image2} {
			imported.err = errors.Join(imported.err, c.AddImage(context.Background(), cluster.Image{
				Name: name, Files: map[string]string{"/workload": workload},
				Entrypoint: []string{"/workload"}, Env: []string{"VERSION=" + version},
			}))
		}
	})
	return imported.err
}

// realNode returns the cluster with the images, or skips the test where there can be none.
func realNode(t testing.TB) *cluster.Cluster {
	t.Helper()
	if missing := namespaces.Missing(); len(missing) > 0 {
		t.Skip("a real node needs what this machine does not have: " + strings.Join(missing, ", "))
	}
	c := shared.Get(t)
	if err := addImages(c); err != nil {
		t.Fatal(err)
	}
	return c
}

// step is a part of a longer story: where it fails, the rest of the story is not told.
func step(t *testing.T, name string, run func(t *testing.T)) {
	t.Helper()
	if !t.Run(name, run) {
		t.FailNow()
	}
}

// patience is how long a test waits for what has to happen; it is used up by failures only.
const patience = 2 * time.Minute
