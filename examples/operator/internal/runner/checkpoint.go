package runner

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

const (
	// apart is how long two saves are apart at least.
	apart = time.Second
	// rate is how many bytes a second are written to the API server on average. Pulumi writes the whole state two times for each
	// resource, and etcd keeps every version for some minutes.
	rate = 100_000
)

// saver saves Pulumi's checkpoints while it works: the newest when its time has come, one at a time. Those in between are
// left out.
type saver struct {
	run  *run
	stop context.CancelFunc
	done chan struct{}
}

// watchCheckpoints begins to save.
func (r *run) watchCheckpoints(life context.Context) (*saver, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	if err := watcher.Add(filepath.Dir(r.checkpointFile())); err != nil {
		return nil, errors.Join(err, watcher.Close())
	}
	s := &saver{run: r, done: make(chan struct{})}
	var watching context.Context
	watching, s.stop = context.WithCancel(life)
	go s.watch(watching, life, watcher)
	return s, nil
}

func (s *saver) watch(watching, life context.Context, watcher *fsnotify.Watcher) {
	defer close(s.done)
	defer watcher.Close() //nolint:errcheck // nothing is written by it
	due := time.NewTimer(0)
	<-due.C
	pending, notBefore := false, time.Now()
	for {
		select {
		case <-watching.Done():
			return
		case event := <-watcher.Events:
			if event.Name == s.run.checkpointFile() && !pending {
				pending = true
				due.Reset(time.Until(notBefore))
			}
		case <-watcher.Errors: //nolint:errcheck // see below
			// What was missed is saved at the end.
		case <-due.C:
			pending = false
			size, err := s.run.saveCheckpoint(life)
			if err != nil {
				return
			}
			notBefore = time.Now().Add(max(apart, time.Duration(size)*time.Second/rate))
		}
	}
}

// end waits for a save that goes on.
func (s *saver) end() {
	s.stop()
	<-s.done
}

// saveCheckpoint saves the newest checkpoint if it is not saved yet.
func (r *run) saveCheckpoint(life context.Context) (size int, err error) {
	content, err := r.readCheckpoint()
	if err != nil || content == nil {
		return 0, err
	}
	deployment, err := unpack(content)
	if err != nil {
		return 0, err
	}
	// What is under way has its secrets here, and nowhere once it has failed. One that cannot be read is said at the end.
	_ = r.hide(life, deployment)
	progressed := !bytes.Equal(resourcesOf(life, r.key, deployment), r.before)
	return len(content), r.save(life, func(head *state.Head) {
		head.SetCheckpoint(content)
		head.Project = r.project
		head.Record.Progressed = head.Record.Progressed || progressed
		inventory(&head.Record, deployment, r.Namespace, nil)
	})
}

// readCheckpoint reads Pulumi's file: it replaces it as a whole. There is none before the first.
func (r *run) readCheckpoint() ([]byte, error) {
	content, err := os.ReadFile(r.checkpointFile())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return content, err
}
