package rpc_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

const (
	// lives is how many stories a test run tells, beside those of package lives, which Pulumi's engine acts. Each has fewer than
	// mostSteps steps after the first up.
	lives, mostSteps = 12, 20
	// shortening is how long a story that failed is made shorter.
	shortening = time.Minute
)

// TestEveryLife searches for dead ends: stories of programs that change, of others who meddle, and of clusters and networks
// that fail, in any order. The laws of [life] hold after every step, and every story ends well: once nothing fails any more,
// an up and a destroy succeed.
//
// A story that fails is told again with fewer steps, until none of them can be left out.
func TestEveryLife(t *testing.T) {
	t.Parallel()
	book := newLifeBook(t)
	// The same stories every time, so that a change that breaks one is told from a story that nobody had heard before.
	base, number := uint64(1), lives
	switch {
	case *seed != 0:
		base, number = *seed, 1
	case *soak > 0:
		base = rand.Uint64()
	}
	t.Logf("seed %d", base)
	deadline := time.Now().Add(*soak)
	for round := 0; round == 0 || *seed == 0 && !t.Failed() && time.Now().Before(deadline); round++ {
		t.Run(fmt.Sprintf("round %d", round), func(t *testing.T) {
			for i := range number {
				t.Run(fmt.Sprintf("story %d", i), func(t *testing.T) {
					t.Parallel()
					book.tell(t, base+uint64(round*number+i))
				})
			}
		})
	}
	t.Log(book.summary())
}

// lifeBook tells the stories and counts what happened in them.
type lifeBook struct {
	user cluster.User

	mu     sync.Mutex
	did    map[string]int
	broken map[string]bool
}

func newLifeBook(t *testing.T) *lifeBook {
	t.Helper()
	installTroubles(t)
	return &lifeBook{user: newUser(t), did: map[string]int{}, broken: map[string]bool{}}
}

// tell tells the story of a seed.
func (b *lifeBook) tell(t *testing.T, seed uint64) {
	sayHowToRepeat(t, "^TestEveryLife$", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	kinds := []string{"ConfigMap", "Deployment"}
	cast := cast{kinds[random.IntN(2)], kinds[random.IntN(2)]}
	about := cast.themes(random)
	steps := append(cast.opening(random), up)
	for range random.IntN(mostSteps) {
		if random.IntN(4) == 0 {
			steps = append(steps, up)
		} else {
			steps = append(steps, cast.draw(random, about))
		}
	}
	steps = append(steps, epilogue(random)...)
	run := func(steps []step) *failure { return newLife(t, b, cast).story(steps) }
	first := run(steps)
	if first == nil {
		return
	}
	after := b.counted("steps")
	shortest, err := steps, first
	if b.isFirst(first.step) {
		shortest, err = shorten(steps, first, run)
	}
	lines := make([]string, len(shortest))
	for i, s := range shortest {
		lines[i] = fmt.Sprintf("%3d. %s", i+1, s.what)
	}
	t.Errorf("the story of %s (after %d steps in all):\n%s\n%s", cast, after, strings.Join(lines, "\n"), err)
}

// shorten leaves out steps as long as the same law is broken.
func shorten(steps []step, broken *failure, run func([]step) *failure) ([]step, *failure) {
	deadline := time.Now().Add(shortening)
	for shorter := true; shorter; {
		shorter = false
		for i := len(steps) - 1; i >= 0 && time.Now().Before(deadline); i-- {
			fewer := slices.Concat(steps[:i], steps[i+1:])
			if again := run(fewer); again != nil && again.step == broken.step {
				steps, broken, shorter = fewer, again, true
			}
		}
	}
	return steps, broken
}

// isFirst reports whether a law is broken for the first time. Only then is the story made shorter, which takes its time.
func (b *lifeBook) isFirst(law string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	again := b.broken[law]
	b.broken[law] = true
	return !again
}

func (b *lifeBook) count(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.did[what]++
}

func (b *lifeBook) counted(what string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.did[what]
}

func (b *lifeBook) summary() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	lines := make([]string, 0, len(b.did))
	for what, times := range b.did {
		lines = append(lines, fmt.Sprintf("%6d %s", times, what))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[7:], b[7:]) })
	return "what happened:\n" + strings.Join(lines, "\n")
}
