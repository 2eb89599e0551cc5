package engine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

func TestCommandsBecomeOperations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		kind engine.Kind
		want engine.Options
	}{
		"an up shows a preview":               {[]string{"up", "--yes"}, engine.Up, engine.Options{PreviewFirst: true}},
		"an up that skips it does not":        {[]string{"up", "--yes", "--skip-preview"}, engine.Up, engine.Options{}},
		"a preview has none before":           {[]string{"preview", "--diff"}, engine.Preview, engine.Options{Diff: true}},
		"a value is behind = or the next one": {[]string{"destroy", "--target=a", "--target", "b", "-y", "--skip-preview"}, engine.Destroy, engine.Options{Targets: []string{"a", "b"}}},
	} {
		kind, options, ok := engine.ParseCommand(c.args...)
		assert.True(t, ok, name)
		assert.Equal(t, c.kind, kind, name)
		assert.Equal(t, c.want, options, name)
	}
	for name, args := range map[string][]string{
		"nothing":                     nil,
		"another command":             {"cancel", "--yes"},
		"a flag that is not known":    {"up", "--yes", "--policy-pack=x"},
		"a value that is missing":     {"up", "--target"},
		"a value that is no number":   {"up", "--parallel=many"},
		"a switch that takes a value": {"up", "--yes=false"},
	} {
		_, _, ok := engine.ParseCommand(args...)
		assert.False(t, ok, name)
	}
}
