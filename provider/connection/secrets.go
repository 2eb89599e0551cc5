package connection

import (
	"maps"
	"slices"
	"sync"
)

// secrets are the secret texts of a program, as far as this process has seen them.
type secrets struct {
	mu    sync.Mutex
	texts map[string]bool
}

// Remember notes secret texts of a resource. What one resource hides in the cluster, the pods of another may print.
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

// Secrets lists all secret texts of the program that are known.
func (s *Source) Secrets() []string {
	s.secrets.mu.Lock()
	defer s.secrets.mu.Unlock()
	return slices.Sorted(maps.Keys(s.secrets.texts))
}
