package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/structpb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// waits is how many Waits wait at the same time.
const waits = 100

// measureWaits has Waits wait for a field of an object each, sets one field after the other, and measures the time
// from the request that sets it to the return of the Wait. It also says what a waiting Wait costs.
func measureWaits(ctx context.Context, out io.Writer, b bench) error {
	c := b.cluster
	user, err := c.AddUser("waiter", "system:masters")
	if err != nil {
		return err
	}
	namespace, err := c.Client().CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "waits-"}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	plugin, err := startPlugin(ctx, b.tools, user)
	if err != nil {
		return err
	}
	defer func() { _ = plugin.cmd.Process.Kill(); _ = plugin.cmd.Wait() }()

	objects := c.Client().CoreV1().ConfigMaps(namespace.Name)
	mark, err := c.AuditMark()
	if err != nil {
		return err
	}
	before := resident(plugin.cmd.Process.Pid)
	ended := make([]chan error, waits)
	for i := range ended {
		name := fmt.Sprintf("w-%d", i)
		if _, err := objects.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
			return err
		}
		ended[i] = make(chan error, 1)
		go func() { ended[i] <- plugin.wait(ctx, namespace.Name, name) }()
	}
	requests, err := untilAllWatch(ctx, c, mark, user.Name)
	if err != nil {
		return err
	}
	during := resident(plugin.cmd.Process.Pid)

	latencies := make([]time.Duration, waits)
	for i := range ended {
		ready := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("w-%d", i)}, Data: map[string]string{"ready": "yes"}}
		began := time.Now()
		if _, err := objects.Update(ctx, ready, metav1.UpdateOptions{}); err != nil {
			return err
		}
		if err := <-ended[i]; err != nil {
			return err
		}
		latencies[i] = time.Since(began)
	}
	slices.Sort(latencies)
	n := count(requests)
	_, err = fmt.Fprintf(out, "\n%d Waits at a time: from the request that makes it true to the return of the Wait %s at the median, %s at most"+
		" (aim: 50ms at the median).\nEach makes %.2f requests and %.2f watches; waiting takes %d KiB of memory each.\n",
		waits, latencies[waits/2].Round(100*time.Microsecond), latencies[waits-1].Round(100*time.Microsecond),
		float64(n.total)/waits, float64(n.watches)/waits, (during-before)/waits>>10)
	return err
}

// untilAllWatch waits until the API server has accepted a watch of each Wait, and returns the requests until then.
func untilAllWatch(ctx context.Context, c *cluster.Cluster, since cluster.AuditMark, user string) (cluster.Requests, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		all, err := c.RequestsSince(since)
		if err != nil {
			return nil, err
		}
		own := all.Where(func(r cluster.Request) bool { return r.User == user })
		if count(own).watches >= waits {
			return own, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%d of %d watches: %w", count(own).watches, waits, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// plugin is the provider as a process of its own, without an engine.
type plugin struct {
	cmd    *exec.Cmd
	client pulumirpc.ResourceProviderClient
}

func startPlugin(ctx context.Context, tools cli.Tools, user cluster.User) (*plugin, error) {
	kubeconfig, err := user.Kubeconfig()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(tools.Plugins, "pulumi-resource-k8sconnect"))
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	port, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return nil, errors.Join(err, cmd.Process.Kill())
	}
	conn, err := grpc.NewClient("127.0.0.1:"+strings.TrimSpace(port), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, errors.Join(err, cmd.Process.Kill())
	}
	p := &plugin{cmd, pulumirpc.NewResourceProviderClient(conn)}
	config, err := structpb.NewStruct(map[string]any{"kubeconfig": string(kubeconfig)})
	if err == nil {
		_, err = p.client.Configure(ctx, &pulumirpc.ConfigureRequest{AcceptSecrets: true, AcceptResources: true, Args: config})
	}
	if err != nil {
		return nil, errors.Join(err, cmd.Process.Kill())
	}
	return p, nil
}

// wait is the Create of a Wait.
func (p *plugin) wait(ctx context.Context, namespace, name string) error {
	inputs, err := structpb.NewStruct(map[string]any{
		"resourceRef": map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "namespace": namespace, "name": name},
		"waitFor":     map[string]any{"field": "data.ready", "timeout": "2m"},
	})
	if err != nil {
		return err
	}
	_, err = p.client.Create(ctx, &pulumirpc.CreateRequest{
		Urn:  "urn:pulumi:dev::bench::k8sconnect:index:Wait::" + name,
		Name: name, Type: "k8sconnect:index:Wait", Properties: inputs,
	})
	return err
}
