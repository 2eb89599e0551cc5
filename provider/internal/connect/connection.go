package connect

import (
	"maps"
	"slices"
)

// Connection says how to reach a cluster: by a kubeconfig, by a host with credentials ("inline"), or, if it is empty,
// by what kubectl would use. It is plain data; nothing is read or contacted before it is used. Every field that may
// hold credentials, even by mistake, is a [Secret].
type Connection struct {
	// Kubeconfig is the contents of a kubeconfig, plain or in base64, or its path.
	Kubeconfig Secret
	// Context names the context in the kubeconfig; empty means its current-context.
	Context string

	// Host is the API server's URL or host:port. Without a scheme, it means https. It must not contain a user; that is
	// refused only when the connection is used.
	Host Secret
	// ClusterCACertificate is PEM or base64 of PEM.
	ClusterCACertificate Secret
	// Insecure disables the verification of the server's certificate.
	Insecure bool
	// TLSServerName is the name that the server's certificate must be for, if that is not the host.
	TLSServerName string
	// ProxyURL is the proxy to use; empty means the one from the environment (HTTPS_PROXY).
	ProxyURL Secret
	// Token is a bearer token.
	Token Secret
	// ClientCertificate is PEM or base64 of PEM.
	ClientCertificate Secret
	// ClientKey is PEM or base64 of PEM.
	ClientKey Secret
	// Exec is a credential plugin.
	Exec *Exec

	// Impersonate makes requests act as another user.
	Impersonate *Impersonation
	// Namespace is for namespaced objects that name none; empty means the context's namespace, or "default" without
	// one.
	Namespace string
}

// Exec is a credential plugin: a command that prints an ExecCredential.
type Exec struct {
	// APIVersion of the ExecCredential; empty means client.authentication.k8s.io/v1.
	APIVersion string
	// Command to run; it is looked up on PATH.
	Command string
	// Args for the command.
	Args []Secret
	// Env is added to the environment of this process.
	Env map[string]Secret
}

// Impersonation is the user to act as.
type Impersonation struct {
	// User to act as.
	User string
	// Groups to act as a member of.
	Groups []string
	// Extra attributes of the user.
	Extra map[string][]string
}

func (c Connection) inline() bool { return c.Host.isSet() }

// secrets returns all hidden texts of a connection, in a fixed order.
func (c Connection) secrets() []Secret {
	all := []Secret{c.Kubeconfig, c.Host, c.ClusterCACertificate, c.ProxyURL, c.Token, c.ClientCertificate, c.ClientKey}
	if c.Exec != nil {
		all = append(all, c.Exec.Args...)
		for _, name := range slices.Sorted(maps.Keys(c.Exec.Env)) {
			all = append(all, c.Exec.Env[name])
		}
	}
	return all
}
