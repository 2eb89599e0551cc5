package cluster

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SetStages replaces [Options.Stages] while the cluster runs; kwok's own stay. It takes
// effect also on pods that exist. It restarts kwok, which takes about a second.
func (c *Cluster) SetStages(ctx context.Context, stages ...string) error {
	if c.Kwok == nil {
		return errors.New("stages: the cluster has no nodes, set Options.Nodes")
	}
	if err := c.writeStages(ctx, stages); err != nil {
		return err
	}
	return c.Kwok.Restart(ctx)
}

// writeStages writes the stages for kwok: its own, which its program knows, and more.
func (c *Cluster) writeStages(ctx context.Context, more []string) error {
	path, err := Tool("kwok")
	if err != nil {
		return err
	}
	// The program is that by whose name it is called.
	printer := exec.CommandContext(ctx, path)
	printer.Args = []string{"kwok-stages"}
	own, err := printer.Output()
	if err != nil {
		return fmt.Errorf("stages of kwok: %w", err)
	}
	documents := append([]string{string(own)}, more...)
	return c.writeFile(stagesFile, []byte(strings.Join(documents, "\n---\n")))
}

func kwokArgs() []string {
	return []string{
		"--kubeconfig=" + kubeconfigFile,
		"--config=" + stagesFile,
		"--manage-all-nodes",
		"--cidr=" + podRange,
	}
}

func (c *Cluster) createNodes(ctx context.Context) error {
	for i := range c.options.Nodes {
		name := fmt.Sprintf("node-%d", i)
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
			Name:   name,
			Labels: map[string]string{corev1.LabelHostname: name, corev1.LabelOSStable: "linux"},
		}}
		if _, err := c.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("node %s: %w", name, err)
		}
	}
	return nil
}

// nodesReady reports nodes that are not ready, or that no pod would be put on.
func (c *Cluster) nodesReady(ctx context.Context) error {
	nodes, err := c.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, node := range nodes.Items {
		if !ready(node) {
			return fmt.Errorf("node %s is not ready", node.Name)
		}
		// The admission of new nodes taints them; the controller manager takes that back.
		if c.ControllerManager != nil && len(node.Spec.Taints) > 0 {
			return fmt.Errorf("node %s has the taint %s", node.Name, node.Spec.Taints[0].Key)
		}
	}
	return nil
}

func ready(node corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
