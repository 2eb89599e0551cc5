package draws

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"time"
)

func parseCertificate(text string) (*x509.Certificate, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("its certificate is no PEM")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, errors.New("its certificate cannot be parsed") // the cause may quote it
	}
	return certificate, nil
}

// isDue reports whether two thirds of a certificate's lifetime are over. A certificate without a lifetime is never due.
func isDue(text string, now time.Time) bool {
	if text == "" {
		return false
	}
	certificate, err := parseCertificate(text)
	if err != nil {
		return false // the function that uses it reports the error
	}
	life := certificate.NotAfter.Sub(certificate.NotBefore)
	return life > 0 && !now.Before(certificate.NotBefore.Add(life/3*2))
}
