package draws

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Shape is the structure of a text: values for which there are placeholders, and the text between them. It finds the values in another
// text that was made in the same way.
type Shape []segment

// Part is a value in a text, or one of the two halves of a certificate.
type Part struct {
	Key  string
	half half
}

type half int

const (
	whole half = iota
	certificateHalf
	keyHalf
)

// segment is a part of a text: one or more values, a text in base64, or a literal text.
type segment struct {
	// of are the values that the segment may be: several can have the same placeholder. length is their length. It is 0 for values that end
	// where a PEM block or a number ends.
	of     []Part
	length int
	pem    bool
	// inner is the shape of the encoded text.
	inner Shape
	// literal is a text. It is free if it depends on values in another way, such as a checksum: then only its length must match.
	literal string
	free    bool
}

// encodedRun finds what may be a text in base64.
var encodedRun = regexp.MustCompile(`[A-Za-z0-9+/]{8,}={0,2}`)

// deepestEncoding is how many times a text may be encoded in base64.
const deepestEncoding = 3

// ShapeOf returns the shape of a text.
func ShapeOf(text string, wanted []Wanted) Shape {
	return shapeOf(text, placeholdersOf(wanted), deepestEncoding)
}

// stand is a placeholder with the segment that it stands for.
type stand struct {
	text string
	segment
	// alone means that the placeholder is too short to be recognised unless it is the whole text.
	alone bool
}

// placeholdersOf are the placeholders of values, each listed once.
func placeholdersOf(wanted []Wanted) (stands []stand) {
	add := func(text string, of Part, pem bool) {
		if text = strings.TrimSpace(text); text == "" {
			return
		}
		at := slices.IndexFunc(stands, func(one stand) bool { return one.text == text })
		if at < 0 {
			at = len(stands)
			stands = append(stands, stand{text: text, segment: segment{length: len(text), pem: pem}, alone: len(text) < longEnough})
		}
		stands[at].of = append(stands[at].of, of)
	}
	for _, w := range wanted {
		add(w.value.Text, Part{w.Key, whole}, strings.HasPrefix(w.value.Text, pemBegin))
		add(w.value.Certificate, Part{w.Key, certificateHalf}, true)
		add(w.value.PrivateKey, Part{w.Key, keyHalf}, true)
		if k, _ := parseKey(w.Key); k.function() == "randInt" {
			for i := range stands {
				if slices.Contains(stands[i].of, Part{w.Key, whole}) {
					stands[i].length = 0
				}
			}
		}
	}
	return stands
}

func shapeOf(text string, stands []stand, depth int) (shape Shape) {
	rest := text
	for rest != "" {
		at, found := len(rest), stand{}
		for _, one := range stands {
			i := strings.Index(rest, one.text)
			if i < 0 || i >= at || one.alone && strings.TrimSpace(text) != one.text {
				continue
			}
			at, found = i, one
		}
		shape = append(shape, between(rest[:at], stands, depth)...)
		if found.text == "" {
			break
		}
		shape = append(shape, found.segment)
		rest = rest[at+len(found.text):]
	}
	return shape
}

// between is the shape of a text that contains placeholders only in base64.
func between(text string, stands []stand, depth int) (shape Shape) {
	last := 0
	for _, run := range encodedRun.FindAllStringIndex(text, -1) {
		decoded, is := decodedOf(text[run[0]:run[1]])
		if !is || depth == 0 {
			continue
		}
		if inner := shapeOf(decoded, stands, depth-1); len(inner.Parts()) > 0 {
			if run[0] > last {
				shape = append(shape, segment{literal: text[last:run[0]]})
			}
			shape = append(shape, segment{inner: inner})
			last = run[1]
		}
	}
	if last < len(text) {
		shape = append(shape, segment{literal: text[last:]})
	}
	return shape
}

