package multicall

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// partFlag makes this process a part of something that another one has in a folder, and that
// may not outlive it: --controlplane-part-of=PID:FOLDER. It is a flag because who starts the
// parts may be able to give them nothing else, and the program that this process becomes never
// sees it.
const partFlag = "--controlplane-part-of="

// A part lives for minutes, on a machine whose processors are busier than its memory: so its heap may grow to five times of what
// is live before garbage is collected, as long as the whole is below a limit. It saves a quarter of the API server's time.
const (
	growth      = 400 // percent
	memoryLimit = 2 << 30
)

// becomePart makes this process work in the folder, leave its process id there in NAME.pid, and
// end when the other is not its parent any more, however that ended. Nothing is saved: who asks
// for this keeps no data. Without the flag it does nothing.
func becomePart() error {
	at := slices.IndexFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, partFlag) })
	if at < 0 {
		return nil
	}
	id, dir, _ := strings.Cut(strings.TrimPrefix(os.Args[at], partFlag), ":")
	os.Args = slices.Delete(os.Args, at, at+1)
	parent, err := strconv.Atoi(id)
	if err != nil {
		return fmt.Errorf("%s: %w", partFlag, err)
	}
	go exitWithParent(parent)
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(growth)
		debug.SetMemoryLimit(memoryLimit)
	}
	if err := os.Chdir(dir); err != nil {
		return err
	}
	return os.WriteFile(filepath.Base(os.Args[0])+".pid", []byte(strconv.Itoa(os.Getpid())), 0o600)
}

// exitWithParent waits for the end of the parent. A death signal of the kernel
// (PR_SET_PDEATHSIG) is no substitute: it follows the thread that forked, which in a Go program
// comes and goes, and exists on Linux only.
func exitWithParent(parent int) {
	for os.Getppid() == parent {
		time.Sleep(200 * time.Millisecond)
	}
	os.Exit(1)
}
