// Command gotest runs go test with the arguments it is given. It says what go test says, a line for each package
// and failures in full, and at the end which tests were skipped and why: go test says that with -v alone.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
)

func main() {
	code, err := run(os.Stdout, ".", os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
	}
	os.Exit(code)
}

// run returns the exit code of go test in the folder.
func run(out io.Writer, dir string, args []string) (int, error) {
	command := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	command.Dir, command.Stderr = dir, os.Stderr
	events, err := command.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := command.Start(); err != nil {
		return 1, err
	}
	r := report{out: out, packages: map[string]*tests{}}
	failed := r.read(events)
	if failed != nil {
		// It must not wait for somebody who reads on.
		_, _ = io.Copy(io.Discard, events)
	}
	err = command.Wait()
	r.summary()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), failed
	}
	if err := errors.Join(err, failed); err != nil {
		return 1, err
	}
	return 0, nil
}

// event is a line of go test -json: see go doc test2json.
type event struct {
	Action, Package, Test, Output string
}

// tests is what is known of a package whose tests are running.
type tests struct {
	own     []string            // what it said outside of a test
	running map[string][]string // what its tests say, by name
	order   []string            // their names
	failed  []string            // what failed tests have said
}

type report struct {
	out      io.Writer
	packages map[string]*tests
	skipped  []string
}

func (r *report) read(events io.Reader) error {
	in := bufio.NewReader(events)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if bad := json.Unmarshal(line, &e); bad != nil {
				r.say(string(line)) // of go itself
			} else {
				r.note(e)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading what go test says: %w", err)
		}
	}
}

func (r *report) say(lines ...string) {
	for _, line := range lines {
		_, _ = io.WriteString(r.out, line)
	}
}

func (r *report) note(e event) {
	if e.Package == "" { // of the compiler
		r.say(e.Output)
		return
	}
	p := r.packages[e.Package]
	if p == nil {
		p = &tests{running: map[string][]string{}}
		r.packages[e.Package] = p
	}
	switch {
	case e.Test != "":
		p.note(e)
		if e.Action == "skip" && !isFuzzInput(e.Test) {
			r.skipped = append(r.skipped, fmt.Sprintf("%s %s: %s", within(e.Package), e.Test, reason(p.running[e.Test])))
		}
		if e.Action == "pass" || e.Action == "skip" {
			delete(p.running, e.Test)
		}
	case e.Action == "output":
		p.own = append(p.own, e.Output)
	case e.Action == "pass" && len(p.own) > 0:
		r.say(p.own[len(p.own)-1]) // ok, and how long it took
	case e.Action == "fail":
		r.say(p.failed...)
		// A panic, or the end of the time, leaves some that did not come to an end.
		for _, name := range p.order {
			r.say(p.running[name]...)
		}
		r.say(p.own...)
	}
}

// isFuzzInput says whether it is no test, but an input that a fuzz target may have no use for.
func isFuzzInput(test string) bool {
	return strings.HasPrefix(test, "Fuzz") && strings.Contains(test, "/")
}

func (p *tests) note(e event) {
	switch e.Action {
	case "run":
		p.order = append(p.order, e.Test)
	case "output":
		// What go test says with -v alone.
		for _, marker := range []string{"=== RUN ", "=== PAUSE ", "=== CONT ", "=== NAME "} {
			if strings.HasPrefix(e.Output, marker) {
				return
			}
		}
		p.running[e.Test] = append(p.running[e.Test], e.Output)
	case "fail":
		// The name first, then what went wrong.
		var heading, rest []string
		for _, line := range p.running[e.Test] {
			if strings.HasPrefix(line, "--- FAIL: ") {
				heading = append(heading, line)
			} else {
				rest = append(rest, line)
			}
		}
		p.failed = append(append(p.failed, heading...), rest...)
		delete(p.running, e.Test)
	}
}

// reason is what a test that was skipped has logged last.
func reason(output []string) string {
	text := ""
	for _, line := range output {
		// Logged is what begins with four spaces and the place; what goes on in the next line has eight.
		place, logged := strings.CutPrefix(line, "    ")
		switch {
		case !logged:
		case strings.HasPrefix(place, "    "):
			text += " " + strings.TrimSpace(place)
		default:
			_, text, _ = strings.Cut(strings.TrimSpace(place), ": ")
		}
	}
	if text = strings.TrimSpace(text); text == "" {
		return "no reason given"
	}
	return text
}

func (r *report) summary() {
	if len(r.skipped) == 0 {
		r.say("\nNo test was skipped.\n")
		return
	}
	r.say("\nSkipped:\n")
	for _, test := range r.skipped {
		r.say("  " + test + "\n")
	}
}

// within is the package's folder in this module.
func within(path string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		path = strings.TrimPrefix(path, info.Main.Path+"/")
	}
	return path
}
