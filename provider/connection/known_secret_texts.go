package connection

import (
	"maps"
	"slices"
	"sync"
)

// secrets are the secret texts of a program that this process has seen.
type secrets struct {
	mu    sync.Mutex
	texts map[string]bool
}

// Remember records secret texts of a resource: what one resource hides in the cluster, the pods of another may print.
func (s *Source) Remember(texts []string) {
	s.secrets.mu.Lock()
	defer s.secrets.mu.Unlock()
	if s.secrets.texts == nil {
		s.secrets.texts = map[string]bool{}
	}
	for _, text := range texts {
		s.secrets.texts[text] = true
	}
}

// Secrets lists all recorded secret texts of the program.
func (s *Source) Secrets() []string {
	s.secrets.mu.Lock()
	defer s.secrets.mu.Unlock()
	return slices.Sorted(maps.Keys(s.secrets.texts))
}
