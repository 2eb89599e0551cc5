package chart

import "github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"

// left is the place that a release left before its install at another place was complete, with its hooks there.
type left struct {
	Namespace string           `json:"namespace"`
	Name      string           `json:"name"`
	Hooks     map[string]since `json:"hooks,omitempty"`
	Rendered  string           `json:"rendered,omitempty"`
	Upgrading bool             `json:"upgrading,omitempty"`
}

// at is the memory of a release at a place. At a new name or namespace the release is installed, and has no previous hooks. If it returns
// to its former place before that install is complete, it continues as if it had never left, except that an upgrade that was open there
// begins again.
func (m memory) at(place chart.Release) memory {
	moved := m.isElsewhere(place)
	m.Moving = m.Moving || moved
	switch {
	case !moved || m.adopt:
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

// placed is the memory of a release where it is now. moves means that it is going to be installed there. The order matters: adopt decides
// both, and at forgets the place that the release returns to.
func (m memory) placed(r *release) (there memory, moves bool) {
	m.adopt = r.adopt
	moves = m.movesTo(r.release)
	return m.at(r.release), moves
}

// isElsewhere reports whether a release has another name or namespace.
func (m memory) isElsewhere(place chart.Release) bool {
	return m.Name != "" && m.Name != place.Name || m.Namespace != "" && m.Namespace != place.Namespace
}

// hasLeft reports whether a release was installed at a place and has left it, while its install elsewhere is still open.
func (m memory) hasLeft(place chart.Release) bool {
	return m.Left != nil && m.Left.Name == place.Name && m.Left.Namespace == place.Namespace
}

// movesTo reports whether a release is going to be installed at a new place.
func (m memory) movesTo(place chart.Release) bool {
	return m.isElsewhere(place) && !m.adopt && !m.hasLeft(place)
}
