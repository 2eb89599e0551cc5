package cluster

import (
	"errors"
	"fmt"
	"syscall"
)

// A process of Windows cannot be stopped from outside. The tests that need no cluster run there all the same.

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func (p *Part) freeze() error { return fmt.Errorf("%s: %w", p.name, errors.ErrUnsupported) }

func (p *Part) thaw() error { return fmt.Errorf("%s: %w", p.name, errors.ErrUnsupported) }
