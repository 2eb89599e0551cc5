package tracked

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

// Memory is what the provider remembers during one operation of the engine. An operation may have several processes of
// the provider: one for each explicit provider, and a further one if a program changes the configuration. If a resource
// gets another provider, or its provider another configuration, one process reads and deletes the resource, and another
// process compares and creates it. Each must know what the other has learned, so they share a file. The file is named
// after the engine, and the first process that ends removes it. It contains no inputs except those that decide a
// deletion, and no secrets.
//
// The zero value is ready to use and private to the process.
type Memory struct {
	mu    sync.Mutex
	facts map[string]map[string]string // topic -> key -> fact
	file  *os.File
	// applied is how much of the file is in facts.
	applied int64
}

// leftAfter is the age at which the file of a killed process counts as left over.
const leftAfter = 7 * 24 * time.Hour

// looksAt is how many of these files a start of the provider looks at, so that a folder full of them does not slow it down.
const looksAt = 100

// Share shares the memory with the other processes of the provider that serve this engine. If that fails, the memory
// stays private.
func (m *Memory) Share(engine string) error {
	if engine == "" {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file != nil {
		return nil
	}
	dir, err := workspace.GetPulumiPath("k8sconnect", "operations") // Pulumi can write there
	if err != nil {
		return fmt.Errorf("memory of the operation: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("memory of the operation: %w", err)
	}
	removeLeftOver(dir)
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", engine, os.Getppid()))
	file, err := os.OpenFile(filepath.Join(dir, hex.EncodeToString(sum[:12])), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("memory of the operation: %w", err)
	}
	m.file = file
	return nil
}

func removeLeftOver(path string) {
	dir, err := os.Open(path)
	if err != nil {
		return
	}
	defer func() { _ = dir.Close() }()
	entries, _ := dir.ReadDir(looksAt)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > leftAfter {
			_ = os.Remove(filepath.Join(path, entry.Name()))
		}
	}
}

// Unshare removes the file. Processes that have it open continue to share it.
func (m *Memory) Unshare() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file == nil {
		return nil
	}
	if err := os.Remove(m.file.Name()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("memory of the operation: %w", err)
	}
	return nil
}

// For returns the part of the memory that is about one type of resource.
func (m *Memory) For(resource string) Notes { return Notes{memory: m, resource: resource} }

// note is a fact in the file: topic, key and fact. A note without a fact forgets the key.
type note []string

// write appends a note. All processes see the notes in the same order, including the one that writes.
func (m *Memory) write(n note) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file != nil {
		if line, err := json.Marshal(n); err == nil {
			if _, err := m.file.Write(append(line, '\n')); err == nil {
				return
			}
		}
		m.catchUp()
		m.file = nil
	}
	m.apply(n)
}

func (m *Memory) apply(n note) {
	if len(n) < 2 {
		return
	}
	if len(n) == 2 {
		delete(m.facts[n[0]], n[1])
		return
	}
	if m.facts == nil {
		m.facts = map[string]map[string]string{}
	}
	if m.facts[n[0]] == nil {
		m.facts[n[0]] = map[string]string{}
	}
	m.facts[n[0]][n[1]] = n[2]
}

// catchUp applies what was written to the file since the last call. It leaves an incomplete line for the next call.
func (m *Memory) catchUp() {
	if m.file == nil {
		return
	}
	info, err := m.file.Stat()
	if err != nil || info.Size() <= m.applied {
		return
	}
	text, err := io.ReadAll(io.NewSectionReader(m.file, m.applied, info.Size()-m.applied))
	if err != nil {
		return
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	m.applied += int64(len(text))
	for line := range bytes.Lines(text) {
		var n note
		if json.Unmarshal(line, &n) == nil {
			m.apply(n)
		}
	}
}

// topic calls do with the facts of a topic; do must not keep them.
func (m *Memory) topic(name string, do func(facts map[string]string)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.catchUp()
	do(m.facts[name])
}

// Notes are the part of a [Memory] about one type of resource. The zero value remembers nothing.
type Notes struct {
	memory   *Memory
	resource string
}

func (n Notes) set(topic, key, fact string) {
	if n.memory != nil {
		n.memory.write(note{n.resource + " " + topic, key, fact})
	}
}

func (n Notes) forget(topic, key string) {
	if _, known := n.get(topic, key); known {
		n.memory.write(note{n.resource + " " + topic, key})
	}
}

func (n Notes) get(topic, key string) (fact string, known bool) {
	n.all(topic, func(facts map[string]string) { fact, known = facts[key] })
	return fact, known
}

func (n Notes) all(topic string, do func(facts map[string]string)) {
	if n.memory != nil {
		n.memory.topic(n.resource+" "+topic, do)
	}
}
