package connect

import (
	"errors"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// execAPIVersion is the default protocol of credential plugins.
const execAPIVersion = "client.authentication.k8s.io/v1"

// inClusterNamespaceFile contains the namespace that a pod runs in.
const inClusterNamespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// Settings is a connection that is ready to use.
type Settings struct {
	// REST is the configuration for client-go.
	REST *rest.Config
	// Namespace is for namespaced objects that name none. It is never empty.
	Namespace string
	// Server is the API server's URL in a form that can be shown and compared.
	Server string
	// Context is the context of the kubeconfig; empty without a kubeconfig.
	Context string
}

// Settings makes the connection ready to use. It reads kubeconfigs and uses no network. current is the current-context
// that this process used earlier, or empty. If the connection has a mistake, the error is a *[failure.FieldError].
func (c Connection) Settings(userAgent, current string) (Settings, error) {
	config, context, err := c.source(current)
	if err != nil {
		return Settings{}, err
	}
	namespace := context.namespace
	if c.Namespace != "" {
		namespace = c.Namespace
	}
	if namespace == "" {
		namespace = "default"
	}
	if c.Impersonate != nil {
		if c.Impersonate.User == "" {
			return Settings{}, &failure.FieldError{Field: "impersonate.user", Reason: "must be set to impersonate"}
		}
		config.Impersonate = rest.ImpersonationConfig{
			UserName: c.Impersonate.User, Groups: c.Impersonate.Groups, Extra: c.Impersonate.Extra,
		}
	}
	if config.ExecProvider != nil {
		// A plugin that asks a question at the terminal would hang: the terminal belongs to the Pulumi CLI.
		config.ExecProvider.InteractiveMode = clientcmdapi.NeverExecInteractiveMode
		config.ExecProvider.StdinUnavailable = true
	}
	server, err := ParseHost(config.Host)
	if err != nil {
		return Settings{}, err
	}
	config.UserAgent = userAgent
	config.QPS = -1
	return Settings{REST: config, Namespace: namespace, Server: canonicalServer(server), Context: context.name}, nil
}

// chosen holds what a rest.Config has no place for: the context of the kubeconfig, and its namespace. Without a
// kubeconfig, name is empty.
type chosen struct{ name, namespace string }

func (c Connection) source(current string) (*rest.Config, chosen, error) {
	if wrong := Contradictions(c.has); len(wrong) > 0 {
		return nil, chosen{}, wrong[0]
	}
	if c.inline() {
		config, err := c.inlineConfig()
		return config, chosen{}, err
	}
	if kubeconfig := c.Kubeconfig.reveal(); strings.TrimSpace(kubeconfig) != "" {
		config, err := loadKubeconfig(kubeconfig)
		if err != nil {
			return nil, chosen{}, err
		}
		return fromKubeconfig(config, c.Context)
	}
	config, err := loadAmbient()
	switch {
	case err != nil:
		return nil, chosen{}, err
	case config != nil:
		// `kubectl config use-context` in another terminal must not redirect the rest of a run.
		if config.Contexts[current] != nil {
			config.CurrentContext = current
		}
		return fromKubeconfig(config, c.Context)
	}
	return c.inCluster()
}

func fromKubeconfig(config *clientcmdapi.Config, context string) (*rest.Config, chosen, error) {
	context, err := chooseContext(config, context)
	if err != nil {
		return nil, chosen{}, err
	}
	for _, user := range config.AuthInfos {
		if user != nil && user.Exec != nil {
			user.Exec.InteractiveMode = clientcmdapi.NeverExecInteractiveMode
			user.Exec.StdinUnavailable = true
			if user.Exec.APIVersion == "" {
				user.Exec.APIVersion = execAPIVersion
			}
		}
	}
	if err := checkFiles(config, context); err != nil {
		return nil, chosen{}, err
	}
	client := clientcmd.NewNonInteractiveClientConfig(*config, context, &clientcmd.ConfigOverrides{}, nil)
	settings, err := client.ClientConfig()
	if err != nil {
		return nil, chosen{}, &failure.FieldError{Field: "kubeconfig", Reason: "context " + context + " is not usable", Err: err}
	}
	return settings, chosen{name: context, namespace: config.Contexts[context].Namespace}, nil
}

func (c Connection) inCluster() (*rest.Config, chosen, error) {
	config, err := rest.InClusterConfig()
	switch {
	case errors.Is(err, rest.ErrNotInCluster):
		return nil, chosen{}, &failure.FieldError{Field: "kubeconfig", Reason: "is not set, and there is no default: " +
			"neither KUBECONFIG nor ~/.kube/config exists, and this is not a pod. Set kubeconfig, or host with credentials"}
	case err != nil:
		return nil, chosen{}, &failure.FieldError{Field: "kubeconfig", Reason: "is not set, and the pod's service account is not usable", Err: err}
	case c.Context != "":
		return nil, chosen{}, &failure.FieldError{Field: "context", Reason: "is set, and there is no kubeconfig (this is a pod)"}
	}
	namespace, err := os.ReadFile(inClusterNamespaceFile)
	if err != nil {
		return config, chosen{}, nil //nolint:nilerr // without the file, the usual default applies
	}
	return config, chosen{namespace: strings.TrimSpace(string(namespace))}, nil
}

func (c Connection) inlineConfig() (*rest.Config, error) {
	host, err := ParseHost(c.Host.reveal())
	if err != nil {
		return nil, err
	}
	config := &rest.Config{Host: host.String(), BearerToken: strings.TrimSpace(c.Token.reveal())}
	config.Insecure = c.Insecure
	config.ServerName = c.TLSServerName
	if c.ClusterCACertificate.isSet() {
		if config.CAData, err = ParseCertificates("clusterCaCertificate", c.ClusterCACertificate.reveal()); err != nil {
			return nil, err
		}
	}
	if c.ClientCertificate.isSet() {
		if config.CertData, config.KeyData, err = ParseClientPair(c.ClientCertificate.reveal(), c.ClientKey.reveal()); err != nil {
			return nil, err
		}
	}
	if c.ProxyURL.isSet() {
		proxy, err := ParseProxy(c.ProxyURL.reveal())
		if err != nil {
			return nil, err
		}
		config.Proxy = http.ProxyURL(proxy)
	}
	if c.Exec != nil {
		if c.Exec.Command == "" {
			return nil, &failure.FieldError{Field: "exec.command", Reason: "must be set"}
		}
		config.ExecProvider = c.Exec.provider()
	}
	return config, nil
}

func (e Exec) provider() *clientcmdapi.ExecConfig {
	config := &clientcmdapi.ExecConfig{
		APIVersion:       e.APIVersion,
		Command:          e.Command,
		InteractiveMode:  clientcmdapi.NeverExecInteractiveMode,
		StdinUnavailable: true,
	}
	if config.APIVersion == "" {
		config.APIVersion = execAPIVersion
	}
	for _, arg := range e.Args {
		config.Args = append(config.Args, arg.reveal())
	}
	// client-go shares one login between equal plugins, and compares the environment as a list.
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		config.Env = append(config.Env, clientcmdapi.ExecEnvVar{Name: name, Value: e.Env[name].reveal()})
	}
	return config
}
