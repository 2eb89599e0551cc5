// Package defects keeps the stories of defects that are known and not yet corrected. Such a story tells what should happen, so
// it fails. That is expected, and a story that passes fails its test: the defect is gone, and the story becomes an ordinary test.
package defects

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// Open tells the story of a defect, by its number, such as "[D49]". The test fails if the story passes, and if none of its
// failures says what is expected: then it has failed for another reason.
func Open(t *testing.T, number, says string, story func(t testing.TB)) {
	t.Helper()
	told := &listener{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		story(told)
	}()
	<-done
	failures := strings.Join(told.failures(), "\n")
	switch {
	case failures == "":
		t.Errorf("%s does not show any more. If it is corrected, tell the story without defects.Open.", number)
	case !strings.Contains(failures, says):
		t.Errorf("%s: the story fails for another reason than %q:\n%s", number, says, failures)
	default:
		t.Logf("%s is still there, as expected:\n%s", number, failures)
	}
}

// listener is a test that may fail without failing the one that it is part of.
type listener struct {
	testing.TB

	mu     sync.Mutex
	failed []string
}

func (l *listener) failures() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

func (l *listener) fail(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = append(l.failed, text)
}

// Error notes a failure.
func (l *listener) Error(args ...any) { l.fail(fmt.Sprintln(args...)) }

// Errorf notes a failure.
func (l *listener) Errorf(format string, args ...any) { l.fail(fmt.Sprintf(format, args...)) }

// Fail notes a failure that says nothing.
func (l *listener) Fail() { l.fail("the story failed") }

// Fatal notes a failure and ends the story.
func (l *listener) Fatal(args ...any) {
	l.Error(args...)
	runtime.Goexit()
}

// Fatalf notes a failure and ends the story.
func (l *listener) Fatalf(format string, args ...any) {
	l.Errorf(format, args...)
	runtime.Goexit()
}

// FailNow ends the story. Whoever calls it has said why, in an Errorf, or else it says so itself.
func (l *listener) FailNow() {
	if !l.Failed() {
		l.Fail()
	}
	runtime.Goexit()
}

// Failed says whether the story has failed.
func (l *listener) Failed() bool { return len(l.failures()) > 0 }
