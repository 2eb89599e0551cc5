package defects_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine/defects"
)

func TestAStoryThatFailsIsExpected(t *testing.T) {
	for name, story := range map[string]func(testing.TB){
		"at once": func(t testing.TB) { require.Equal(t, 1, 2, "the Job was replaced"); panic("the story goes on") },
		"later":   func(t testing.TB) { assert.Equal(t, 1, 2, "the Job was replaced") },
	} {
		t.Run(name, func(t *testing.T) { defects.Open(t, "[D0]", "the Job was replaced", story) })
	}
}
