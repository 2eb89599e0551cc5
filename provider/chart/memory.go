package chart

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// memory is what the record of a release remembers from one run to the next.
type memory struct {
	// HashKey is the key for the hashes of the release. While it is empty, nothing is remembered yet, as in the first preview.
	HashKey string `json:"hashKey"`
	// Namespace and Name say where the release is.
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	// Draws are the values that templates have drawn, Former the values that they no longer use.
	Draws  draws.Values `json:"draws"`
	Former draws.Former `json:"former,omitempty"`
	// Own are the marks of the objects of the release, which lookups do not find.
	Own []string `json:"own,omitempty"`
	// LooksUp means that the rendering depends on objects in the cluster.
	LooksUp bool `json:"looksUp,omitempty"`
	// Found are objects of the release itself, as templates found them by lookup when the release was taken over, or when they first asked
	// for them after that.
	Found map[string]map[string]any `json:"found,omitempty"`
	// Hooks says when the release got each hook: by the names of the Tasks, and by the keys of hooks that do not run.
	Hooks map[string]since `json:"hooks,omitempty"`
	// Tasks are the names of the Tasks of hooks, without the name of the component.
	Tasks []string `json:"tasks,omitempty"`
	// Without are the events of a deletion for which the release has never had hooks. Older states do not have it.
	Without []string `json:"without,omitempty"`
	// Rotated are the patterns whose values have been drawn again.
	Rotated []string `json:"rotated,omitempty"`
	// Adopted means that the release was taken over from someone else, and so never installed here.
	Adopted bool `json:"adopted,omitempty"`
	// Installing means that no update has completed the install yet, so the next update continues it.
	Installing bool `json:"installing,omitempty"`
	// Left is the place where the release was installed before the open install, if there was one.
	Left *left `json:"left,omitempty"`

	lastEvent

	// Moving means that the release has a new name or namespace, and no update has completed the move. So objects that are applied only at
	// install may not exist at the new place yet.
	Moving bool `json:"moving,omitempty"`

	// adopt is the input of this name: it decides while nothing is remembered, and where the release moves.
	adopt bool
	// changing means that this is a preview, and that the update will change the record. brought means that the engine changes the release
	// to match the program, and does not merely read it.
	changing, brought bool

	// dropped are the keys of values that this memory no longer contains, drawn the keys of values that are new in it. warnings say what
	// happens to the values of a release that is taken over. None of this is remembered.
	dropped, drawn, warnings []string
}

// since says when a release got a hook. That decides whether the hook runs when its Task is created.
type since string

const (
	// atInstall: the release was installed with the hook, so install hooks run.
	atInstall since = "install"
	// atAdoption: the release was taken over and not installed, so the hook first runs at the next upgrade.
	atAdoption since = "adoption"
	// atUpgrade: the hook came with a later version of the chart, so upgrade hooks run, and install hooks never do.
	atUpgrade since = "upgrade"
)

// exists reports whether anything is remembered.
func (m memory) exists() bool { return m.HashKey != "" }

// encode writes the memory as text.
func (m memory) encode() (string, error) {
	text, err := json.Marshal(m)
	return string(text), err
}

// withoutPlaces is the memory without the places where values are used, because earlier versions of the provider did not remember these.
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

// decodeMemory reads what encode writes. An empty text is an empty memory.
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

// since says when the release got a hook for a stage. A hook that runs counts as new if it had no Task in the last run:
// it may have been skipped meanwhile, or may have another name or stage now, and must not run as if the release were new.
func (m memory) since(h hook, s stage) since {
	name := h.nameIn(s)
	when, before := m.Hooks[name]
	switch {
	case m.isInstalled() && (!before || h.runs() && !m.hasTask(name)):
		return atUpgrade
	case before:
		return when
	case !m.exists() && m.adopt:
		return atAdoption
	default:
		return atInstall
	}
}

// isInstalled reports whether the install of the release, or its adoption as a whole, is complete.
func (m memory) isInstalled() bool { return m.exists() && !m.Installing }

// isInstalling reports whether the next update begins an install or continues one.
func (m memory) isInstalling() bool { return m.Installing || !m.exists() && !m.adopt }

// hasTask reports whether there was a Task with this name in the last run.
func (m memory) hasTask(name string) bool { return slices.Contains(m.Tasks, name) }

// toRotate are the patterns that have not been drawn again yet.
func (m memory) toRotate(wanted []string) (patterns []string) {
	for _, pattern := range wanted {
		if m.exists() && !slices.Contains(m.Rotated, pattern) {
			patterns = append(patterns, pattern)
		}
	}
	return patterns
}

// isAdopted reports whether the release is or was taken over.
func (m memory) isAdopted() bool { return m.Adopted || !m.exists() && m.adopt }

// memoryAfter is the memory after a rendering that is remembered. rotate and found are what the rendering has drawn again, and what it has
// found in objects that are taken over.
func (r *release) memoryAfter(before memory, done *rendered, rotate []string, found inherited) (memory, error) {
	after := memory{
		HashKey: cmp.Or(before.HashKey, tracked.NewHashKey()), Draws: done.used, Former: done.former, Hooks: map[string]since{}, Rotated: rotate,
		Found: before.Found, Adopted: before.isAdopted(), Installing: before.isInstalling(), Left: before.Left, Moving: before.Moving,
		Without:   before.withoutDeletions(done.hooks),
		Namespace: r.release.Namespace, Name: r.release.Name, Own: marks(r.own(done)), LooksUp: r.lookups.asked(),
		lastEvent: before.lastEvent,
		adopt:     r.adopt, dropped: r.shown(done.dropped), drawn: r.shown(done.drawn()), warnings: found.warnings(len(done.used) > 0),
	}
	for name, when := range before.Hooks {
		if !r.runHooks || !before.hasTask(name) {
			after.Hooks[name] = when // Even if the hook is gone, what it left behind belongs to this release.
		}
	}
	for _, h := range done.hooks {
		for _, s := range []stage{beforeObjects, afterObjects} {
			switch {
			case !h.runs():
				after.Hooks[h.nameIn(s)] = h.since[s]
			case len(h.runsOn(s)) > 0:
				after.Hooks[h.nameIn(s)] = h.since[s]
				after.Tasks = append(after.Tasks, h.taskName(s))
			}
		}
	}
	slices.Sort(after.Tasks)
	set, _ := r.setOf(done) // The registration says what is wrong.
	rendered, known, err := after.digest(set)
	if err != nil {
		return memory{}, err
	}
	if known {
		after.lastEvent = before.toward(rendered).lastEvent
	}
	if after.Adopted {
		after.Found = r.lookups.firstFound(r.own(done))
	} else if taken := r.takenOver(done, before); len(taken) > 0 {
		after.Found = r.lookups.firstFoundOrListed(taken)
	}
	return after, nil
}
