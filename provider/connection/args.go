package connection

import (
	_ "embed"

	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/description"
)

//go:embed descriptions.md
var descriptions string

var texts = description.Parse(descriptions)

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
	a.Describe(&c, texts.Of("ClusterConnection"))
	texts.Describe(a, "ClusterConnection", c)
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
	a.Describe(&e, texts.Of("Exec"))
	texts.Describe(a, "Exec", e)
}

// Impersonation is the user to act as.
type Impersonation struct {
	User   string              `pulumi:"user"`
	Groups []string            `pulumi:"groups,optional"`
	Extra  map[string][]string `pulumi:"extra,optional"`
}

// Annotate documents the type in the schema.
func (i *Impersonation) Annotate(a infer.Annotator) {
	a.SetToken("index", "Impersonation")
	a.Describe(&i, texts.Of("Impersonation"))
	texts.Describe(a, "Impersonation", i)
}
