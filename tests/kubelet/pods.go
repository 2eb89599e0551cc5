package kubelet

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// watchPods has a worker for every pod of the Node, until the player ends.
func (p *Player) watchPods() {
	selector := p.ownPods()
	pods := p.client.CoreV1().Pods(metav1.NamespaceAll)
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.FieldSelector = selector
			return pods.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.FieldSelector = selector
			return pods.Watch(ctx, options)
		},
	}
	// A server that is back is noticed soon: tests wait for it.
	backoff := &wait.Backoff{Duration: retryInterval, Factor: 1.5, Steps: 100, Cap: time.Second}
	reflector := cache.NewReflectorWithOptions(source, &corev1.Pod{}, dispatcher{p}, cache.ReflectorOptions{Backoff: backoff})
	// It would say once a second that there is no server; heartbeats say so, too.
	reflector.RunWithContext(klog.NewContext(p.ctx, klog.Logger{}))
}

// ownPods selects the pods of the Node.
func (p *Player) ownPods() string {
	return fields.OneTermEqualSelector("spec.nodeName", p.options.NodeName).String()
}

// dispatcher gives pods to their workers. It is the store of a reflector.
type dispatcher struct{ player *Player }

func (d dispatcher) Add(object any) error    { return d.Update(object) }
func (d dispatcher) Resync() error           { return nil }
func (d dispatcher) Update(object any) error { d.player.observe(object.(*corev1.Pod)); return nil }
func (d dispatcher) Delete(object any) error { d.player.forget(object.(*corev1.Pod).UID); return nil }

func (d dispatcher) Replace(objects []any, _ string) error {
	there := map[types.UID]bool{}
	for _, object := range objects {
		pod := object.(*corev1.Pod)
		there[pod.UID] = true
		d.player.observe(pod)
	}
	d.player.mu.Lock()
	var gone []types.UID
	for uid := range d.player.workers {
		if !there[uid] {
			gone = append(gone, uid)
		}
	}
	d.player.mu.Unlock()
	for _, uid := range gone {
		d.player.forget(uid)
	}
	return nil
}

// observe tells the worker of a pod how the pod is now.
func (p *Player) observe(pod *corev1.Pod) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil {
		return
	}
	w := p.workers[pod.UID]
	if w == nil {
		log := p.logs[pod.UID]
		if log == nil {
			log = &podLog{pod: pod.Namespace + "/" + pod.Name, also: p.options.Log}
			p.logs[pod.UID] = log
		}
		p.latest[pod.Namespace+"/"+pod.Name] = pod.UID
		w = newWorker(p, pod, log)
		p.workers[pod.UID] = w
		p.running.Go(w.run)
	}
	w.observe(pod)
}

// forget tells the worker of a pod that the pod is gone.
func (p *Player) forget(uid types.UID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w := p.workers[uid]; w != nil {
		delete(p.workers, uid)
		w.lose()
	}
}
