package draws

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Wanted is a value for which a rendering has a placeholder.
type Wanted struct {
	Key string

	value Value
}

// Wanted returns the values for which there are placeholders, sorted by key.
func (s *Session) Wanted() (wanted []Wanted) {
	for _, key := range slices.Sorted(maps.Keys(s.answers)) {
		if answer := s.answers[key]; answer.placeholder {
			wanted = append(wanted, Wanted{key, answer.value})
		}
	}
	return wanted
}

// Placeholder is the value's placeholder.
func (w Wanted) Placeholder() Value { return w.value }

// Keyless returns the keys of the certificates whose private keys are not known.
func (s *Session) Keyless() []string {
	return s.keys(func(a answer) bool { return a.keyless })
}

// Depending returns the keys of values that are drawn with other arguments in another rendering.
func (s *Session) Depending(other *Session) (keys []string) {
	for key, answer := range s.answers {
		if theirs, is := other.answers[key]; !is || theirs.value.Arguments != answer.value.Arguments || theirs.value.Issuer != answer.value.Issuer {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// alphabets are the texts that functions can draw. The values of other functions are not taken from a text.
var alphabets = map[string]*regexp.Regexp{
	"randAlphaNum": regexp.MustCompile(`^[A-Za-z0-9]+$`),
	"randAlpha":    regexp.MustCompile(`^[A-Za-z]+$`),
	"randNumeric":  regexp.MustCompile(`^[0-9]+$`),
	"randAscii":    regexp.MustCompile(`^[ -~]+$`),
	"randBytes":    regexp.MustCompile(`^[A-Za-z0-9+/]+=*$`),
	"encryptAES":   regexp.MustCompile(`^[A-Za-z0-9+/]+=*$`),
	"shuffle":      regexp.MustCompile(`^(?s:.+)$`),
	"uuidv4":       regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`),
	"bcrypt":       regexp.MustCompile(`^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$`),
	"htpasswd":     regexp.MustCompile(`^[^:]*:\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$`),
}

// From returns the value that fields show, if its call could have drawn it. It returns none if they show different ones. A certificate may
// lack its private key.
func (w Wanted) From(shown []Shown) (Value, bool) {
	texts := map[half]string{}
	for _, one := range shown {
		if one.Key != w.Key {
			continue
		}
		if text, twice := texts[one.half]; twice && text != one.Text {
			return Value{}, false
		}
		texts[one.half] = one.Text
	}
	if w.value.Certificate != "" {
		return w.pair(texts[certificateHalf], texts[keyHalf])
	}
	text, is := texts[whole]
	if !is {
		return Value{}, false
	}
	return w.text(text)
}

// text returns a value that is no certificate.
func (w Wanted) text(text string) (Value, bool) {
	k, _ := parseKey(w.Key)
	switch {
	case k.function() == "randInt":
		least, bound := w.bounds()
		n, is := number(text)
		return Value{Text: text}, is && n >= least && n < bound
	case k.function() == "genPrivateKey":
		text += "\n"
		wanted, _ := pem.Decode([]byte(w.value.Text))
		block, rest := pem.Decode([]byte(text))
		fits := wanted != nil && block != nil && len(rest) == 0 && block.Type == wanted.Type && string(pem.EncodeToMemory(block)) == text
		return Value{Text: text}, fits
	}
	alphabet := alphabets[k.function()]
	if alphabet == nil || len(text) != len(w.value.Text) || !alphabet.MatchString(text) {
		return Value{}, false
	}
	if user, _, _ := strings.Cut(w.value.Text, ":"); k.function() == "htpasswd" && !strings.HasPrefix(text, user+":") {
		return Value{}, false
	}
	return Value{Text: text}, true
}

// bounds are the bounds of a whole number.
func (w Wanted) bounds() (least, bound int) {
	k, _ := parseKey(w.Key)
	numbers := strings.Fields(k.call)
	if len(numbers) != 3 {
		return 0, 0
	}
	least, _ = number(numbers[1])
	bound, _ = number(numbers[2])
	return least, bound
}

// pair returns a certificate, with or without its private key.
func (w Wanted) pair(certificate, key string) (Value, bool) {
	value := Value{Certificate: certificate + "\n"}
	if certificate == "" || !w.isLike(value.Certificate) {
		return Value{}, false
	}
	if key == "" {
		return value, true
	}
	value.PrivateKey = key + "\n"
	_, err := tls.X509KeyPair([]byte(value.Certificate), []byte(value.PrivateKey))
	return value, err == nil
}

// isLike reports whether a certificate is for the same names as its placeholder.
func (w Wanted) isLike(certificate string) bool {
	wanted, err := parseCertificate(w.value.Certificate)
	if err != nil {
		return false
	}
	found, err := parseCertificate(certificate)
	block, rest := pem.Decode([]byte(certificate))
	if err != nil || len(rest) > 0 || string(pem.EncodeToMemory(block)) != certificate {
		return false
	}
	return bytes.Equal(found.RawSubject, wanted.RawSubject) && found.IsCA == wanted.IsCA && slices.Equal(namesOf(found), namesOf(wanted))
}

// namesOf are the names that a certificate is for.
func namesOf(certificate *x509.Certificate) []string {
	names := slices.Clone(certificate.DNSNames)
	for _, address := range certificate.IPAddresses {
		names = append(names, address.String())
	}
	return names
}
