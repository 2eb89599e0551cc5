package draws

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
)

// mostAnswers limits the call sites of a rendering. No real chart has that many, but a malicious one may.
const mostAnswers = 10_000

// fate is what happens to a stored value.
type fate int

const (
	kept fate = iota
	missing
	renewed
	rotated
)

// answer is what a call site gets in this rendering.
type answer struct {
	value       Value
	fate        fate
	placeholder bool
	// keyless means that the certificate's private key is not known.
	keyless bool
	// arguments are the texts among those of the call.
	arguments []string
	// element is the element of the scope.
	element string
}

// answer returns the value of a call site: the value that it already got in this rendering, the stored value, or a new one.
func (s *Session) answer(in *scope, site string, d drawing) (reflect.Value, error) {
	if err := d.check(); err != nil {
		return reflect.Value{}, err
	}
	arguments, issuer := d.digest(), d.issuer()
	key := in.place + in.numbered("|"+site+"|"+d.function+d.numbers())
	text := key
	for n := 2; ; n++ {
		told, is := s.answers[text]
		if !is {
			break
		}
		if told.value.Arguments == arguments && told.value.Issuer == issuer {
			return told.value.result(d.resultType())
		}
		// If a file is included with other data than its own, it can reach the same call with other arguments.
		text = key + twiceMark + strconv.Itoa(n)
	}
	if _, is := parseKey(text); !is {
		return reflect.Value{}, errors.New("templates have no call sites of their own") // a chart has called one of our functions itself
	}
	if len(s.answers) == mostAnswers {
		return reflect.Value{}, fmt.Errorf("the templates draw more than %d values", mostAnswers)
	}
	told, err := s.tell(text, arguments, issuer, d)
	if err != nil {
		return reflect.Value{}, err
	}
	told.value.Arguments, told.value.Issuer, told.arguments, told.element = arguments, issuer, d.texts(), in.element
	s.answers[text] = told
	return told.value.result(d.resultType())
}

// tell decides which value a call site gets.
func (s *Session) tell(text, arguments, issuer string, d drawing) (answer, error) {
	if value, is := s.options.Inherited[text]; is {
		return s.inherited(text, value, d)
	}
	stored, fate := s.fate(text, arguments, issuer)
	if authority := d.authority(); fate != kept && s.keyless(authority) {
		s.unsigned[authority] = true
		var err error
		if d, err = d.signedBySomeone(); err != nil {
			return answer{}, err
		}
	}
	if s.options.Missing.replaces(fate) {
		value, err := d.placeholder(text, s.missingAt(text))
		return answer{value: value, fate: fate, placeholder: true}, err
	}
	if fate != kept {
		value, err := d.draw()
		return answer{value: value, fate: fate}, err
	}
	if err := stored.check(d.function); err != nil {
		return answer{}, fmt.Errorf("the stored value of %s cannot be used: %w", text, err)
	}
	return answer{value: stored, fate: fate, keyless: stored.isKeyless()}, nil
}

// inherited is the answer for a value that was drawn elsewhere. As long as more values are looked for, an unknown private key gets a
// placeholder.
func (s *Session) inherited(text string, value Value, d drawing) (answer, error) {
	told := answer{value: value, fate: kept, keyless: value.isKeyless()}
	if told.keyless && s.options.Missing.apart {
		placeholder, err := d.placeholder(text, s.missingAt(text))
		if err != nil {
			return answer{}, err
		}
		told.value.PrivateKey = placeholder.PrivateKey
	}
	return told, nil
}

// missingAt says which placeholder a call site gets.
func (s *Session) missingAt(text string) Missing {
	missing := s.options.Missing
	if text == s.options.Other {
		missing.n++
	}
	return missing
}

// fate returns the stored value of a call site, and what happens to it.
func (s *Session) fate(text, arguments, issuer string) (Value, fate) {
	isRotated := s.rotates(text)
	stored, is := s.stored(text, arguments)
	switch {
	case !is:
		return stored, missing
	case isRotated:
		return stored, rotated
	case stored.Issuer != issuer || s.options.reissued[text] || isDue(stored.Certificate, s.options.Now):
		return stored, renewed
	}
	return stored, kept
}
