//go:build !linux

package kubelet

import (
	"io"
	"syscall"
)

// Supported says whether containers can run on this machine.
func Supported() error { return ErrUnsupported }

// There are no processes but on Linux; Supported says so before any is started.
type process struct{ done chan struct{} }

func start(sandbox, io.Writer, func()) (*process, error) { return nil, ErrUnsupported }

func (p *process) ended() bool           { return true }
func (p *process) code() int             { return 0 }
func (p *process) signal(syscall.Signal) {}
