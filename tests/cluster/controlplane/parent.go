package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

// parentVariable holds the process id of the parent that this process must not outlive.
// A death signal of the kernel (PR_SET_PDEATHSIG) is no substitute: it follows the thread
// that forked, which in a Go program comes and goes, and exists on Linux only.
const parentVariable = "CONTROLPLANE_PARENT"

// exitWithParent makes this process end when the parent that the environment names is not
// its parent any more, however that ended. Nothing is saved: who asks for this keeps no data.
func exitWithParent() error {
	value, ok := os.LookupEnv(parentVariable)
	if !ok {
		return nil
	}
	parent, err := strconv.Atoi(value)
	if err != nil {
		return fmt.Errorf("%s: %w", parentVariable, err)
	}
	go func() {
		for os.Getppid() == parent {
			time.Sleep(200 * time.Millisecond)
		}
		os.Exit(1)
	}()
	return nil
}
