package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// process is what the system notes about a process.
type process struct {
	// peak is the most memory that was resident, in bytes.
	peak int64
	// cpu is the time on the processors, which other processes on the machine change little.
	cpu time.Duration
}

// observer looks at a process and its descendants until they end. It finds nothing where there is no /proc.
type observer struct {
	ended, done chan struct{}
	seen        map[processKey]process
}

// processKey is a process, and the program that it runs.
type processKey struct {
	pid     int
	program string
}

// lookInterval is short enough to miss little before a process ends, and long enough not to slow it down.
const lookInterval = 100 * time.Millisecond

// observe watches a process and its descendants.
func observe(pid int) *observer {
	o := &observer{ended: make(chan struct{}), done: make(chan struct{}), seen: map[processKey]process{}}
	go func() {
		defer close(o.done)
		ticker := time.NewTicker(lookInterval)
		defer ticker.Stop()
		for {
			select {
			case <-o.ended:
				return
			case <-ticker.C:
				for _, pid := range append(descendants(pid), pid) {
					o.look(pid)
				}
			}
		}
	}()
	return o
}

// stop returns what all processes of each program took: the peak of the largest, the time of all.
func (o *observer) stop() map[string]process {
	close(o.ended)
	<-o.done
	programs := map[string]process{}
	for key, p := range o.seen {
		all := programs[key.program]
		programs[key.program] = process{max(all.peak, p.peak), all.cpu + p.cpu}
	}
	return programs
}

// look notes a process. One that ends meanwhile stays as it was seen last.
func (o *observer) look(pid int) {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return
	}
	key := processKey{pid, filepath.Base(path)}
	last := o.seen[key]
	o.seen[key] = process{max(last.peak, peak(pid)), max(last.cpu, cpu(pid))}
}

// descendants are the processes that a process and its descendants have started.
func descendants(pid int) []int {
	var found []int
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		children, _ := os.ReadFile(list)
		for field := range strings.FieldsSeq(string(children)) {
			if child, err := strconv.Atoi(field); err == nil {
				found = append(append(found, child), descendants(child)...)
			}
		}
	}
	return found
}

// peak is the most memory that a process has had, and resident what it has now, in bytes.
func peak(pid int) int64     { return memoryOf(pid, "VmHWM:") }
func resident(pid int) int64 { return memoryOf(pid, "VmRSS:") }

func memoryOf(pid int, which string) int64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	fields := strings.Fields(string(status))
	i := slices.Index(fields, which) // in kB
	if i < 0 || i+1 >= len(fields) {
		return 0
	}
	return number(fields[i+1]) << 10
}

// cpu is the processor time of a process.
func cpu(pid int) time.Duration {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	// The name of the program is in parentheses and may contain anything.
	fields := strings.Fields(string(stat[strings.LastIndex(string(stat), ")")+1:]))
	const user, system = 11, 12 // counted from the state, in hundredths of a second
	if len(fields) <= system {
		return 0
	}
	return time.Duration(number(fields[user])+number(fields[system])) * time.Second / 100
}

func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
