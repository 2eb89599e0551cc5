package object

import (
	"context"
	"fmt"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// warnRunning warns that a Job that is about to be replaced is still running. Users who replace a Job expect it to be
// finished.
func (t target) warnRunning(ctx context.Context, live *unstructured.Unstructured) {
	active, _, _ := unstructured.NestedInt64(live.Object, "status", "active")
	if active == 0 || t.Identity().GroupKind() != kinds.Job {
		return
	}
	pods := "1 active pod"
	if active > 1 {
		pods = fmt.Sprintf("%d active pods", active)
	}
	p.GetLogger(ctx).Warningf("%s is running (%s). The replacement deletes it, and the new Job starts from the beginning.", t.Ref, pods)
}

// warnReplacedRunning does the same for a Job that the program replaces by an object of another name, kind or
// namespace. If the Job cannot be read, the deletion decides.
func (s state) warnReplacedRunning(ctx context.Context, clu *cluster.Cluster) {
	if clu == nil || s.Ref.GroupKind() != kinds.Job {
		return
	}
	t, err := resolve(ctx, clu, s.Ref.Identity, s.Manager)
	if err != nil {
		return
	}
	if live, err := clu.Get(ctx, t.Ref); err == nil && string(live.GetUID()) == s.Ref.UID {
		t.warnRunning(ctx, live)
	}
}
