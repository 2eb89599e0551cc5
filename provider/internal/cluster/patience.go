package cluster

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Patience decides for how long to repeat a read that fails. Make it with [NewPatience].
type Patience struct {
	worked bool // a read has succeeded
	began  time.Time
	denied time.Time
}

// NewPatience returns the patience of reads that begin now.
func NewPatience() *Patience { return &Patience{began: time.Now()} }

// Succeeded records that a read has succeeded.
func (p *Patience) Succeeded() { p.worked, p.denied = true, time.Time{} }

// HasEnded reports whether waiting does not help against the error.
func (p *Patience) HasEnded(err error) bool {
	if apierrors.IsUnauthorized(err) || apierrors.IsForbidden(err) {
		if p.denied.IsZero() {
			p.denied = time.Now()
		}
		return !p.worked || time.Since(p.denied) > deniedTolerance
	}
	return !MayPass(err) || !p.worked && time.Since(p.began) > firstContactTimeout
}
