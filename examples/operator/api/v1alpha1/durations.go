package v1alpha1

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Durations are pointers, or an Environment that was made in Go without one would say 0s, and get no default. What the API server
// defaults may still be missing in objects that were made before the field was.

// RunTimeout is how long one run may take: 30 minutes by default.
func (s *EnvironmentSpec) RunTimeout() time.Duration { return or(s.Timeout, 30*time.Minute) }

// Every is how long after a look the next one is: 10 minutes by default.
func (d *DriftDetection) Every() time.Duration { return or(d.Interval, 10*time.Minute) }

// FirstPause is how long the first repetition waits: 30 seconds by default.
func (p *RetryPolicy) FirstPause() time.Duration { return or(p.Backoff, 30*time.Second) }

func or(duration *metav1.Duration, otherwise time.Duration) time.Duration {
	if duration == nil || duration.Duration <= 0 {
		return otherwise
	}
	return duration.Duration
}
