package connect

import (
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"
)

// Connection says how to reach a cluster: by a kubeconfig, by a host with credentials ("inline"), or, if it is
// empty, by what kubectl would use. It is plain data; nothing is read or contacted before it is used.
type Connection struct {
	// Kubeconfig is the contents of a kubeconfig, also in base64, or the path of one.
	Kubeconfig string
	// Context names the context in the kubeconfig; empty means its current-context.
	Context string

	// Host is the API server's URL or host:port. Without a scheme it is https.
	Host string
	// ClusterCACertificate is PEM or base64 of PEM.
	ClusterCACertificate string
	// Insecure switches the verification of the server's certificate off.
	Insecure bool
	// TLSServerName is the name that the server's certificate must be for, if it is not the host.
	TLSServerName string
	// ProxyURL is the proxy to go through; empty means the environment's (HTTPS_PROXY).
	ProxyURL string
	// Token is a bearer token.
	Token string
	// ClientCertificate is PEM or base64 of PEM.
	ClientCertificate string
	// ClientKey is PEM or base64 of PEM.
	ClientKey string
	// Exec is a credential plugin.
	Exec *Exec

	// Impersonate acts as someone else.
	Impersonate *Impersonation
	// Namespace is for namespaced objects that name none; empty means the context's, else "default".
	Namespace string
}

// Exec is a credential plugin: a command that prints an ExecCredential.
type Exec struct {
	// APIVersion of the ExecCredential; empty means client.authentication.k8s.io/v1.
	APIVersion string
	// Command to run; it is looked up on PATH.
	Command string
	// Args for the command.
	Args []string
	// Env is added to the environment of this process.
	Env map[string]string
}

// Impersonation is who to act as.
type Impersonation struct {
	// User to act as.
	User string
	// Groups to act as a member of.
	Groups []string
	// Extra attributes of the user.
	Extra map[string][]string
}

// hidden stands for a value that is set and not shown.
const hidden = "[secret]"

func (c Connection) inline() bool { return c.Host != "" }

// String says where the connection goes and what kind of credentials it has, without any secret.
func (c Connection) String() string {
	var parts []string
	show := func(name, value string) {
		if value != "" {
			parts = append(parts, name+": "+value)
		}
	}
	hide := func(name, value string) {
		if value != "" {
			show(name, hidden)
		}
	}
	if _, whole := contentsOf(c.Kubeconfig); whole {
		show("kubeconfig", "[contents]")
	} else if path := strings.TrimSpace(c.Kubeconfig); looksLikePath(path) {
		show("kubeconfig", path)
	} else {
		hide("kubeconfig", path)
	}
	show("context", c.Context)
	show("host", withoutCredentials(c.Host))
	if c.ClusterCACertificate != "" {
		show("clusterCaCertificate", "[set]")
	}
	if c.Insecure {
		show("insecure", "true")
	}
	show("tlsServerName", c.TLSServerName)
	show("proxyUrl", withoutCredentials(c.ProxyURL))
	hide("token", c.Token)
	hide("clientCertificate", c.ClientCertificate)
	hide("clientKey", c.ClientKey)
	if c.Exec != nil {
		show("exec", c.Exec.String())
	}
	if c.Impersonate != nil {
		show("impersonate", c.Impersonate.User)
	}
	show("namespace", c.Namespace)
	if len(parts) == 0 {
		return "Connection{default}"
	}
	return "Connection{" + strings.Join(parts, ", ") + "}"
}

// Format hides secrets from every verb of fmt, %#v included.
func (c Connection) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, c.String()) }

// LogValue hides secrets from slog.
func (c Connection) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalJSON hides secrets from loggers that print JSON. A connection is never stored in this form.
func (c Connection) MarshalJSON() ([]byte, error) { return quoteJSON(c.String()) }

// String names the command. Arguments and the environment's values may be secret and are not shown.
func (e Exec) String() string {
	return fmt.Sprintf("Exec{command: %s, args: %d, env: %d}", e.Command, len(e.Args), len(e.Env))
}

// Format hides secrets from every verb of fmt, %#v included.
func (e Exec) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, e.String()) }

// LogValue hides secrets from slog.
func (e Exec) LogValue() slog.Value { return slog.StringValue(e.String()) }

// MarshalJSON hides secrets from loggers that print JSON.
func (e Exec) MarshalJSON() ([]byte, error) { return quoteJSON(e.String()) }

// withoutCredentials drops what could be a password from a URL that the user wrote, right or wrong.
func withoutCredentials(address string) string {
	if !strings.Contains(address, "@") {
		return address
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" {
		return hidden
	}
	parsed.User = nil
	return parsed.String()
}
