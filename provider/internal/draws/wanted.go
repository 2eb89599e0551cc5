package draws

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Wanted is a value for which a rendering has a placeholder.
type Wanted struct {
	Key string
	// Placeholder is the text that stands for it; empty for certificates.
	Placeholder string

	value Value
}

// Wanted returns the values for which there are placeholders, sorted by key.
func (s *Session) Wanted() (wanted []Wanted) {
	for _, key := range slices.Sorted(maps.Keys(s.answers)) {
		if answer := s.answers[key]; answer.placeholder {
			wanted = append(wanted, Wanted{key, answer.value.Text, answer.value})
		}
	}
	return wanted
}

// alphabets are what functions draw from. What others draw is not taken from a text.
var alphabets = map[string]*regexp.Regexp{
	"randAlphaNum": regexp.MustCompile(`^[A-Za-z0-9]+$`),
	"randAlpha":    regexp.MustCompile(`^[A-Za-z]+$`),
	"randNumeric":  regexp.MustCompile(`^[0-9]+$`),
	"randAscii":    regexp.MustCompile(`^[ -~]+$`),
	"randBytes":    regexp.MustCompile(`^[A-Za-z0-9+/]+=*$`),
	"uuidv4":       regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`),
	"bcrypt":       regexp.MustCompile(`^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$`),
	"htpasswd":     regexp.MustCompile(`^[^:]*:\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$`),
}

// IsText says whether the value can be told by a text.
func (w Wanted) IsText() bool {
	k, is := parseKey(w.Key)
	return is && alphabets[k.function()] != nil && len(w.Placeholder) >= longEnough
}

// IsShownIn says whether a text has what stands for the value, or a part of it.
func (w Wanted) IsShownIn(text string) bool {
	return slices.ContainsFunc([]string{w.value.Text, w.value.Certificate, w.value.PrivateKey}, func(part string) bool {
		return len(part) >= longEnough && strings.Contains(text, strings.TrimSpace(part))
	})
}

// As returns a text as the value, if its call could have drawn it.
func (w Wanted) As(text string) (Value, bool) {
	k, _ := parseKey(w.Key)
	alphabet := alphabets[k.function()]
	if alphabet == nil || len(text) != len(w.Placeholder) || !alphabet.MatchString(text) {
		return Value{}, false
	}
	if user, _, _ := strings.Cut(w.Placeholder, ":"); k.function() == "htpasswd" && !strings.HasPrefix(text, user+":") {
		return Value{}, false
	}
	value := w.value
	value.Text = text
	return value, true
}
