package releases_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestEveryRelease searches for new defects: lives of programs with a chart, a set, a Task and single objects, in any order of
// changes and operations. A life that breaks a law is told again with fewer steps, until none of them can be left out.
func TestEveryRelease(t *testing.T) {
	b := &book{began: time.Now(), known: map[string]*sighting{}, broken: map[string]bool{}}
	// The same lives every time, so that a change that breaks one is told from a life that nobody had heard before.
	base, number := 1, lives
	switch {
	case *seed != 0:
		base, number = *seed, 1
	case *soak > 0:
		base = rand.IntN(1 << 40)
	}
	t.Logf("seed %d", base)
	deadline := time.Now().Add(*soak)
	var next sync.Mutex
	tellers := 2
	if number == 1 {
		tellers = 1
	}
	var all sync.WaitGroup
	take := func() (int, bool) {
		next.Lock()
		defer next.Unlock()
		if number == 0 && (*soak == 0 || time.Now().After(deadline)) {
			return 0, false
		}
		number = max(number-1, 0)
		base++
		return base - 1, true
	}
	for range tellers {
		all.Go(func() {
			for {
				s, more := take()
				if !more {
					return
				}
				t.Run(fmt.Sprintf("seed %d", s), func(t *testing.T) { b.search(t, s) })
			}
		})
	}
	all.Wait()
	t.Log(b.summary())
}

// book counts what happened in the lives.
type book struct {
	began time.Time

	mu        sync.Mutex
	told, ops int
	known     map[string]*sighting
	broken    map[string]bool
	current   map[testing.TB]int
}

// sighting says when a known defect was first met.
type sighting struct {
	times, seed, life, ops int
	after                  time.Duration
}

// search tells the life of a seed.
func (b *book) search(t *testing.T, seed int) {
	all := draw(seed)
	b.mu.Lock()
	if b.current == nil {
		b.current = map[testing.TB]int{}
	}
	b.current[t] = seed
	b.mu.Unlock()
	fresh, p := b.tell(t, all)
	if fresh == nil {
		return
	}
	t.Logf("the law of %s is broken (%v), %s", fresh.law, slices.Sorted(mapsKeys(fresh.facts)), fresh.what)
	fewer := all
	if b.isFirst(fresh.law + fmt.Sprint(fresh.facts)) {
		fewer, fresh = b.shorten(t, all, fresh)
	}
	lines := make([]string, len(fewer))
	for i, s := range fewer {
		lines[i] = "\t" + s.String() + ","
	}
	t.Errorf("the law of %s is broken (%v), %s\nafter %d operations:\n%s\nAgain: go test ./releases -run TestEveryRelease -seed %d",
		fresh.law, slices.Sorted(mapsKeys(fresh.facts)), fresh.what, p.ops, strings.Join(lines, "\n"), seed)
}

// shorten leaves out steps as long as the same law is broken in the same way: many at once, then fewer.
func (b *book) shorten(t *testing.T, all []step, broken *violation) ([]step, *violation) {
	deadline := time.Now().Add(shortening)
	for size := len(all) / 2; size > 0; size /= 2 {
		for i := len(all) - size; i >= 0 && time.Now().Before(deadline); i -= size {
			fewer := slices.Concat(all[:i], all[min(i+size, len(all)):])
			again, _ := b.tell(t, fewer)
			if again != nil && again.law == broken.law && fmt.Sprint(again.facts) == fmt.Sprint(broken.facts) {
				all, broken = fewer, again
			}
			i = min(i, len(all))
		}
	}
	return all, broken
}

func (b *book) isFirst(law string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	again := b.broken[law]
	b.broken[law] = true
	return !again
}

func (b *book) sees(t testing.TB, number string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known[number] == nil {
		b.known[number] = &sighting{seed: b.current[t], life: b.told + 1, ops: b.ops, after: time.Since(b.began)}
		t.Logf("met %s after %v and %d lives, seed %d", number, time.Since(b.began).Round(time.Second), b.told, b.current[t])
	}
	b.known[number].times++
}

func (b *book) count(p *play) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told++
	b.ops += p.ops
}

func (b *book) summary() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	minutes := time.Since(b.began).Minutes()
	text := fmt.Sprintf("%d lives, %d operations, %.0f and %.0f a minute", b.told, b.ops, float64(b.told)/minutes, float64(b.ops)/minutes)
	for _, number := range slices.Sorted(mapsKeys(b.known)) {
		s := b.known[number]
		text += fmt.Sprintf("\n%5s: %4d times; first after %v, %d lives and %d operations, seed %d", number, s.times, s.after.Round(time.Millisecond), s.life, s.ops, s.seed)
	}
	return text
}
