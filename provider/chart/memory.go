package chart

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

// memory is what the record of a release remembers from one run to the next.
type memory struct {
	// HashKey is the key of the hashes of the release. Without one, nothing is remembered yet, as in the first preview.
	HashKey string `json:"hashKey"`
	// Draws are the values that templates have drawn.
	Draws draws.Values `json:"draws"`
	// Found are objects of the release itself, as templates found them by lookup when the release was taken over.
	Found map[string]map[string]any `json:"found,omitempty"`
	// Hooks says of each hook since when the release has it.
	Hooks map[string]since `json:"hooks,omitempty"`
	// Tasks are the names of the Tasks of hooks, without that of the component.
	Tasks []string `json:"tasks,omitempty"`
	// Rotated are the patterns that have been drawn again.
	Rotated []string `json:"rotated,omitempty"`
	// Adopted means that the release was taken over from someone else, and so never installed here.
	Adopted bool `json:"adopted,omitempty"`
	// Installing means that no update has come to the end of the release yet, so that the next one is still its install.
	Installing bool `json:"installing,omitempty"`
}

// since says when a release got a hook. That decides whether the hook runs when its Task is created.
type since string

const (
	// atInstall: the hooks of installs run.
	atInstall since = "install"
	// atAdoption: there was no install, so the first run is that of the next upgrade.
	atAdoption since = "adoption"
	// atUpgrade: the hook is of a later version of the chart, so the hooks of upgrades run, and those of installs never do.
	atUpgrade since = "upgrade"
)

// known reports whether anything is remembered.
func (m memory) known() bool { return m.HashKey != "" }

// encode writes the memory as text.
func (m memory) encode() (string, error) {
	text, err := json.Marshal(m)
	return string(text), err
}

// errMemory says what is wrong with a state that cannot be read, without quoting it.
var errMemory = errors.New("what the state remembers of the release is not readable: restore the state from a backup, or from the history of the backend")

// decodeMemory reads what encode writes. There is no memory in an empty text.
func decodeMemory(text string) (m memory, err error) {
	if text == "" {
		return memory{}, nil
	}
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch err = json.Unmarshal([]byte(text), &m); {
	case errors.As(err, &syntax), errors.As(err, &mismatch):
		return memory{}, errMemory
	case err != nil:
		return memory{}, fmt.Errorf("%w: %w", errMemory, err)
	default:
		return m, nil
	}
}

// since says since when the release has a hook. adopt is the input.
func (m memory) since(h hook, adopt bool) since {
	when, before := m.Hooks[h.key]
	switch {
	case before && h.runs() && m.isInstalled() && !m.hasTask(h.key):
		return atUpgrade // It was skipped meanwhile, and must not run as if the release were new.
	case before:
		return when
	case m.isInstalled():
		return atUpgrade
	case !m.known() && adopt:
		return atAdoption
	default:
		return atInstall
	}
}

// isInstalled reports whether the release has been there as a whole, in this program or where it was taken over from.
func (m memory) isInstalled() bool { return m.known() && !m.Installing }

// isInstalling reports whether the next update is an install, or goes on with one. adopt is the input.
func (m memory) isInstalling(adopt bool) bool { return m.Installing || !m.known() && !adopt }

// hasTask reports whether a hook had a Task in the last run.
func (m memory) hasTask(key string) bool {
	return slices.Contains(m.Tasks, key) || slices.Contains(m.Tasks, key+afterSuffix)
}

// toRotate are the patterns that have not been drawn again yet.
func (m memory) toRotate(wanted []string) (patterns []string) {
	for _, pattern := range wanted {
		if m.known() && !slices.Contains(m.Rotated, pattern) {
			patterns = append(patterns, pattern)
		}
	}
	return patterns
}

// isAdopted reports whether the release is or was taken over. adopt is the input.
func (m memory) isAdopted(adopt bool) bool { return m.Adopted || !m.known() && adopt }
