package connect

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/url"
	"os"
	"strings"

	"k8s.io/client-go/rest"
)

// Identity is the same for two connections exactly if they can share a Cluster while the files say the same that they
// name. It is derived from secrets, so it stays inside the process.
func (c Connection) Identity() (string, error) {
	c.Kubeconfig = NewSecret(strings.TrimSpace(c.Kubeconfig.reveal()))
	parts := []any{c} // in which JSON hides the secrets
	for _, secret := range c.secrets() {
		parts = append(parts, secret.reveal())
	}
	if !c.inline() && !c.Kubeconfig.isSet() {
		parts = append(parts, os.Getenv("KUBECONFIG"), os.Getenv("HOME"), os.Getenv("KUBERNETES_SERVICE_HOST"))
	}
	encoded, err := json.Marshal(parts)
	if err != nil {
		return "", fmt.Errorf("connection identity: %w", err)
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:]), nil
}

// Target is which cluster a connection goes to, whoever goes there. Targets are compared with ==.
type Target struct {
	// Server is the URL of the API server.
	Server string
	// CA is a hash of the certificates that the server is verified with; empty means the system's or none.
	CA string
}

// Target says which cluster the connection goes to. It reads files and uses no network.
func (c Connection) Target() (Target, error) {
	settings, err := c.Settings("", "")
	if err != nil {
		return Target{}, err
	}
	return TargetOf(settings.REST, settings.Server)
}

// SameCluster reports whether two connections go to the same cluster: the same server, verified by the same CA.
func SameCluster(a, b Connection) (bool, error) {
	first, err := a.Target()
	if err != nil {
		return false, err
	}
	second, err := b.Target()
	if err != nil {
		return false, err
	}
	return first == second, nil
}

// TargetOf is where a configuration for client-go leads to. server is the URL of the API server in the form that is compared.
func TargetOf(config *rest.Config, server string) (Target, error) {
	ca := config.CAData
	if len(ca) == 0 && config.CAFile != "" {
		var err error
		if ca, err = os.ReadFile(config.CAFile); err != nil {
			return Target{}, fmt.Errorf("certificate authority of %s: %w", server, err)
		}
	}
	return Target{Server: server, CA: hashPEM(ca)}, nil
}

// hashPEM depends on the certificates only, not on line breaks and comments between them.
func hashPEM(data []byte) string {
	if len(bytes.TrimSpace(data)) == 0 {
		return ""
	}
	hash := sha256.New()
	for {
		block, rest := pem.Decode(data)
		if block == nil {
			break
		}
		hash.Write(block.Bytes)
		data = rest
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// canonicalServer makes URLs of the same server equal: case, default port, trailing slash.
func canonicalServer(address *url.URL) string {
	clean := *address
	clean.User = nil
	clean.Scheme = strings.ToLower(clean.Scheme)
	clean.Host = strings.ToLower(clean.Host)
	switch {
	case clean.Scheme == "https":
		clean.Host = strings.TrimSuffix(clean.Host, ":443")
	case clean.Scheme == "http":
		clean.Host = strings.TrimSuffix(clean.Host, ":80")
	}
	clean.Path = strings.TrimRight(clean.Path, "/")
	clean.RawQuery, clean.Fragment = "", ""
	return clean.String()
}
