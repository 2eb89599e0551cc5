package waitfor

import (
	"context"
	"fmt"
	"sync"
	"time"

	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
)

// statusTimeout is how long the status of a custom object must stay unwritten before we assume that nothing will write
// it: a running controller would have seen the object in that time.
const statusTimeout = 30 * time.Second

// excuse decides whether the object counts as ready without the only thing that it lacks.
func (r Request) excuse(ctx context.Context, live *unstructured.Unstructured, doubt readiness.Doubt) (warning string, excused bool) {
	switch doubt {
	case readiness.NoStatus:
		return r.excuseNoStatus(ctx, live)
	case readiness.NoConsumer:
		return r.excuseNoConsumer(ctx, live)
	default:
		return "", false
	}
}

// excuseNoStatus excuses kinds without a status, and kinds whose controller leaves the status empty. How the kind is
// served is already known, because the object was found.
func (r Request) excuseNoStatus(ctx context.Context, live *unstructured.Unstructured) (string, bool) {
	resource, err := r.Cluster.Resource(ctx, live.GetAPIVersion(), live.GetKind())
	if err == nil && !resource.HasStatus {
		return "", true
	}
	select {
	case <-ctx.Done():
		return "", false
	case <-time.After(statusTimeout):
		return fmt.Sprintf("%s counts as ready although it has no status: nothing has written one within %s. Make sure that "+
			"its controller runs. If the controller writes no status, define in the provider's setting readiness when the "+
			"kind is ready.", r.subject(), statusTimeout), true
	}
}

// classBackoff is how often to look for a storage class that may appear soon.
var classBackoff = wait.Backoff{Duration: time.Second, Factor: 2, Jitter: 0.1, Steps: 6, Cap: 30 * time.Second}

// excuseNoConsumer excuses claims that get a volume only when a pod uses them: that pod may depend on the wait.
func (r Request) excuseNoConsumer(ctx context.Context, live *unstructured.Unstructured) (string, bool) {
	backoff, mode := classBackoff, ""
	// mode shows why the retries ended.
	_ = backoff.DelayFunc().Until(ctx, true, true, func(ctx context.Context) (bool, error) {
		var err error
		mode, err = r.bindingMode(ctx, live)
		return err == nil || !apierrors.IsNotFound(err) && !cluster.MayPass(err), nil
	})
	if mode != string(storagev1.VolumeBindingWaitForFirstConsumer) {
		return "", false
	}
	return fmt.Sprintf("%s counts as ready although it has no volume: its storage class provides one only when a pod uses the claim "+
		"(%s).", r.subject(), mode), true
}

// bindingModes remembers the modes of storage classes, so that many claims ask for each only once.
type bindingModes struct {
	mu    sync.Mutex
	known map[string]string
}

// bindingMode returns when the storage class of a claim provides volumes.
func (r Request) bindingMode(ctx context.Context, claim *unstructured.Unstructured) (string, error) {
	name, _, _ := unstructured.NestedString(claim.Object, "spec", "storageClassName")
	if r.modes != nil {
		r.modes.mu.Lock()
		defer r.modes.mu.Unlock()
		if mode, known := r.modes.known[name]; known {
			return mode, nil
		}
	}
	class, err := r.Cluster.Get(ctx, cluster.Ref{APIVersion: storagev1.SchemeGroupVersion.String(), Kind: "StorageClass", Name: name})
	if err != nil {
		return "", err
	}
	mode, _, _ := unstructured.NestedString(class.Object, "volumeBindingMode")
	if r.modes != nil {
		r.modes.known[name] = mode
	}
	return mode, nil
}
