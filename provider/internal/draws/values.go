package draws

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Values are drawn values by the key of their call site. Their JSON form is what is stored; it is secret.
type Values map[string]Value

// WithoutPlaces returns the values without their places.
func (v Values) WithoutPlaces() Values {
	if v == nil {
		return nil
	}
	values := Values{}
	for key, value := range v {
		value.Places = nil
		values[key] = value
	}
	return values
}

// format is the version of the JSON. A reader refuses versions that it does not know. In version 1, values have no places.
const format = 2

// storedValues is the JSON of [Values].
type storedValues struct {
	Version int                    `json:"version"`
	Values  map[string]storedValue `json:"values"`
}

// storedValue is the JSON of a [Value]. A text that is no UTF-8 is kept in base64.
type storedValue struct {
	Text        *string `json:"text,omitempty"`
	Bytes       []byte  `json:"bytes,omitempty"`
	Certificate string  `json:"certificate,omitempty"`
	PrivateKey  string  `json:"privateKey,omitempty"`
	Arguments   string  `json:"arguments,omitempty"`
	Issuer      string  `json:"issuer,omitempty"`
	// Places are absent if they are not known.
	Places *[]string `json:"places,omitempty"`
}

// MarshalJSON writes the values, sorted by key.
func (v Values) MarshalJSON() ([]byte, error) {
	stored := storedValues{format, map[string]storedValue{}}
	for key, value := range v {
		s := storedValue{Certificate: value.Certificate, PrivateKey: value.PrivateKey, Arguments: value.Arguments, Issuer: value.Issuer}
		if value.Places != nil {
			s.Places = &value.Places
		}
		switch {
		case value.Certificate != "" || value.PrivateKey != "":
		case utf8.ValidString(value.Text):
			s.Text = &value.Text
		default:
			s.Bytes = []byte(value.Text)
		}
		stored.Values[key] = s
	}
	return json.Marshal(stored)
}

// UnmarshalJSON reads values, and checks that each is one that its call site could have drawn.
func (v *Values) UnmarshalJSON(data []byte) error {
	read, err := ParseValues(data)
	if err == nil {
		*v = read
	}
	return err
}

// ParseValues reads values from JSON. Its errors quote no value.
func ParseValues(data []byte) (Values, error) {
	var stored storedValues
	var version struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return nil, errors.New("drawn values: this is not their JSON")
	}
	if version.Version < 1 || version.Version > format {
		return nil, fmt.Errorf("drawn values: they are in the format %d, and this version of the provider reads the formats up to %d: "+
			"use the version that wrote them, or a later one", version.Version, format)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&stored); err != nil {
		return nil, errors.New("drawn values: this is not their JSON")
	}
	values := Values{}
	for text, s := range stored.Values {
		k, is := parseKey(text)
		if !is || !drawn[k.function()] {
			return nil, fmt.Errorf("drawn values: %q is no key of one", text)
		}
		value, err := s.value()
		if err == nil {
			err = value.check(k.function())
		}
		if err != nil {
			return nil, fmt.Errorf("drawn values: the one of %q cannot be used: %w", text, err)
		}
		values[text] = value
	}
	return values, nil
}

// value returns the stored value.
func (s storedValue) value() (Value, error) {
	value := Value{Certificate: s.Certificate, PrivateKey: s.PrivateKey, Arguments: s.Arguments, Issuer: s.Issuer}
	if s.Places != nil {
		value.Places = *s.Places
	}
	found := 0
	if s.Text != nil {
		value.Text = *s.Text
		found++
	}
	if s.Bytes != nil {
		value.Text = string(s.Bytes)
		found++
	}
	if s.Certificate != "" {
		found++
	}
	if found != 1 {
		return Value{}, errors.New("it has no value, or more than one")
	}
	return value, nil
}
