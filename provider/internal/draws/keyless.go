package draws

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// A certificate can be stored without its private key: charts often keep that of an authority nowhere, so a release that is taken over
// has none. The authority stays what it is as long as nobody asks for the key. Who does so, to sign another certificate or to show it,
// gets a new authority, and so do all certificates that it has signed.

// isKeyless says whether a value is such a certificate.
func (v Value) isKeyless() bool { return v.Certificate != "" && v.PrivateKey == "" }

// absentKey stands for the private key that a certificate is stored without.
func absentKey(certificate string) string {
	return "the private key of the certificate " + issuerOf(certificate) + " is not known\n"
}

// authority is the certificate that is to sign, "" if there is none.
func (d drawing) authority() string {
	at := d.signer()
	if at < 0 {
		return ""
	}
	return d.args[at].FieldByName("Cert").String()
}

// keyless says whether a certificate is one whose private key is not known.
func (s *Session) keyless(certificate string) bool {
	for _, answer := range s.answers {
		if answer.keyless && answer.value.Certificate == certificate {
			return true
		}
	}
	return false
}

// signedBySomeone is the draw with an authority that can sign. Nobody keeps what it makes: there is another rendering, in which the
// authority is a new one.
func (d drawing) signedBySomeone() (drawing, error) {
	authority, err := someAuthority()
	if err != nil {
		return d, err
	}
	d.args = slices.Clone(d.args)
	d.args[d.signer()] = authority
	return d, nil
}

// someAuthority is the same for the whole process.
var someAuthority = sync.OnceValues(func() (reflect.Value, error) {
	key, err := placeholderKey("", 0)
	if err != nil {
		return reflect.Value{}, err
	}
	withKey := reflect.ValueOf(library["genCAWithKey"])
	return drawing{"genCA", withKey, []reflect.Value{reflect.ValueOf("placeholder"), reflect.ValueOf(1), reflect.ValueOf(key)}}.run()
})

// reissued is the session for another rendering, in which those certificates are new ones whose keys this one has asked for; nil if it has
// asked for none.
func (s *Session) reissued(found []Text) *Session {
	asked := map[string]bool{}
	for key, answer := range s.answers {
		if value := answer.value; answer.keyless && (s.unsigned[value.Certificate] || slices.ContainsFunc(found, func(text Text) bool {
			return shows(text.Text, strings.TrimSpace(absentKey(value.Certificate)))
		})) {
			asked[key] = true
		}
	}
	if len(asked) == 0 {
		return nil
	}
	options := s.options
	maps.Copy(asked, options.reissued)
	options.reissued = asked
	return s.next(options)
}

// Unsigned returns the keys of the certificates that were to sign others, and could not because their private keys are not known.
func (s *Session) Unsigned() []string {
	return s.keys(func(a answer) bool { return a.keyless && s.unsigned[a.value.Certificate] })
}
