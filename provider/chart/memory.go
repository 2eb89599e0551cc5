package chart

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

// memory is what the record of a release remembers from one run to the next.
type memory struct {
	// HashKey is the key of the hashes of the release. Without one, nothing is remembered yet, as in the first preview.
	HashKey string `json:"hashKey"`
	// Namespace is where the release is, and Name what it is called there.
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	// Draws are the values that templates have drawn, Former those that they no longer use.
	Draws  draws.Values `json:"draws"`
	Former draws.Former `json:"former,omitempty"`
	// Own stand for the objects of the release, which are not there for lookup.
	Own []string `json:"own,omitempty"`
	// LooksUp means that what is rendered depends on what is found in the cluster.
	LooksUp bool `json:"looksUp,omitempty"`
	// Found are objects of the release itself, as templates found them by lookup when the release was taken over, or for the first time
	// after that.
	Found map[string]map[string]any `json:"found,omitempty"`
	// Hooks says since when the release has a hook: by the names of the Tasks, and by the keys of hooks that do not run.
	Hooks map[string]since `json:"hooks,omitempty"`
	// Tasks are the names of the Tasks of hooks, without that of the component.
	Tasks []string `json:"tasks,omitempty"`
	// Rotated are the patterns that have been drawn again.
	Rotated []string `json:"rotated,omitempty"`
	// Adopted means that the release was taken over from someone else, and so never installed here.
	Adopted bool `json:"adopted,omitempty"`
	// Installing means that no update has come to the end of the release yet, so that the next one is still its install.
	Installing bool `json:"installing,omitempty"`
	// Left is where the release was before that, if it was somewhere.
	Left *left `json:"left,omitempty"`
	// Event is the number of the last event, which tells it from all others. Those before events had numbers have 0.
	Event int `json:"event,omitempty"`
	// Ended is the last event before that one which has come to its end.
	Ended int `json:"ended,omitempty"`
	// Rendered stands for what that event has brought, or brings if it has not come to its end. Older states do not have it.
	Rendered string `json:"rendered,omitempty"`
	// Upgrading means that the event is an upgrade that has not come to its end.
	Upgrading bool `json:"upgrading,omitempty"`
	// Unsure means that it is not known what that upgrade changes.
	Unsure bool `json:"unsure,omitempty"`
	// Moving means that no update has come to the end of the release since it got another name or namespace, so that what stays as it was
	// installed may not have followed it yet.
	Moving bool `json:"moving,omitempty"`

	// changing means that this is a preview, and that the update will change the record. brought means that the engine brings the release to
	// what the program says, and does not only read it.
	changing, brought bool

	// dropped are the keys of values that are forgotten with this memory. warnings say what becomes of values of a release that is taken
	// over. They are not remembered.
	dropped, warnings []string
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

// withoutPlaces is the memory without what is known of where values are, which earlier versions of the provider did not remember.
func (m memory) withoutPlaces() memory {
	m.Draws = m.Draws.WithoutPlaces()
	var former draws.Former
	for _, values := range m.Former {
		former = append(former, values.WithoutPlaces())
	}
	m.Former = former
	return m
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

// left is the place that a release has left before it came to the end of its install in another one, with its hooks there.
type left struct {
	Namespace string           `json:"namespace"`
	Name      string           `json:"name"`
	Hooks     map[string]since `json:"hooks,omitempty"`
	Rendered  string           `json:"rendered,omitempty"`
	Upgrading bool             `json:"upgrading,omitempty"`
}

// at is the memory of a release at a place. Where it has another name or namespace, it is installed: it has no hook from before. Where it
// goes back to before that has come to its end, it never was away, but for an upgrade there that begins again.
func (m memory) at(place chart.Release, adopt bool) memory {
	moved := m.isElsewhere(place)
	m.Moving = m.Moving || moved
	switch {
	case !moved || adopt:
	case m.hasLeft(place):
		m = m.next()
		m.Hooks, m.Rendered, m.Upgrading = m.Left.Hooks, m.Left.Rendered, m.Left.Upgrading
		m.Installing, m.Left = false, nil
	default:
		if !m.Installing {
			m.Left = &left{m.Namespace, m.Name, m.Hooks, m.Rendered, m.Upgrading}
		}
		m = m.next()
		m.Hooks, m.Installing, m.Upgrading, m.Unsure = nil, true, false, false
	}
	return m
}

// isElsewhere reports whether a release has another name or namespace.
func (m memory) isElsewhere(place chart.Release) bool {
	return m.Name != "" && m.Name != place.Name || m.Namespace != "" && m.Namespace != place.Namespace
}

// hasLeft reports whether a release was at a place before it came to the end of its install in another one.
func (m memory) hasLeft(place chart.Release) bool {
	return m.Left != nil && m.Left.Name == place.Name && m.Left.Namespace == place.Namespace
}

// movesTo reports whether a release is going to be installed at a place, where it has not been before.
func (m memory) movesTo(place chart.Release, adopt bool) bool {
	return m.isElsewhere(place) && !adopt && !m.hasLeft(place)
}

// since says since when the release has a hook in a stage. adopt is the input. What runs counts as new if it had no Task in the last
// run: it may have been skipped meanwhile, or have another name or another stage now, and must not run as if the release were new.
func (m memory) since(h hook, s stage, adopt bool) since {
	name := h.nameIn(s)
	when, before := m.Hooks[name]
	switch {
	case m.isInstalled() && (!before || h.runs() && !m.hasTask(name)):
		return atUpgrade
	case before:
		return when
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

// hasTask reports whether there was a Task with this name in the last run.
func (m memory) hasTask(name string) bool { return slices.Contains(m.Tasks, name) }

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
