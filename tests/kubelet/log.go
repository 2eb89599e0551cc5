package kubelet

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// podLog is what the containers of a pod print.
type podLog struct {
	pod  string
	also io.Writer

	mu      sync.Mutex
	content bytes.Buffer
}

// Write takes what a container prints.
func (l *podLog) Write(printed []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.content.Write(printed)
	if l.also != nil {
		for line := range bytes.Lines(printed) {
			_, _ = fmt.Fprintf(l.also, "%s: %s\n", l.pod, bytes.TrimRight(line, "\n"))
		}
	}
	return len(printed), nil
}

func (l *podLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.content.String()
}

// oneAtATime is a writer for several goroutines.
type oneAtATime struct {
	mu sync.Mutex
	to io.Writer
}

func (o *oneAtATime) Write(content []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.to.Write(content)
}
