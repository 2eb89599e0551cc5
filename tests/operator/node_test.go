package operator

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster/namespaces"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/kubelet"
)

var nodeFlag = flag.String("node", "played", `what runs the pods: package kubelet ("played"), or a kubelet with containerd ("real")`)

// onRealNode says that pods are containers.
func onRealNode() bool { return *nodeFlag == "real" }

// node is what runs the pods of a cluster. Pods are given as namespace/name.
type node interface {
	// nodeName is the name of the Node.
	nodeName() string
	// logs is what a pod has printed.
	logs(pod string) string
	// kill sends SIGKILL to a pod and returns when its processes are gone.
	kill(pod string, death kubelet.Death) error
	// disconnect cuts the node off: it reports nothing and learns nothing, and its pods go on. connect ends that.
	disconnect() error
	connect() error
	stop() error
}

// needsNode skips a test where pods cannot run.
func needsNode(t *testing.T) {
	t.Helper()
	if missing := namespaces.Missing(); onRealNode() && len(missing) > 0 {
		t.Skip("a real node needs what this machine does not have: " + strings.Join(missing, ", "))
	}
	if err := kubelet.Supported(); err != nil {
		t.Skip(err)
	}
}

// needsOwnCluster skips a test that starts a cluster of its own, where there can be but one.
func needsOwnCluster(t *testing.T) {
	t.Helper()
	needsNode(t)
	if onRealNode() {
		t.Skip("it wants a cluster of its own, and a process has one cluster with a real node")
	}
}

// startNode starts the node of a cluster, with the operator's image under both of its names.
func startNode(c *cluster.Cluster) (node, error) {
	if !onRealNode() {
		return startPlayed(c, "played")
	}
	ctx := context.Background()
	return realNode{c}, errors.Join(c.ImportImages(ctx, filepath.Join(binaries(), "operator-image.tar")), c.TagImage(ctx, image, nextImage))
}

// playedNode is a node whose pods are processes.
type playedNode struct {
	*kubelet.Player
	name string
}

func startPlayed(c *cluster.Cluster, name string) (node, error) {
	unpacked, err := operatorImage()
	if err != nil {
		return nil, err
	}
	options := kubelet.Options{NodeName: name, Images: map[string]kubelet.Image{image: unpacked, nextImage: unpacked}}
	if err := addNodejsImage(options.Images); err != nil {
		return nil, err
	}
	if os.Getenv("OPERATOR_LOG") != "" {
		options.Log = os.Stderr
	}
	player, err := kubelet.Start(context.Background(), c.RESTConfig(), options)
	if err != nil {
		return nil, err
	}
	return playedNode{player, name}, nil
}

func (p playedNode) nodeName() string                           { return p.name }
func (p playedNode) logs(pod string) string                     { return p.Logs(pod) }
func (p playedNode) kill(pod string, death kubelet.Death) error { return p.Kill(pod, death) }
func (p playedNode) disconnect() error                          { p.Disconnect(); return nil }
func (p playedNode) connect() error                             { p.Connect(); return nil }
func (p playedNode) stop() error                                { return p.Stop() }

// operatorImage is the image, as "make operator-image" leaves it.
func operatorImage() (kubelet.Image, error) {
	_, unpacked, err := kubelet.ReadImage(filepath.Join(binaries(), "operator-image.tar"), filepath.Join(binaries(), "operator-root"))
	if err != nil {
		return kubelet.Image{}, fmt.Errorf("the operator's image is not there, run \"make operator-image\": %w", err)
	}
	return unpacked, nil
}

// realNode is the cluster's own node, whose pods are containers.
type realNode struct{ cluster *cluster.Cluster }

func (realNode) nodeName() string { return cluster.RealNodeName }

// logs are "" of a pod that is gone.
func (r realNode) logs(pod string) string {
	namespace, name, _ := strings.Cut(pod, "/")
	stream, err := r.cluster.Client().CoreV1().Pods(namespace).GetLogs(name, &corev1.PodLogOptions{}).Stream(context.Background())
	if err != nil {
		return ""
	}
	defer func() { _ = stream.Close() }()
	printed, _ := io.ReadAll(stream)
	return string(printed)
}

func (r realNode) kill(pod string, death kubelet.Death) error {
	namespace, name, _ := strings.Cut(pod, "/")
	if death == kubelet.OOMKilled {
		return r.cluster.ExhaustMemory(context.Background(), namespace, name)
	}
	return r.cluster.KillContainer(context.Background(), namespace, name)
}

func (r realNode) disconnect() error { return r.cluster.Kubelet.Pause() }
func (r realNode) connect() error    { return r.cluster.Kubelet.Resume() }
func (r realNode) stop() error       { return nil } // with the cluster
