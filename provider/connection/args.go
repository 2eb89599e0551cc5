package connection

import "github.com/pulumi/pulumi-go-provider/infer"

// ClusterConnection says how to reach a cluster. It is the provider's configuration and the clusterConnection input
// of resources and functions.
type ClusterConnection struct {
	Kubeconfig           *string        `pulumi:"kubeconfig,optional" provider:"secret"`
	Context              *string        `pulumi:"context,optional"`
	Host                 *string        `pulumi:"host,optional"`
	ClusterCACertificate *string        `pulumi:"clusterCaCertificate,optional"`
	Insecure             *bool          `pulumi:"insecure,optional"`
	TLSServerName        *string        `pulumi:"tlsServerName,optional"`
	ProxyURL             *string        `pulumi:"proxyUrl,optional"`
	Token                *string        `pulumi:"token,optional" provider:"secret"`
	ClientCertificate    *string        `pulumi:"clientCertificate,optional" provider:"secret"`
	ClientKey            *string        `pulumi:"clientKey,optional" provider:"secret"`
	Exec                 *Exec          `pulumi:"exec,optional" provider:"secret"`
	Impersonate          *Impersonation `pulumi:"impersonate,optional"`
}

// Annotate documents the type in the schema.
func (c *ClusterConnection) Annotate(a infer.Annotator) {
	a.SetToken("index", "ClusterConnection")
	a.Describe(&c, "How to reach a Kubernetes cluster: either by a kubeconfig (`kubeconfig`, `context`), or by `host` "+
		"with credentials. With neither, the kubeconfig that kubectl would use is taken: the files in the environment's "+
		"KUBECONFIG, else `~/.kube/config`, else the service account of the pod that Pulumi runs in. A change of credentials "+
		"changes no object.")
	a.Describe(&c.Kubeconfig, "A kubeconfig: its contents (YAML or JSON, plain or in base64), or the path of a file; `~` is the home directory. "+
		"A relative path begins at the folder of the project. Cannot be combined with `host`.")
	a.Describe(&c.Context, "The name of the context in the kubeconfig. Default: the kubeconfig's current-context. Cannot be combined "+
		"with `host`.")
	a.Describe(&c.Host, "The API server's URL, such as `https://203.0.113.7:6443`, or `host:port`, which is https. "+
		"Cannot be combined with `kubeconfig`.")
	a.Describe(&c.ClusterCACertificate, "The certificates that the API server's certificate is verified with, as PEM or as "+
		"base64 of PEM. Needs `host`. Default: the certificates that the operating system trusts.")
	a.Describe(&c.Insecure, "Do not verify the API server's certificate. Anybody on the network can then read the "+
		"credentials; use it for throw-away clusters only. Needs `host`. Default: false.")
	a.Describe(&c.TLSServerName, "The name that the API server's certificate must be for, if it is not the host's, as with a "+
		"tunnel. Needs `host`. Default: the name in it.")
	a.Describe(&c.ProxyURL, "The proxy to reach the API server through: `http://`, `https://` or `socks5://`, host and port. "+
		"Needs `host`. Default: the environment's HTTPS_PROXY, with NO_PROXY.")
	a.Describe(&c.Token, "A bearer token. Needs `host`. Give one kind of credentials: `token`, `clientCertificate` with "+
		"`clientKey`, or `exec`.")
	a.Describe(&c.ClientCertificate, "A client certificate, as PEM or as base64 of PEM. Needs `host` and `clientKey`.")
	a.Describe(&c.ClientKey, "The private key of `clientCertificate`, as PEM or as base64 of PEM.")
	a.Describe(&c.Exec, "A command that prints credentials, such as `aws eks get-token`. It is run once and its "+
		"credentials are used for all objects until they expire. It cannot ask questions. Needs `host`.")
	a.Describe(&c.Impersonate, "Act as another user, as `kubectl --as` does. Works with a kubeconfig and with `host`. "+
		"Default: nobody else.")
}

// Exec is a credential plugin.
type Exec struct {
	APIVersion *string           `pulumi:"apiVersion,optional"`
	Command    string            `pulumi:"command"`
	Args       []string          `pulumi:"args,optional"`
	Env        map[string]string `pulumi:"env,optional"`
}

// Annotate documents the type in the schema.
func (e *Exec) Annotate(a infer.Annotator) {
	a.SetToken("index", "Exec")
	a.Describe(&e, "A command that prints an ExecCredential (the Kubernetes credential plugin protocol).")
	a.Describe(&e.APIVersion, "The version of the ExecCredential that the command prints: "+
		"`client.authentication.k8s.io/v1` (the default) or `client.authentication.k8s.io/v1beta1`.")
	a.Describe(&e.Command, "The command: a path, or a name that is looked up on PATH.")
	a.Describe(&e.Args, "The arguments of the command. Default: none.")
	a.Describe(&e.Env, "Environment variables for the command, in addition to those of the Pulumi process.")
}

// Impersonation is who to act as.
type Impersonation struct {
	User   string              `pulumi:"user"`
	Groups []string            `pulumi:"groups,optional"`
	Extra  map[string][]string `pulumi:"extra,optional"`
}

// Annotate documents the type in the schema.
func (i *Impersonation) Annotate(a infer.Annotator) {
	a.SetToken("index", "Impersonation")
	a.Describe(&i, "Who to act as. The own credentials must be allowed to impersonate.")
	a.Describe(&i.User, "The user name, such as `jane@example.com` or `system:serviceaccount:prod:deployer`.")
	a.Describe(&i.Groups, "The groups to act as a member of. Default: none.")
	a.Describe(&i.Extra, "Further attributes of the user: name to list of values. Default: none.")
}
