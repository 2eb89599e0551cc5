package waitfor

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/diagnosis"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
)

const (
	// statusInterval is the minimum time between two changes of the live status.
	statusInterval = time.Second
	// firstLook is the time until the pods are first read. After that, the time between two reads doubles up to
	// maxLook, as long as the missing conditions do not change. Most waits are over before the first read.
	firstLook = 5 * time.Second
	maxLook   = time.Minute
)

// statusLine is the live status beside a resource that waits.
type statusLine struct {
	request Request
	stop    context.CancelFunc
	stopped chan struct{}
	// many says what is missing if the wait is for many objects; nil if it is for one.
	many func() []string

	mu      sync.Mutex
	live    *unstructured.Unstructured
	missing []string
	problem error
}

// newStatusLine starts to show the status, until [statusLine.clear] is called.
func newStatusLine(ctx context.Context, request Request, many func() []string) *statusLine {
	ctx, stop := context.WithCancel(ctx)
	s := &statusLine{request: request, stop: stop, stopped: make(chan struct{}), many: many}
	go s.run(ctx)
	return s
}

// see records what is missing in a state of the object.
func (s *statusLine) see(live *unstructured.Unstructured, verdict readiness.Verdict) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live, s.missing = live, verdict.Missing
}

// troubled records that the API server cannot be reached; nil means that it can.
func (s *statusLine) troubled(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problem = err
}

func (s *statusLine) trouble() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problem
}

// run shows the status when it has changed, and reads the pods from time to time.
func (s *statusLine) run(ctx context.Context) {
	defer close(s.stopped)
	ticker := time.NewTicker(statusInterval)
	defer ticker.Stop()
	shown, pod := "", ""
	looked, between := time.Now(), firstLook
	var before []string
	for {
		select {
		case <-ctx.Done():
			if shown != "" {
				connection.ClearStatus(ctx)
			}
			return
		case <-ticker.C:
		}
		s.mu.Lock()
		live, missing, problem := s.live, s.missing, s.problem
		s.mu.Unlock()
		if s.many != nil {
			missing = s.many()
		}
		if !slices.Equal(missing, before) {
			before, between = missing, firstLook
		}
		if live != nil && time.Since(looked) >= between && diagnosis.HasPods(live) {
			pod = s.worstPod(ctx, live)
			looked, between = time.Now(), min(2*between, maxLook)
		}
		if line := s.line(missing, pod, problem); line != shown && ctx.Err() == nil {
			p.GetLogger(ctx).InfoStatus(line)
			shown = line
		}
	}
}

// worstPod reads the pods. An API server that does not answer must not delay the status.
func (s *statusLine) worstPod(ctx context.Context, live *unstructured.Unstructured) string {
	ctx, cancel := context.WithTimeout(ctx, diagnosisTimeout)
	defer cancel()
	troubles := diagnosis.PodIssues(ctx, s.request.Cluster, live, nil)
	if len(troubles) == 0 {
		return ""
	}
	return "pod " + troubles[0].Pod + ": " + troubles[0].Short
}

func (s *statusLine) line(missing []string, pod string, problem error) string {
	var parts []string
	switch {
	case problem != nil:
		parts = []string{"the API server cannot be reached, trying again"}
	case s.request.secret():
		parts = []string{"waiting"}
	default:
		parts = append(parts, missing...)
		if pod != "" {
			parts = append(parts, pod)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return shorten("Waiting: " + strings.Join(parts, "; "))
}

// clear stops showing the status.
func (s *statusLine) clear() {
	s.stop()
	<-s.stopped
}
