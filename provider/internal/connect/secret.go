package connect

// Secret is a text that may hold credentials. It stands behind a pointer, because nothing that prints follows one there: fmt
// shows its address, whatever the verb and wherever the secret is, and slog and JSON do not show more.
type Secret struct{ text *string }

// NewSecret hides a text. Of the empty text it makes the zero Secret.
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
