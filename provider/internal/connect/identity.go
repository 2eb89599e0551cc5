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

// Identity is the same for two connections if and only if they can share a Cluster, as long as the contents of the
// files that they name do not change. It is derived from secrets, so it stays inside the process.
func (c Connection) Identity() (string, error) {
	c.Kubeconfig = NewSecret(strings.TrimSpace(c.Kubeconfig.reveal()))
	parts := []any{c} // JSON hides the secrets in it
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

// Target identifies the cluster that a connection leads to, regardless of the user. Targets are compared with ==.
type Target struct {
	// Server is the URL of the API server.
	Server string
	// CA is a hash of the certificates that verify the server. It is empty if the system's certificates do, and if
	// nothing verifies it.
	CA string
}

// Target returns the cluster that the connection leads to. It reads files and uses no network.
func (c Connection) Target() (Target, error) {
	settings, err := c.Settings("", "")
	if err != nil {
		return Target{}, err
	}
	return TargetOf(settings.REST, settings.Server)
}

// SameCluster reports whether two connections lead to the same cluster: the same server, verified by the same CA.
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

// TargetOf returns the target of a configuration for client-go. server is the URL of the API server in canonical form.
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

// hashPEM returns a hash of the certificates only; line breaks and comments between them do not affect it.
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

// canonicalServer makes URLs of the same server equal: it unifies case, default port and trailing slash.
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
