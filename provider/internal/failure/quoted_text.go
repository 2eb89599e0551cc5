package failure

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// quotedAtMost is how often a text is unquoted. Three levels do occur: JSON in a field that the server quotes in Go
// and a proxy puts into JSON again.
const quotedAtMost = 4

// reading is a text after some number of unquotings.
type reading struct {
	text string
	// at maps each byte of text, and its end, to its origin.
	at []int
}

// readings returns a text as it is and unquoted once, twice and so on, as long as that changes it.
func readings(text string) []reading {
	plain := reading{text, make([]int, len(text)+1)}
	for i := range plain.at {
		plain.at[i] = i
	}
	all := []reading{plain}
	for range quotedAtMost {
		next := all[len(all)-1].unquote()
		if next.text == all[len(all)-1].text {
			break
		}
		all = append(all, next)
	}
	return all
}

// unquote decodes the escapes of the text, quoted or not. It drops an escape that the end of the text cuts off.
func (r reading) unquote() reading {
	var decoded strings.Builder
	at := make([]int, 0, len(r.at))
	i := 0
	for i < len(r.text) {
		text, size := unescape(r.text[i:])
		if size == 0 {
			break
		}
		decoded.WriteString(text)
		for range len(text) {
			at = append(at, r.at[i])
		}
		i += size
	}
	return reading{decoded.String(), append(at, r.at[i])}
}

// escapes are the one-character escapes of Go, JSON and YAML together; they agree where they overlap.
var escapes = map[byte]string{
	'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v", '\\': `\`, '"': `"`, '\'': "'",
	'/': "/",
	'0': "\x00", 'e': "\x1b", ' ': " ", 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// digits is the number of hexadecimal digits after the letter of an escape.
var digits = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// unescape decodes the first character of a text and returns how many bytes it took; none for an incomplete escape.
func unescape(text string) (decoded string, size int) {
	switch {
	case text[0] != '\\':
		return text[:1], 1
	case len(text) < 2:
		return "", 0
	}
	if decoded, ok := escapes[text[1]]; ok {
		return decoded, 2
	}
	r, size := hexadecimal(text)
	switch {
	case size == 0:
		return text[:1], 1 // not an escape
	case size > len(text):
		return "", 0
	}
	if low, lowSize := hexadecimal(text[size:]); utf16.IsSurrogate(r) && utf16.IsSurrogate(low) {
		r, size = utf16.DecodeRune(r, low), size+lowSize
	}
	if !utf8.ValidRune(r) {
		return text[:1], 1
	}
	return string(r), size
}

// hexadecimal reads an escape that ends in hexadecimal digits. Its size is zero if there is none, and more than the
// text has if the text ends inside it.
func hexadecimal(text string) (r rune, size int) {
	if len(text) < 2 || text[0] != '\\' || digits[text[1]] == 0 {
		return 0, 0
	}
	size = 2 + digits[text[1]]
	if len(text) < size {
		return 0, size
	}
	code, err := strconv.ParseUint(text[2:size], 16, 64)
	if err != nil {
		return 0, 0
	}
	return rune(min(code, unicode.MaxRune+1)), size
}
