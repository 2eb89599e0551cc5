package cluster

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"

	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// authority is the certificate authority of one cluster. It signs the API server's
// certificate and those of the users, and nothing else ever trusts it.
type authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

// keyPair is a certificate and its key, in PEM.
type keyPair struct {
	certificate, key []byte
}

func newAuthority() (*authority, error) {
	key, _, err := newKey()
	if err != nil {
		return nil, err
	}
	certificate, err := cert.NewSelfSignedCACert(cert.Config{CommonName: "k8sconnect test cluster"}, key)
	if err != nil {
		return nil, fmt.Errorf("certificate authority: %w", err)
	}
	return &authority{certificate: certificate, key: key}, nil
}

// pem is what clients need to trust the servers.
func (a *authority) pem() []byte { return encodeCertificate(a.certificate.Raw) }

// serving issues the certificate of a server on the loopback interface.
func (a *authority) serving() (keyPair, error) {
	return a.issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	})
}

// client issues a certificate that makes its bearer the user: Kubernetes takes the name from
// the common name and the groups from the organizations.
func (a *authority) client(user string, groups []string) (keyPair, error) {
	return a.issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

func (a *authority) issue(template *x509.Certificate) (keyPair, error) {
	subject := template.Subject.CommonName
	key, encodedKey, err := newKey()
	if err != nil {
		return keyPair{}, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return keyPair{}, fmt.Errorf("certificate of %s: %w", subject, err)
	}
	template.SerialNumber = serial
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.NotBefore = a.certificate.NotBefore
	template.NotAfter = time.Now().AddDate(1, 0, 0)
	raw, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return keyPair{}, fmt.Errorf("certificate of %s: %w", subject, err)
	}
	return keyPair{certificate: encodeCertificate(raw), key: encodedKey}, nil
}

// newKey makes a key and its PEM.
func newKey() (crypto.Signer, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("new key: %w", err)
	}
	encoded, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return nil, nil, fmt.Errorf("new key: %w", err)
	}
	return key, encoded, nil
}

func encodeCertificate(raw []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: cert.CertificateBlockType, Bytes: raw})
}
