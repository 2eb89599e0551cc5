package draws

import (
	"maps"
	"slices"
	"strings"
)

// mostRounds is how many renderings may follow the first one. A value that moves can be the argument of another draw, whose
// value is found only then; charts do not nest them deeper.
const mostRounds = 4

// Again returns the session for another rendering of the same templates, in which call sites that have moved have their
// values. It is nil if there are none, and the rendering is final. Only after a rendering is it known which stored values
// nobody has asked for.
func (s *Session) Again() *Session {
	if s.round == mostRounds || s.options.Missing.exchanges {
		return nil
	}
	moved := s.moved()
	if len(moved) == 0 {
		return nil
	}
	options := s.options
	options.Stored = maps.Clone(options.Stored)
	for _, from := range moved {
		delete(options.Stored, from)
	}
	for to, from := range moved {
		options.Stored[to] = s.options.Stored[from]
	}
	again := NewSession(options)
	again.round = s.round + 1
	return again
}

// Stored returns the stored values under the keys of this session: [Options.Stored], and after [Session.Again] what has
// moved under its new keys. Other renderings of the same templates can begin with it.
func (s *Session) Stored() Values { return s.options.Stored }

// moved finds stored values that nobody has asked for, for keys without one. It returns the old keys by the new ones.
func (s *Session) moved() map[string]string {
	free, wanting := map[string]candidate{}, map[string]candidate{}
	for text, value := range s.options.Stored {
		if answer, asked := s.answers[text]; asked && answer.fate != missing {
			continue
		}
		if k, is := parseKey(text); is {
			free[text] = candidate{k, value.Arguments}
		}
	}
	deepest := 0
	for text, answer := range s.answers {
		if k, is := parseKey(text); is && answer.fate == missing {
			wanting[text] = candidate{k, answer.value.Arguments}
			deepest = max(deepest, len(k.place))
		}
	}
	// What has most in common goes first: the object, then the end of the place.
	moved := map[string]string{}
	for _, sameObject := range []bool{true, false} {
		for depth := deepest + 1; depth >= 0 && len(free) > 0 && len(wanting) > 0; depth-- {
			offers := map[string][]string{}
			for _, from := range slices.Sorted(maps.Keys(free)) {
				if agreed, has := free[from].agreement(sameObject, depth); has {
					offers[agreed] = append(offers[agreed], from)
				}
			}
			for _, to := range slices.Sorted(maps.Keys(wanting)) {
				agreed, _ := wanting[to].agreement(sameObject, depth)
				if offered := offers[agreed]; len(offered) > 0 {
					moved[to], offers[agreed] = offered[0], offered[1:]
					delete(free, offered[0])
					delete(wanting, to)
				}
			}
		}
	}
	return moved
}

// candidate is a key that has lost its value, or a value that has lost its key.
type candidate struct {
	key
	arguments string
}

// agreement is what two candidates must have in common. The keys of loops belong to it at any depth: the password of a user
// does not go to another one. It says whether the place is as deep as that.
func (c candidate) agreement(sameObject bool, depth int) (string, bool) {
	common := []string{c.hint, c.call, c.loops(), c.arguments}
	if sameObject {
		common = append(common, c.object)
	}
	if depth > len(c.place)+1 {
		return "", false
	}
	if depth > 0 {
		common = append(common, c.number)
		common = append(common, c.place[len(c.place)+1-depth:]...)
	}
	return strings.Join(common, "\n"), true
}
