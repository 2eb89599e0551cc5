package rpc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// pasted is what a message says to write for an input that is a list, read out of the message and parsed as the YAML of a program.
func pasted(t testing.TB, message, input string) m {
	t.Helper()
	_, rest, found := strings.Cut(message, input+": [")
	require.True(t, found, "%s: [ is in %q", input, message)
	list := json.NewDecoder(strings.NewReader("[" + rest))
	require.NoError(t, list.Decode(&[]any{}), "in %q", message)
	line := input + ": " + ("[" + rest)[:list.InputOffset()]
	var inputs m
	require.NoError(t, yaml.Unmarshal([]byte(line), &inputs), line)
	return inputs
}

// told is all messages that have a text, as one.
func (s *session) told(text string) string {
	s.t.Helper()
	said := s.process.log.all()
	require.Contains(s.t, said, text)
	return said[strings.Index(said, text):]
}
