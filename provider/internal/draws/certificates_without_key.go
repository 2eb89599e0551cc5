package draws

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// A certificate can be stored without its private key: charts often store an authority's key nowhere, so a release that is taken over has
// none. The authority stays unchanged as long as no template asks for the key. If one does, to sign another certificate or to show the key,
// the authority is replaced, and so are all certificates that it has signed.

// isKeyless reports whether a value is such a certificate.
func (v Value) isKeyless() bool { return v.Certificate != "" && v.PrivateKey == "" }

// absentKey stands for the private key that a certificate is stored without.
func absentKey(certificate string) string {
	return "the private key of the certificate " + issuerOf(certificate) + " is not known\n"
}

// authority is the signing certificate, or "" if there is none.
func (d drawing) authority() string {
	at := d.signer()
	if at < 0 {
		return ""
	}
	return d.args[at].FieldByName("Cert").String()
}

// keyless reports whether the private key of a certificate is not known.
func (s *Session) keyless(certificate string) bool {
	for _, answer := range s.answers {
		if answer.keyless && answer.value.Certificate == certificate {
			return true
		}
	}
	return false
}

// signedBySomeone is the draw with an authority that can sign. The result is not kept: the templates are rendered again, with a new
// authority.
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

// reissued is the session for another rendering, which replaces the certificates whose unknown keys this rendering has asked for. It is nil
// if there are none.
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

// Unsigned returns the keys of the certificates that could not sign others because their private keys are not known.
func (s *Session) Unsigned() []string {
	return s.keys(func(a answer) bool { return a.keyless && s.unsigned[a.value.Certificate] })
}
