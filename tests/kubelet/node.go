package kubelet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
)

const (
	// address is that of the Node and of all its pods.
	address = "127.0.0.1"
	// leaseSeconds is after how long without a heartbeat a Node counts as lost, and heartbeatInterval a quarter of
	// that; both are a kubelet's.
	leaseSeconds      = 40
	heartbeatInterval = 10 * time.Second
	// retryInterval is how often a request is repeated that the API server did not answer.
	retryInterval = 200 * time.Millisecond
)

// register has the Node there, and ready.
func (p *Player) register(ctx context.Context) error {
	nodes := p.client.CoreV1().Nodes()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: p.options.NodeName,
		Labels: map[string]string{
			corev1.LabelHostname:   p.options.NodeName,
			corev1.LabelOSStable:   runtime.GOOS,
			corev1.LabelArchStable: runtime.GOARCH,
		},
	}}
	if _, err := nodes.Create(ctx, node, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	if err := p.renewLease(ctx); err != nil {
		return err
	}
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node, err := nodes.Get(ctx, p.options.NodeName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		node.Status = p.nodeStatus()
		_, err = nodes.UpdateStatus(ctx, node, metav1.UpdateOptions{})
		return err
	})
}

// leave takes the Node away.
func (p *Player) leave(ctx context.Context) error {
	var errs []error
	for _, err := range []error{
		p.others.CoreV1().Nodes().Delete(ctx, p.options.NodeName, metav1.DeleteOptions{}),
		p.others.CoordinationV1().Leases(corev1.NamespaceNodeLease).Delete(ctx, p.options.NodeName, metav1.DeleteOptions{}),
	} {
		if !apierrors.IsNotFound(err) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (p *Player) nodeStatus() corev1.NodeStatus {
	allocatable := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("256"),
		corev1.ResourceMemory:           resource.MustParse("1Ti"),
		corev1.ResourceEphemeralStorage: resource.MustParse("1Ti"),
		corev1.ResourcePods:             resource.MustParse("250"),
	}
	maps.Copy(allocatable, p.options.Allocatable)
	status := corev1.NodeStatus{
		Capacity:    allocatable,
		Allocatable: allocatable,
		Phase:       corev1.NodeRunning,
		Addresses: []corev1.NodeAddress{
			{Type: corev1.NodeInternalIP, Address: address},
			{Type: corev1.NodeHostName, Address: p.options.NodeName},
		},
		NodeInfo: corev1.NodeSystemInfo{OperatingSystem: runtime.GOOS, Architecture: runtime.GOARCH},
	}
	now := metav1.Now()
	for _, condition := range []corev1.NodeCondition{
		{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady", Message: "kubelet is posting ready status"},
		{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasSufficientMemory"},
		{Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasNoDiskPressure"},
		{Type: corev1.NodePIDPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasSufficientPID"},
	} {
		condition.LastHeartbeatTime, condition.LastTransitionTime = now, now
		status.Conditions = append(status.Conditions, condition)
	}
	return status
}

// loseNode says of the Node and its pods what the node lifecycle controller says of one that sends no heartbeats.
func (p *Player) loseNode(ctx context.Context) error {
	nodes := p.others.CoreV1().Nodes()
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		node, err := nodes.Get(ctx, p.options.NodeName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for i := range node.Status.Conditions {
			condition := &node.Status.Conditions[i]
			condition.Status, condition.Reason = corev1.ConditionUnknown, "NodeStatusUnknown"
			condition.Message, condition.LastTransitionTime = "Kubelet stopped posting node status.", metav1.Now()
		}
		_, err = nodes.UpdateStatus(ctx, node, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		return err
	}
	pods, err := p.others.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{FieldSelector: p.ownPods()})
	if err != nil {
		return err
	}
	var errs []error
	for i := range pods.Items {
		pod := &pods.Items[i]
		if readiness(pod.Status) != corev1.ConditionTrue {
			continue
		}
		patch := fmt.Appendf(nil, `{"status":{"conditions":[{"type":"Ready","status":"False","reason":"NodeNotReady","lastTransitionTime":%q}]}}`,
			time.Now().UTC().Format(time.RFC3339))
		_, err := p.others.CoreV1().Pods(pod.Namespace).
			Patch(ctx, pod.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
		if !apierrors.IsNotFound(err) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// sendHeartbeats renews the Lease, and the Node's status with it: a Node that was taken for lost is ready again.
func (p *Player) sendHeartbeats() {
	interval := heartbeatInterval
	for {
		timer := time.NewTimer(interval)
		select {
		case <-p.ctx.Done():
			timer.Stop()
			return
		case <-p.connected:
		case <-timer.C:
		}
		timer.Stop()
		ctx, cancel := context.WithTimeout(p.ctx, requestTimeout)
		err := p.register(ctx)
		cancel()
		interval = heartbeatInterval
		if err != nil {
			p.logf("heartbeat: %v", err)
			interval = retryInterval
		}
	}
}

func (p *Player) renewLease(ctx context.Context) error {
	leases := p.client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	seconds, now := int32(leaseSeconds), metav1.NowMicro()
	spec := coordinationv1.LeaseSpec{HolderIdentity: &p.options.NodeName, LeaseDurationSeconds: &seconds, RenewTime: &now}
	lease, err := leases.Get(ctx, p.options.NodeName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		lease = &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: p.options.NodeName}, Spec: spec}
		if _, err = leases.Create(ctx, lease, metav1.CreateOptions{}); apierrors.IsNotFound(err) {
			return nil // nor is the namespace there yet; the next heartbeat comes
		}
		return err
	}
	if err != nil {
		return err
	}
	lease.Spec = spec
	_, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
	return err
}
