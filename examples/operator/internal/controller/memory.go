package controller

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// memory has what was read of versions that may still be the newest. Losing it costs a request.
type memory struct {
	mutex *sync.Mutex
	of    map[types.NamespacedName]remembered
}

// remembered is what is known of one Environment.
type remembered struct {
	// version is the uid and the resource version of the program's ConfigMap, and program the hash of its content.
	version, program string
	// secrets are those of the configuration by their names.
	secrets map[string]secretDigests
	// progress is of the run that goes on.
	progress progress
	// refusal is of the last write, if the API server has refused it.
	refusal *refusal
	// outputs are the resource versions of head and outputs Secret that go together.
	outputs string
}

// progress is how many resources a run had when that was last looked for.
type progress struct {
	serial    int64
	looked    time.Time
	resources *int32
}

// secretDigests are the digests of a version of a Secret.
type secretDigests struct {
	version string
	digests map[string]string
}

func newMemory() memory {
	return memory{mutex: &sync.Mutex{}, of: map[types.NamespacedName]remembered{}}
}

func (m memory) get(name types.NamespacedName) remembered {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.of[name]
}

func (m memory) set(name types.NamespacedName, change func(*remembered)) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	known := m.of[name]
	change(&known)
	m.of[name] = known
}

func (m memory) forget(name types.NamespacedName) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	delete(m.of, name)
}
