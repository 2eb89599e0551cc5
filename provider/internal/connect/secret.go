package connect

// Secret is a text that may hold credentials. It is behind a pointer that no formatter follows: fmt shows its address,
// with any verb and at any depth, and slog and JSON show no more.
type Secret struct{ text *string }

// NewSecret hides a text. For the empty text it returns the zero Secret.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{&text}
}

func (s Secret) isSet() bool { return s.text != nil }

func (s Secret) reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}
