package lives_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// number is how many lives a test run lives, with the same seeds each time, so that a change that breaks one is told from a life
// that nobody has lived before. What is drawn late in a life depends on what its operations came to.
const number = 30

// TestLives searches for lives that break a law. One that does is made shorter by rapid.
func TestLives(t *testing.T) {
	prepare(t)
	b := &book{began: time.Now(), counted: map[string]int{}}
	defer func() { t.Log(b.summary()) }()
	base, last := uint64(1), number
	if *soak > 0 {
		base, last = rand.Uint64()>>16, 1<<30
	}
	if *seed != 0 {
		base, last = *seed, 1
	}
	require.NoError(t, flag.Set("rapid.checks", "1"))
	require.NoError(t, flag.Set("rapid.nofailfile", "true"))
	for i := 0; i < last && (*soak == 0 || time.Since(b.began) < *soak); i++ {
		b.seed = base + uint64(i)
		require.NoError(t, flag.Set("rapid.seed", fmt.Sprint(b.seed)))
		passed := t.Run(fmt.Sprintf("life %d", b.seed), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				b.count("lives")
				live(t, b)
			})
		})
		if _, err := clients.cluster.Client().Discovery().ServerVersion(); err != nil {
			t.Fatalf("the cluster is gone: %v", err)
		}
		if !passed && *soak == 0 {
			t.Logf("Again: go test ./lives -run TestLives -seed %d", b.seed)
		}
	}
}

// book counts what happens.
type book struct {
	seed    uint64
	began   time.Time
	counted map[string]int
	longest time.Duration
	story   string // of the longest life
}

func (b *book) count(what string) { b.counted[what]++ }

// timed keeps the longest life.
func (b *book) timed(began time.Time, l *life) {
	if took := time.Since(began); took > b.longest {
		b.longest, b.story = took, strings.Join(l.journal, "\n")
	}
}

func (b *book) summary() string {
	lines := []string{fmt.Sprintf("%d lives and these operations in %s:", b.counted["lives"], time.Since(b.began).Round(time.Second))}
	for _, what := range slices.Sorted(maps.Keys(b.counted)) {
		lines = append(lines, fmt.Sprintf("%6d %s", b.counted[what], what))
	}
	lines = append(lines, fmt.Sprintf("The longest life took %s:", b.longest.Round(time.Millisecond)), b.story)
	return strings.Join(lines, "\n")
}
