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

// observer looks at the processes of one program until they end. It finds nothing where there is no /proc.
type observer struct {
	ended, done chan struct{}
	seen        map[int]process
}

// lookInterval is short enough to miss little before a process ends, and long enough not to slow it down.
const lookInterval = 100 * time.Millisecond

// observe watches a program among the descendants of a process.
func observe(ancestor int, program string) *observer {
	o := &observer{ended: make(chan struct{}), done: make(chan struct{}), seen: map[int]process{}}
	go func() {
		defer close(o.done)
		ticker := time.NewTicker(lookInterval)
		defer ticker.Stop()
		for {
			select {
			case <-o.ended:
				return
			case <-ticker.C:
				o.look(ancestor, program)
			}
		}
	}()
	return o
}

// stop returns what all processes of the program took: the peak of the largest, the time of all. It is zero where
// that is not known.
func (o *observer) stop() process {
	close(o.ended)
	<-o.done
	var all process
	for _, p := range o.seen {
		all.peak = max(all.peak, p.peak)
		all.cpu += p.cpu
	}
	return all
}

// look notes the descendants that run the program. One that ends meanwhile stays as it was seen last.
func (o *observer) look(ancestor int, program string) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", ancestor))
	for _, list := range lists {
		children, _ := os.ReadFile(list)
		for field := range strings.FieldsSeq(string(children)) {
			child, err := strconv.Atoi(field)
			if err != nil {
				continue
			}
			if path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", child)); err == nil && filepath.Base(path) == program {
				last := o.seen[child]
				o.seen[child] = process{max(last.peak, peak(child)), max(last.cpu, cpu(child))}
			}
			o.look(child, program)
		}
	}
}

// peak is the most memory that a process has had, and resident what it has now, in bytes.
func peak(pid int) int64     { return memory(pid, "VmHWM:") }
func resident(pid int) int64 { return memory(pid, "VmRSS:") }

func memory(pid int, which string) int64 {
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
