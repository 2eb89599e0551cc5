package chart

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// An event is the install or an upgrade of a release. It begins when the record remembers it, before anything else is done. It ends when an
// update has reached the last child of the release and each of the event's hooks has succeeded in it.
//
// An install remains the same event until it is complete, even if the chart is repaired meanwhile. An upgrade to another content is a new
// event, even if it returns to the previous content: its hooks finish what the hooks of the interrupted event began.
//
// Only the last child knows that all others exist. In the next run, it would be registered last again, after everything has been decided.
// That is why the outputs of the record, which is registered first, are registered a second time at the end of the event.

// happening says what kind of event is open: it has begun and is not complete.
type happening string

const (
	nothing  happening = ""
	installs happening = "install"
	upgrades happening = "upgrade"
)

// lastEvent is what the memory says of the last event.
type lastEvent struct {
	// Event is the number of the last event. It is 0 if the state is older than the numbers.
	Event int `json:"event,omitempty"`
	// Ended is the number of the last event before it that was completed.
	Ended int `json:"ended,omitempty"`
	// Rendered stands for the content that the event has brought, or brings while it is open. Older states do not have it.
	Rendered string `json:"rendered,omitempty"`
	// Upgrading means that the event is an upgrade that is not complete.
	Upgrading bool `json:"upgrading,omitempty"`
	// Unsure means that the changes of that upgrade are not known.
	Unsure bool `json:"unsure,omitempty"`
}

// happens says which event is open.
func (m memory) happens() happening {
	switch {
	case m.isInstalling():
		return installs
	case m.Upgrading:
		return upgrades
	default:
		return nothing
	}
}

// toward is the memory while the release is brought to a rendering. A new event begins, unless an install is open, or the last event has
// brought or brings that rendering.
func (m memory) toward(rendered string) memory {
	switch {
	case !m.exists() && !m.adopt:
		m.Event = 1
	case m.isInstalling(), !m.exists(), m.Rendered == rendered:
	default:
		m = m.next()
		m.Upgrading, m.Unsure = true, m.Rendered == ""
	}
	m.Rendered = rendered
	return m
}

// next is the memory when a new event begins, or replaces the open one.
func (m memory) next() memory {
	if !m.Installing && !m.Upgrading {
		m.Ended = m.Event
	}
	m.Event++
	return m
}

// atEnd is the memory when the event is complete.
func (m memory) atEnd() memory {
	m.Installing, m.Upgrading, m.Unsure, m.Moving, m.Left = false, false, false, false, nil
	return m
}

// foresee is the memory that the record will have after a preview. No event begins if the record does not change. unknown means that it
// depends on inputs that are not known yet.
func (m memory) foresee(set sets.Set) (after memory, unknown bool, err error) {
	rendered, known, err := m.digest(set)
	switch {
	case !m.exists():
		return m.toward(""), false, nil
	case err != nil:
		return m, false, err
	case !known:
		return m, m.happens() != installs && m.changing, nil
	case m.changing:
		return m.toward(rendered), false, nil
	default:
		return m, false, nil
	}
}

// digest stands for a rendering. known is false while the rendering depends on values that are not known yet.
func (m memory) digest(set sets.Set) (digest string, known bool, err error) {
	content := map[string]any{}
	for _, list := range [][]sets.Object{set.Objects, set.Apart} {
		for _, o := range list {
			if o.Unknown || values.HasUnknown(o.Manifest) {
				return "", false, nil
			}
			content[o.Key] = o.Manifest
		}
	}
	if set.Incomplete || !m.exists() {
		return "", false, nil
	}
	digest, err = tracked.Hash(m.HashKey, content)
	return digest, true, err
}

// isUnsure reports whether the previous content of the release is unknown, because an older version of the provider has brought it there.
func (m memory) isUnsure() bool { return m.Unsure || m.exists() && !m.Installing && m.Rendered == "" }

// isOf reports whether a hook belongs to a stage of an event.
func (h hook) isOf(what happening, s stage) bool {
	return what == installs && h.has(s.install) || what == upgrades && h.has(s.upgrade)
}

// event is what the Task of a hook learns about the event, in the words of a Task.
func (c *construction) event(h hook, s stage) pulumi.Input {
	if c.unforeseen {
		return pulumi.UnsafeUnknownOutput(nil)
	}
	what := c.memory.happens()
	of := pulumi.Map{
		tracked.EventNumber: pulumi.Int(c.memory.Event), tracked.EventOpen: pulumi.Bool(what != nothing), tracked.EventRuns: pulumi.Bool(h.isOf(what, s)),
		tracked.EventUnsure: pulumi.Bool(c.memory.isUnsure()), tracked.EventEnded: pulumi.Int(c.memory.Ended), tracked.EventStage: pulumi.String(s.String()),
	}
	if !c.memory.isUnsure() { // If it is unsure, each Task decides by itself whether it runs.
		found, left := h.shares(c.hooks, what, s)
		of[tracked.EventFound], of[tracked.EventLeft] = pulumi.ToIntArray(found), pulumi.ToIntArray(left)
	}
	return of
}
