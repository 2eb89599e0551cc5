package draws

import (
	"maps"
	"slices"
	"text/template"
	"time"
)

// Options say what a [Session] draws, and which values it uses again.
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
	// Source are the templates. They distinguish values that are switched off from values that are gone. Without them, no value counts as
	// gone.
	Source *Source

	// Inherited are values that the same call sites have drawn elsewhere. They are used for any arguments.
	Inherited Values
	// Other is the key of a call site that has another placeholder than the rest of the rendering.
	Other string

	// withheld are the keys of call sites that do not get the values stored under these keys, because the values belong to other places.
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
	// round is the number of renderings before this one: see [Session.Again].
	round int
	// first are the values in use before all rounds. moved are the former keys of the values that have moved since.
	first Values
	moved map[string]string
	// places are the places of the values of this rendering, nil if they are not known. doubtful are the keys of [Session.Doubtful].
	places   map[string][]string
	doubtful []string
	// unsigned are the certificates that should have signed others and could not.
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

// Restart returns the session for the same rendering if something other than drawn values has changed. It keeps the moves so far.
func (s *Session) Restart() *Session {
	again := s.next(s.options)
	again.round = 0
	return again
}

// next is a session that continues this one.
func (s *Session) next(o Options) *Session {
	next := NewSession(o)
	next.round, next.moved, next.first = s.round, maps.Clone(s.moved), s.first
	return next
}

// Rewrite is the function [Rewrite]. Its result is the same for all sessions.
func (s *Session) Rewrite(file, text string) string { return Rewrite(file, text) }

// Funcs returns the functions that rewritten templates call. None of them has the name of a Helm function, so templates that were not
// rewritten draw as always.
func (s *Session) Funcs() template.FuncMap {
	funcs := s.siteFuncs()
	maps.Copy(funcs, s.drawFuncs())
	return funcs
}

// File returns the name of the template that the engine is executing, "" before the first one. An included template does not change it.
func (s *Session) File() string { return s.file }

// Used returns the values to store, each with its places: the values that the rendering has used, except placeholders.
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

// Missing returns the keys without a stored value for the current arguments.
func (s *Session) Missing() []string {
	return s.keys(func(a answer) bool { return a.fate == missing })
}

// Renewed returns the keys of the certificates that are made again, because they are due or their issuer has changed.
func (s *Session) Renewed() []string {
	return s.keys(func(a answer) bool { return a.fate == renewed })
}

// Rotated returns the keys whose stored values are replaced because [Options.Rotate] names them.
func (s *Session) Rotated() []string {
	return s.keys(func(a answer) bool { return a.fate == rotated })
}

// Unmatched returns the patterns of [Options.Rotate] that match no value of the rendering, and no unused value.
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
