package draws

import (
	"maps"
	"slices"
	"text/template"
	"time"
)

// Options say what a [Session] draws, and what it finds again.
type Options struct {
	// Stored are the values of earlier renderings.
	Stored Values
	// Former are values that the last rendering has not used.
	Former Former
	// Rotate names values to draw again: a key, a pattern of keys in which * stands for any text and ? for any character, or
	// a hint, such as password.
	Rotate []string
	// Now is the result of now, and the time at which certificates are renewed. Without it, it is the time of the call.
	Now time.Time
	// Missing says what a draw without a stored value returns.
	Missing Missing
	// Source are the templates, by which values that are switched off are told from those that are gone. Without it, none is gone.
	Source *Source

	// Inherited are values that the same call sites have drawn elsewhere. They count whatever the arguments are.
	Inherited Values
	// Other is the key of a call site that has another placeholder than the rest of the rendering.
	Other string

	// withheld are the keys of call sites that do not get what is stored under them: it belongs to other places.
	withheld map[string]bool
	// reissued are the keys of certificates that are made again because their private keys are not known.
	reissued map[string]bool
}

// Session is one rendering. It is not for concurrent use.
type Session struct {
	options  Options
	patterns []pattern
	answers  map[string]answer
	file     string
	passed   passed
	// round is how many renderings were before this one: see [Session.Again].
	round int
	// first are the values in use before all rounds, moved are the former keys of those that have moved since.
	first Values
	moved map[string]string
	// places are where the values of this rendering are, nil if that is not known. doubtful are the keys of [Session.Doubtful].
	places   map[string][]string
	doubtful []string
	// unsigned are the certificates that were to sign, and could not.
	unsigned map[string]bool
}

// NewSession begins a rendering.
func NewSession(o Options) *Session {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	s := &Session{options: o, answers: map[string]answer{}, first: o.Stored, moved: map[string]string{}, unsigned: map[string]bool{}}
	for _, text := range o.Rotate {
		s.patterns = append(s.patterns, pattern{text: text})
	}
	return s
}

// Restart returns the session for the same rendering where something else than drawn values has changed. It knows what has moved so far.
func (s *Session) Restart() *Session {
	again := s.next(s.options)
	again.round = 0
	return again
}

// next is a session that goes on from this one.
func (s *Session) next(o Options) *Session {
	next := NewSession(o)
	next.round, next.moved, next.first = s.round, maps.Clone(s.moved), s.first
	return next
}

// Rewrite is the function [Rewrite]. Its result is the same for all sessions.
func (s *Session) Rewrite(file, text string) string { return Rewrite(file, text) }

// Funcs returns the functions that rewritten templates call. None of them has the name of a function of Helm's, so templates
// that were not rewritten draw as always.
func (s *Session) Funcs() template.FuncMap {
	funcs := s.siteFuncs()
	maps.Copy(funcs, s.drawFuncs())
	return funcs
}

// File returns the name of the template that the engine executes now, "" before the first. One that others include is not
// it.
func (s *Session) File() string { return s.file }

// Used returns the values to be stored, each with its places: those that the rendering has used, without placeholders.
func (s *Session) Used() Values {
	used := Values{}
	for key, answer := range s.answers {
		if answer.placeholder {
			continue
		}
		value := answer.value
		if s.places != nil {
			value.Places = s.places[key]
		}
		used[key] = value
	}
	return used
}

// Missing returns the keys for which no value was stored, or one for other arguments.
func (s *Session) Missing() []string {
	return s.keys(func(a answer) bool { return a.fate == missing })
}

// Renewed returns the keys of the certificates that are made again, because their time has come or because the one that
// signed them has changed.
func (s *Session) Renewed() []string {
	return s.keys(func(a answer) bool { return a.fate == renewed })
}

// Rotated returns the keys whose stored values are replaced because [Options.Rotate] names them.
func (s *Session) Rotated() []string {
	return s.keys(func(a answer) bool { return a.fate == rotated })
}

// Unmatched returns what of [Options.Rotate] names nothing that the rendering has drawn, and nothing that waits for its return.
func (s *Session) Unmatched() []string {
	var unmatched []string
	forgotten := s.Forgotten()
	for _, p := range s.patterns {
		if !p.matched && !slices.ContainsFunc(forgotten, p.matches) {
			unmatched = append(unmatched, p.text)
		}
	}
	return unmatched
}

func (s *Session) keys(which func(answer) bool) []string {
	var keys []string
	for key, answer := range s.answers {
		if which(answer) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
