package draws

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Missing says what a draw without a stored value returns. The zero value draws.
type Missing struct {
	placeholds, exchanges, apart bool
	n                            int
}

// Draw draws what is not stored.
var Draw Missing

// Placeholder returns values of the same shape in place of the values that would be drawn. The values for one n differ from the values for
// every other n in every character where their shape allows it, so two renderings differ in everything that depends on them.
func Placeholder(n int) Missing { return Missing{placeholds: true, n: n} }

// Exchanged is like [Placeholder], for all draws: two renderings differ in everything that depends on drawn values, stored or not.
func Exchanged(n int) Missing { return Missing{placeholds: true, exchanges: true, n: n} }

// Apart is like [Placeholder], but no two call sites have the same value: not even certificates, which take long to make.
func Apart(n int) Missing { return Missing{placeholds: true, apart: true, n: n} }

// replaces reports whether a draw gets a placeholder.
func (m Missing) replaces(f fate) bool { return m.exchanges || m.placeholds && f != kept }

// The characters of placeholders. Letters are consonants, so that they form no word that YAML reads as something other than a text.
const (
	letters = "bcdghjklmpqrsvwxzBCDGHJKLMPQRSVWXZ"
	digits  = "123456789"
	hexes   = "123456789abcdef0"
	base64s = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	bcrypts = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

// placeholder makes the value for a call site.
func (d drawing) placeholder(site string, of Missing) (Value, error) {
	p := placeholder{n: of.n, seed: sha256.Sum256([]byte(site))}
	if text, is := d.randomText(p); is {
		return Value{Text: text}, nil
	}
	text := ""
	switch d.function {
	case "randInt":
		least, bound := int(d.args[0].Int()), int(d.args[1].Int())
		if bound <= least {
			return d.draw() // the draw reports the error
		}
		text = strconv.Itoa(least + p.index(0, bound-least))
	case "htpasswd":
		user := d.args[0].String()
		if strings.Contains(user, ":") {
			return d.draw()
		}
		text = user + ":$2a$10$" + p.text(bcrypts, 53)
	case "shuffle":
		runes := []rune(d.args[0].String())
		if len(runes) > 0 {
			at := p.index(0, len(runes))
			text = string(runes[at:]) + string(runes[:at])
		}
	case "now":
		return valueOf(reflect.ValueOf(p.time())), nil
	case "date", "dateInZone", "date_in_zone", "htmlDate", "htmlDateInZone":
		args := append([]reflect.Value(nil), d.args...)
		args[dated[d.function]] = reflect.ValueOf(p.time())
		return drawing{d.function, d.call, args}.draw()
	default:
		if !of.apart {
			site = ""
		}
		return d.slowPlaceholder(site, of.n)
	}
	return Value{Text: text}, nil
}

// randomText returns the placeholder of a function whose results are text of a form.
func (d drawing) randomText(p placeholder) (text string, is bool) {
	switch d.function {
	case "randAlphaNum", "randAscii":
		return p.mixed(d.length(), digits), true
	case "randAlpha":
		return p.mixed(d.length(), letters), true
	case "randNumeric":
		return p.text(digits, d.length()), true
	case "randBytes":
		return p.base64(d.length()), true
	case "uuidv4":
		all := p.text(hexes, 32)
		return fmt.Sprintf("%s-%s-4%s-%s%s-%s", all[:8], all[8:12], all[13:16], p.text("89ab", 1), all[17:20], all[20:]), true
	case "bcrypt":
		return "$2a$10$" + p.text(bcrypts, 53), true
	case "ago", "durationRound":
		return p.text(digits, 3) + "h", true
	default:
		return "", false
	}
}

// length is the length of the result.
func (d drawing) length() int { return int(max(0, d.args[0].Int())) }

// placeholder makes texts that differ from one n to the next, and from one call site to the next.
type placeholder struct {
	n    int
	seed [sha256.Size]byte
}

// index returns an index below of.
func (p placeholder) index(at, of int) int {
	return ((int(p.seed[at%len(p.seed)])+at/len(p.seed)+p.n)%of + of) % of
}

func (p placeholder) text(alphabet string, length int) string {
	text := make([]byte, length)
	for i := range text {
		text[i] = alphabet[p.index(i, len(alphabet))]
	}
	return string(text)
}

// mixed returns a text with a lower-case letter, an upper-case letter and a character of third, which charts require of a password.
func (p placeholder) mixed(length int, third string) string {
	text := []byte(p.text(letters, length))
	for i, alphabet := range []string{letters, letters[:len(letters)/2], third, letters[len(letters)/2:]} {
		if i < length {
			text[i] = alphabet[p.index(i, len(alphabet))]
		}
	}
	return string(text)
}

// base64 encodes that many bytes. The last character before the padding has fewer possible values.
func (p placeholder) base64(bytes int) string {
	text := p.text(base64s, (bytes*8+5)/6)
	switch bytes % 3 {
	case 1:
		text = text[:len(text)-1] + string(base64s[p.index(len(text), 4)*16]) + "=="
	case 2:
		text = text[:len(text)-1] + string(base64s[p.index(len(text), 16)*4]) + "="
	}
	return text
}

// time returns a time whose parts all differ, as far as the calendar allows.
func (p placeholder) time() time.Time {
	n := (p.n%8 + 8) % 8
	return time.Date(2222+1111*n, time.Month(1+n), 11+n, 11+n, 11+n, 11+n, 111111111*(1+n), drawnZone)
}

// slowPlaceholders are kept for the whole process, because they are slow to make and must be the same each time.
var slowPlaceholders sync.Map

// slowPlaceholder makes keys, certificates and encrypted texts. They are real, because templates work with them. Without a site, all sites
// get the same ones.
func (d drawing) slowPlaceholder(site string, n int) (Value, error) {
	name := fmt.Sprint(n, d.function, d.numbers(), d.digest(), d.issuer(), site)
	if known, is := slowPlaceholders.Load(name); is {
		return known.(Value), nil
	}
	made, err := d.makePlaceholder(site, n)
	if err != nil {
		return Value{}, err
	}
	known, _ := slowPlaceholders.LoadOrStore(name, made)
	return known.(Value), nil
}

func (d drawing) makePlaceholder(site string, n int) (Value, error) {
	switch d.function {
	case "genPrivateKey":
		if kind := d.args[0].String(); kind == "" || kind == "rsa" {
			key, err := placeholderKey(site, n)
			return Value{Text: key}, err
		} else if kind == "dsa" { // a DSA key takes minutes to make, and cannot sign
			kind = "ecdsa"
			return drawing{d.function, d.call, []reflect.Value{reflect.ValueOf(kind)}}.draw()
		}
	case "genCA", "genSelfSignedCert", "genSignedCert":
		key, err := placeholderKey(site, n)
		if err != nil {
			return Value{}, err
		}
		withKey := reflect.ValueOf(library[d.function+"WithKey"])
		return drawing{d.function, withKey, append(slices.Clip(d.args), reflect.ValueOf(key))}.draw()
	}
	return d.draw()
}

var placeholderKeys sync.Map

// placeholderKey returns the nth private key for a call site. It is short, because it protects nothing.
func placeholderKey(site string, n int) (string, error) {
	make, _ := placeholderKeys.LoadOrStore(fmt.Sprint(n, site), sync.OnceValues(func() (string, error) {
		key, err := rsa.GenerateKey(rand.Reader, 1024)
		if err != nil {
			return "", err
		}
		block := &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}
		return string(pem.EncodeToMemory(block)), nil
	}))
	return make.(func() (string, error))()
}
