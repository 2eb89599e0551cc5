package kubelet

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// probes are those of a process, and what they have found. Those of a container without a process are nil.
type probes struct {
	container *corev1.Container
	changed   func()
	cancel    context.CancelFunc

	mu            sync.Mutex
	isUp, isReady bool
}

// probe begins to probe a process.
func (w *worker) probe(pod *corev1.Pod, c *container, process *process) *probes {
	ctx, cancel := context.WithCancel(w.player.ctx)
	p := &probes{container: c.spec, changed: w.look, cancel: cancel, isUp: c.spec.StartupProbe == nil, isReady: c.spec.ReadinessProbe == nil}
	restart := func(probe *corev1.Probe) {
		w.player.logf("pod %s/%s: container %s is unhealthy, and ended", pod.Namespace, pod.Name, c.spec.Name)
		seconds := ptr.Deref(probe.TerminationGracePeriodSeconds, int64(grace(pod)/time.Second))
		process.signal(syscall.SIGTERM)
		select {
		case <-process.done:
		case <-time.After(time.Duration(seconds) * time.Second):
			process.signal(syscall.SIGKILL)
		case <-ctx.Done():
		}
	}
	w.player.running.Go(func() {
		if p.container.StartupProbe != nil && !p.untilUp(ctx, restart) {
			return
		}
		if p.container.LivenessProbe != nil {
			w.player.running.Go(func() {
				p.repeat(ctx, p.container.LivenessProbe, func(healthy bool) (again bool) {
					if !healthy {
						restart(p.container.LivenessProbe)
					}
					return healthy
				})
			})
		}
		if p.container.ReadinessProbe != nil {
			p.repeat(ctx, p.container.ReadinessProbe, func(ready bool) (again bool) {
				p.set(&p.isReady, ready)
				return true
			})
		}
	})
	return p
}

// untilUp waits for the startup probe, and says whether it has succeeded.
func (p *probes) untilUp(ctx context.Context, restart func(*corev1.Probe)) bool {
	p.repeat(ctx, p.container.StartupProbe, func(up bool) (again bool) {
		p.set(&p.isUp, up)
		if !up {
			restart(p.container.StartupProbe)
		}
		return false
	})
	return p.started()
}

func (p *probes) set(what *bool, value bool) {
	p.mu.Lock()
	different := *what != value
	*what = value
	p.mu.Unlock()
	if different {
		p.changed()
	}
}

func (p *probes) started() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.isUp
}

func (p *probes) ready() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.isUp && p.isReady
}

func (p *probes) stop() {
	if p != nil {
		p.cancel()
	}
}

// repeat probes and tells what the thresholds make of it, until the listener wants no more.
func (p *probes) repeat(ctx context.Context, probe *corev1.Probe, tell func(bool) (again bool)) {
	delay := time.Duration(probe.InitialDelaySeconds) * time.Second
	period := time.Duration(probe.PeriodSeconds) * time.Second
	var successes, failures int32
	everSucceeded := false
	for {
		timer := time.NewTimer(delay)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		if p.check(ctx, probe) {
			successes, failures, everSucceeded = successes+1, 0, true
		} else {
			successes, failures = 0, failures+1
		}
		if ctx.Err() != nil {
			return
		}
		if (successes >= probe.SuccessThreshold && !tell(true)) || (failures >= probe.FailureThreshold && !tell(false)) {
			return
		}
		delay = period
		// Rollouts are waited for. Where failures count, they need the time that they were given.
		if !everSucceeded && probe == p.container.ReadinessProbe {
			delay = min(period, time.Second)
		}
	}
}

// check asks once.
func (p *probes) check(ctx context.Context, probe *corev1.Probe) bool {
	get := probe.HTTPGet
	host := get.Host
	if host == "" {
		host = address
	}
	target, err := url.Parse(get.Path)
	if err != nil {
		return false
	}
	target.Scheme = strings.ToLower(string(get.Scheme))
	target.Host = net.JoinHostPort(host, strconv.Itoa(p.port(get.Port)))
	ctx, cancel := context.WithTimeout(ctx, time.Duration(probe.TimeoutSeconds)*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return false
	}
	request.Header.Set("User-Agent", "kube-probe/1.36")
	for _, header := range get.HTTPHeaders {
		request.Header.Set(header.Name, header.Value)
	}
	response, err := prober.RoundTrip(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode >= http.StatusOK && response.StatusCode < http.StatusBadRequest
}

// prober verifies no certificate, as a kubelet.
var prober = &http.Transport{
	DisableKeepAlives: true,
	TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
}

func (p *probes) port(wanted intstr.IntOrString) int {
	if wanted.Type == intstr.Int {
		return wanted.IntValue()
	}
	for _, port := range p.container.Ports {
		if port.Name == wanted.StrVal {
			return int(port.ContainerPort)
		}
	}
	return 0
}
