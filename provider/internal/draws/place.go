package draws

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
)

// Text is a text that templates have made, with its place.
type Text struct {
	// Object names the object, relative to the release, such as Secret/*-auth. Field names the text in it, such as data.password.
	Object, Field string
	Text          string
}

// A place is where a value is rendered: an object and a field in it and, if the text contains more than the value, what distinguishes the
// value from others in that text. A value that appears nowhere has a place without an object, if its element distinguishes it from others.
const (
	fieldMark = " "
	partMark  = " | "
	// elementMark precedes what distinguishes an element of a list that is identified by its position. Older states do not have it.
	elementMark = " % "
	// besideMark ends the place of a value that appears nowhere itself, and is drawn beside one that does.
	besideMark = " &"
	// secretPlaces is the prefix of places in Secrets. If a value has such a place, its other places do not count: they only repeat the
	// Secret.
	secretPlaces = "Secret/"
)

const (
	// longEnough is how many characters of a value are looked for in a text. A shorter match may be a coincidence.
	longEnough = 8
	// mostPlaces is how many places of a value are remembered.
	mostPlaces = 32
)

// needles are what a value looks like in a text, in lower case: templates may change the case, and cut off the end.
func (v Value) needles() (needles []string) {
	for _, text := range []string{v.Certificate, v.PrivateKey, v.Text} {
		if text = strings.ToLower(strings.TrimSpace(text)); text != "" {
			needles = append(needles, text)
		}
	}
	return needles
}

// same reports whether two values are equal, wherever they are.
func (v Value) same(other Value) bool {
	return v.Text == other.Text && v.Certificate == other.Certificate && v.PrivateKey == other.PrivateKey
}

// find finds the places of the values of this rendering, by the keys of their call sites.
func (s *Session) find(texts []Text) map[string][]string {
	found := map[string][]string{}
	for _, text := range texts {
		plain := []string{text.Text}
		if decoded, err := base64.StdEncoding.DecodeString(text.Text); err == nil && len(decoded) > 0 {
			plain = append(plain, string(decoded))
		}
		for i, one := range plain {
			plain[i] = strings.ToLower(strings.TrimSpace(one))
		}
		for key, answer := range s.answers {
			if place := answer.placeIn(key, text, plain); place != "" {
				found[key] = append(found[key], place)
			}
		}
	}
	s.inherit(found)
	s.beside(found)
	for key, answer := range s.answers {
		if place := answer.part(key); len(found[key]) == 0 && strings.Contains(place, elementMark) {
			found[key] = []string{place}
		}
		places := append([]string{}, found[key]...)
		slices.Sort(places)
		places = slices.Compact(places)
		found[key] = places[:min(len(places), mostPlaces)]
	}
	return found
}

// placeIn returns the place of a value if a text contains it. plain is the text in lower case, and also decoded.
func (a answer) placeIn(text string, in Text, plain []string) string {
	k, isKey := parseKey(text)
	for _, needle := range a.value.needles() {
		begin := needle
		if !strings.Contains(needle, "\n") && !k.isHash() { // all PEM keys begin alike, and so do all hashes
			begin = needle[:min(len(needle), longEnough)]
		}
		for _, one := range plain {
			switch {
			case one == needle && len(needle) < longEnough:
				if isKey && (in.Field == k.hint || strings.HasSuffix(in.Field, "."+k.hint)) {
					return in.Object + fieldMark + in.Field
				}
			case len(needle) < longEnough || !strings.Contains(one, begin):
			case len(one) <= len(needle):
				return in.Object + fieldMark + in.Field
			default:
				return in.Object + fieldMark + in.Field + a.part(text)
			}
		}
	}
	return ""
}

// part distinguishes a value from others in one text.
func (a answer) part(text string) string {
	k, _ := parseKey(text)
	part := partMark + k.hint + k.loops()
	if a.element != "" && k.isByPosition() {
		part += elementMark + a.element
	}
	return part
}

// inherit handles values that no text contains, such as the password of a hash or the authority of a certificate: they get the places of
// what is made of them.
func (s *Session) inherit(found map[string][]string) {
	for range mostRounds {
		inherited := map[string][]string{}
		for key, answer := range s.answers {
			if len(found[key]) > 0 {
				continue
			}
			for other, made := range s.answers {
				if other != key && len(found[other]) > 0 && answer.isIn(made) {
					inherited[key] = append(inherited[key], besideAll(found[other])...)
				}
			}
		}
		if len(inherited) == 0 {
			return
		}
		maps.Copy(found, inherited)
	}
}

// beside handles values that appear nowhere: they get the places of the values that are drawn in the same file or call of a definition.
func (s *Session) beside(found map[string][]string) {
	keys, seen := map[string]key{}, map[string][]string{}
	for text := range s.answers {
		if k, is := parseKey(text); is {
			keys[text] = k
		}
		if len(found[text]) > 0 {
			seen[text] = found[text]
		}
	}
	for text, k := range keys {
		if len(seen[text]) > 0 {
			continue
		}
		for other, places := range seen {
			if theirs := keys[other].place; len(theirs) < len(k.place) || !slices.Equal(theirs[:len(k.place)], k.place) {
				continue
			}
			found[text] = append(found[text], besideAll(places)...)
		}
	}
}

// besideAll are the places of a value that is drawn beside one with these places.
func besideAll(places []string) (beside []string) {
	for _, place := range places {
		beside = append(beside, strings.TrimSuffix(place, besideMark)+besideMark)
	}
	return beside
}

// isIn reports whether a value was an argument of the draw of another value.
func (a answer) isIn(made answer) bool {
	if a.value.Certificate != "" {
		return made.value.Issuer != "" && made.value.Issuer == issuerOf(a.value.Certificate)
	}
	return len(a.value.Text) >= longEnough && slices.ContainsFunc(made.arguments, func(text string) bool { return strings.Contains(text, a.value.Text) })
}

// issuerOf identifies a certificate in those that it has signed.
func issuerOf(certificate string) string {
	sum := sha256.Sum256([]byte(certificate))
	return hex.EncodeToString(sum[:16])
}

// decisive are the places that decide to whom a value belongs.
func decisive(places []string) []string {
	var secret []string
	for _, place := range places {
		if strings.HasPrefix(place, secretPlaces) {
			secret = append(secret, place)
		}
	}
	if len(secret) > 0 {
		return secret
	}
	return places
}

// objectOf is the object of a place.
func objectOf(place string) string {
	object, _, _ := strings.Cut(place, fieldMark)
	return object
}

// isPlace reports whether two places are the same. A value that is drawn beside another matches the whole field. If only one of the places
// names an element, the element is ignored.
func isPlace(one, other string) bool {
	if one == other {
		return true
	}
	mine, _, isMine := strings.Cut(one, elementMark)
	theirs, _, isTheirs := strings.Cut(other, elementMark)
	if isMine != isTheirs && mine == theirs {
		return true
	}
	return (strings.HasSuffix(one, besideMark) || strings.HasSuffix(other, besideMark)) && fieldOf(one) == fieldOf(other)
}

// fieldOf is the object and the field of a place.
func fieldOf(place string) string {
	field, _, _ := strings.Cut(strings.TrimSuffix(place, besideMark), partMark)
	return field
}

// within reports whether each of some places is among others.
func within(some, others []string) bool {
	return !slices.ContainsFunc(some, func(place string) bool { return !meet([]string{place}, others) })
}

// meet reports whether any of some places is among others.
func meet(some, others []string) bool {
	return slices.ContainsFunc(some, func(place string) bool {
		return slices.ContainsFunc(others, func(other string) bool { return isPlace(place, other) })
	})
}