// decodedOf decodes base64 as templates encode it.
func decodedOf(text string) (string, bool) {
	decoded, err := base64.StdEncoding.Strict().DecodeString(text)
	return string(decoded), err == nil
}

// shows reports whether a text contains another one, in base64 or not.
func shows(text, needle string) bool {
	return len(shapeOf(text, []stand{{text: needle, segment: segment{of: []Part{{}}, length: len(needle)}}}, deepestEncoding).Parts()) > 0
}

// Parts are the values in the text.
func (s Shape) Parts() (parts []Part) {
	for _, one := range s {
		parts = append(parts, one.of...)
		parts = append(parts, one.inner.Parts()...)
	}
	return parts
}

// With returns what the shape has in common with the shape of the same text in another rendering, which has other placeholders. It reports
// whether both texts are made in the same way.
func (s Shape) With(other Shape) (Shape, bool) {
	if len(s) != len(other) {
		return nil, false
	}
	merged := slices.Clone(s)
	for i := range merged {
		one, theirs := &merged[i], other[i]
		switch {
		case !slices.Equal(one.of, theirs.of) || (one.inner == nil) != (theirs.inner == nil):
			return nil, false
		case one.inner != nil:
			inner, is := one.inner.With(theirs.inner)
			if !is {
				return nil, false
			}
			one.inner = inner
		case len(one.of) == 0 && one.literal != theirs.literal:
			if len(one.literal) != len(theirs.literal) {
				return nil, false
			}
			one.free = true
		}
	}
	return merged, true
}

// Shown is the text in the place of a value.
type Shown struct {
	Part
	Text string
}

// In returns the values in another text. It reports whether the text has this shape.
func (s Shape) In(text string) (found []Shown, is bool) {
	for _, one := range s {
		end, in, is := one.in(text)
		if !is {
			return nil, false
		}
		found, text = append(found, in...), text[end:]
	}
	if text != "" {
		return nil, false
	}
	return found, true
}

// in finds one segment at the beginning of a text, and returns where it ends.
func (s segment) in(text string) (end int, found []Shown, is bool) {
	switch {
	case s.inner != nil:
		return s.encodedIn(text)
	case len(s.of) == 0 && s.free:
		return len(s.literal), nil, len(text) >= len(s.literal)
	case len(s.of) == 0:
		return len(s.literal), nil, strings.HasPrefix(text, s.literal)
	}
	end = s.valueEnd(text)
	for _, part := range s.of {
		found = append(found, Shown{part, text[:end]})
	}
	return end, found, end > 0
}

// encodedIn is [segment.in] for a text in base64.
func (s segment) encodedIn(text string) (end int, found []Shown, is bool) {
	run := encodedRun.FindStringIndex(text)
	if run == nil || run[0] > 0 {
		return 0, nil, false
	}
	decoded, is := decodedOf(text[:run[1]])
	if !is {
		return 0, nil, false
	}
	found, is = s.inner.In(decoded)
	return run[1], found, is
}

// valueEnd returns the end of the value at the beginning of a text; 0 if there is none.
func (s segment) valueEnd(text string) int {
	switch {
	case s.pem:
		return pemEnd(text)
	case s.length > len(text):
		return 0
	case s.length > 0:
		return s.length
	default:
		return len(text) - len(strings.TrimLeft(strings.TrimPrefix(text, "-"), "0123456789"))
	}
}

// pemBegin is how a key or a certificate begins.
const pemBegin = "-----BEGIN "

// pemEnd returns the end of the key or certificate at the beginning of a text; 0 if there is none.
func pemEnd(text string) int {
	kind, _, is := strings.Cut(strings.TrimPrefix(text, pemBegin), "-----\n")
	if !is || !strings.HasPrefix(text, pemBegin) {
		return 0
	}
	last := "-----END " + kind + "-----"
	at := strings.Index(text, last)
	if at < 0 {
		return 0
	}
	return at + len(last)
}

// number reads a whole number.
func number(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && strconv.Itoa(n) == text
}
