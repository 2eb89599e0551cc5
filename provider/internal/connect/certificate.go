package connect

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strings"
	"unicode"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// ParseCertificates parses one or more certificates in PEM or base64 of PEM, and returns PEM. field names the field for
// the error.
func ParseCertificates(field, text string) ([]byte, error) {
	data, err := decodePEM(field, text)
	if err != nil {
		return nil, err
	}
	count := 0
	for rest := data; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return nil, &failure.FieldError{Field: field, Reason: "holds a damaged certificate"}
		}
		count++
	}
	if count == 0 {
		return nil, &failure.FieldError{Field: field, Reason: "holds no certificate (-----BEGIN CERTIFICATE-----)"}
	}
	return data, nil
}

// ParseKey parses a private key in PEM or base64 of PEM, and returns PEM.
func ParseKey(field, text string) ([]byte, error) {
	data, err := decodePEM(field, text)
	if err != nil {
		return nil, err
	}
	for rest := data; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return nil, &failure.FieldError{Field: field, Reason: "holds no private key (-----BEGIN … PRIVATE KEY-----)"}
		}
		if strings.HasSuffix(block.Type, "PRIVATE KEY") {
			return data, nil
		}
	}
}

// ParseClientPair parses a client certificate and its key, and makes sure that they belong together.
func ParseClientPair(certificate, key string) (certificatePEM, keyPEM []byte, err error) {
	if certificatePEM, err = ParseCertificates("clientCertificate", certificate); err != nil {
		return nil, nil, err
	}
	if keyPEM, err = ParseKey("clientKey", key); err != nil {
		return nil, nil, err
	}
	if _, err := tls.X509KeyPair(certificatePEM, keyPEM); err != nil {
		// The cause is left out: it describes key material.
		return nil, nil, &failure.FieldError{Field: "clientKey", Reason: "is damaged or does not belong to clientCertificate"}
	}
	return certificatePEM, keyPEM, nil
}

func decodePEM(field, text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "-----BEGIN") {
		decoded, ok := decodeBase64(text)
		if !ok || !strings.Contains(string(decoded), "-----BEGIN") {
			return nil, &failure.FieldError{Field: field, Reason: "is neither PEM nor base64 of PEM"}
		}
		text = strings.TrimSpace(string(decoded))
	}
	// Environment variables and shells often turn line breaks into the two characters \n.
	if !strings.Contains(text, "\n") {
		text = strings.ReplaceAll(text, `\n`, "\n")
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	data := []byte(strings.Join(lines, "\n") + "\n")
	if block, _ := pem.Decode(data); block == nil {
		return nil, &failure.FieldError{Field: field, Reason: "is damaged PEM"}
	}
	return data, nil
}

// decodeBase64 decodes base64 on one line or several, with or without padding.
func decodeBase64(text string) (decoded []byte, ok bool) {
	compact := strings.TrimRight(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text), "=")
	decoded, err := base64.RawStdEncoding.DecodeString(compact)
	return decoded, err == nil
}
