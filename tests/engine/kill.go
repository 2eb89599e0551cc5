package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// death is what a SIGKILL of the CLI and its plugins does: what the backend had stays as it was, locks included, nothing new
// reaches the provider, and what its calls would have answered is lost. Requests that were sent have their effect.
type death struct {
	stack *Stack

	mu     sync.Mutex
	died   bool
	saved  string // a copy of the backend
	err    error
	calls  map[int]context.CancelFunc
	number int
}

var errDead = status.Error(codes.Unavailable, "the provider was killed")

// between stands before the provider.
func (d *death) between(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d.mu.Lock()
	if d.died {
		d.mu.Unlock()
		return nil, errDead
	}
	d.number++
	call := d.number
	if d.calls == nil {
		d.calls = map[int]context.CancelFunc{}
	}
	d.calls[call] = cancel
	d.mu.Unlock()
	reply, err := handle(ctx, request)
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.calls, call)
	if d.died {
		return nil, errDead
	}
	return reply, err
}

// strike keeps the backend as it is now.
func (d *death) strike() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.died {
		return
	}
	d.died = true
	d.saved, d.err = copyOf(d.stack.Backend)
	for _, cancel := range d.calls {
		cancel()
	}
}

// copyOf copies a folder at one moment: again, if a file has changed meanwhile.
func copyOf(folder string) (string, error) {
	const attempts = 100
	for range attempts {
		before, err := filesIn(folder)
		if errors.Is(err, errBetween) {
			continue
		}
		if err != nil {
			return "", err
		}
		saved, err := os.MkdirTemp("", "killed-")
		if err != nil {
			return "", err
		}
		err = os.CopyFS(saved, os.DirFS(folder))
		if after, failed := filesIn(folder); err == nil && failed == nil && slices.Equal(before, after) {
			return saved, nil
		}
		if err := os.RemoveAll(saved); err != nil {
			return "", err
		}
	}
	return "", fmt.Errorf("%s does not come to rest", folder)
}

// errBetween means that the backend is about to write what it knows of a file, which it does in place. Who is killed then has a
// stack that cannot be read: that is the backend's own affair.
var errBetween = errors.New("a file of the backend is half written")

// filesIn are the files of a folder, each with what tells it from another version of it.
func filesIn(folder string) (files []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // It has gone since its folder was read, which the next look shows.
		}
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && info.Size() == 0 && filepath.Ext(path) == ".attrs" {
			return errBetween
		}
		if err == nil {
			files = append(files, fmt.Sprintln(path, info.Size(), info.ModTime().UnixNano()))
		}
		return err
	})
	return files, err
}

// bury gives the backend what it had, when everything has ended.
func (d *death) bury() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.died {
		return nil
	}
	err := d.err
	if err == nil {
		err = errors.Join(empty(d.stack.Backend), os.CopyFS(d.stack.Backend, os.DirFS(d.saved)))
	}
	return errors.Join(err, os.RemoveAll(d.saved))
}

// empty removes what is in a folder.
func empty(folder string) error {
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		err = errors.Join(err, os.RemoveAll(folder+"/"+entry.Name()))
	}
	return err
}

// ErrKilled is the error of an operation that was killed.
var ErrKilled = errors.New("signal: killed")

// Kill is a SIGKILL of the CLI and its plugins. The stack stays locked: see [Stack.Unlock].
func (o *Operation) Kill() {
	o.death.strike()
	o.Terminate()
}

// Unlock is "pulumi cancel".
func (s *Stack) Unlock(ctx context.Context) error {
	at, err := s.open(ctx, &output{})
	if err != nil {
		return err
	}
	if err := at.backend.CancelCurrentUpdate(ctx, at.stack.Ref()); err != nil {
		return fmt.Errorf("stack %s: %w", s.Name, err)
	}
	return nil
}
