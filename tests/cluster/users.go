package cluster

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

const (
	adminName = "admin"
	// adminGroup may do everything, whatever RBAC says.
	adminGroup = "system:masters"
)

// User is someone whom the cluster knows, with all that a client needs to be them: either
// a client certificate with its key, or a token.
type User struct {
	Name string
	// Host is the address of the API server, such as https://127.0.0.1:24680.
	Host string
	// CACertificate is the PEM that the API server's certificate is verified by.
	CACertificate []byte
	// ClientCertificate and ClientKey are PEM.
	ClientCertificate, ClientKey []byte
	Token                        string
}

// RESTConfig is how a client-go client connects as the user, without a rate limit.
func (u User) RESTConfig() *rest.Config {
	return &rest.Config{
		Host:        u.Host,
		BearerToken: u.Token,
		QPS:         -1,
		TLSClientConfig: rest.TLSClientConfig{
			CAData:   u.CACertificate,
			CertData: u.ClientCertificate,
			KeyData:  u.ClientKey,
		},
	}
}

// Kubeconfig is the same as a kubeconfig file, with one context called "k8sconnect".
func (u User) Kubeconfig() ([]byte, error) {
	const name = "k8sconnect"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: u.Host, CertificateAuthorityData: u.CACertificate}
	config.AuthInfos[u.Name] = &clientcmdapi.AuthInfo{
		ClientCertificateData: u.ClientCertificate,
		ClientKeyData:         u.ClientKey,
		Token:                 u.Token,
	}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: u.Name}
	config.CurrentContext = name
	content, err := clientcmd.Write(*config)
	if err != nil {
		return nil, fmt.Errorf("kubeconfig of %s: %w", u.Name, err)
	}
	return content, nil
}

// AddUser makes a user with a client certificate. What they may do is up to RBAC; the group
// "system:masters" may do everything.
func (c *Cluster) AddUser(name string, groups ...string) (User, error) {
	c.users.Lock()
	defer c.users.Unlock()
	config, err := c.apiServer.AddUser(envtest.User{Name: name, Groups: groups}, &rest.Config{})
	if err != nil {
		return User{}, fmt.Errorf("user %s: %w", name, err)
	}
	user := c.anonymous(name)
	user.ClientCertificate, user.ClientKey = config.CertData, config.KeyData
	return user, nil
}

// ServiceAccount returns a service account as a user with a token, and creates the account
// if it does not exist. Every call gives a new token. The API server refuses a validity
// below ten minutes.
func (c *Cluster) ServiceAccount(ctx context.Context, namespace, name string, valid time.Duration) (User, error) {
	accounts := c.client.CoreV1().ServiceAccounts(namespace)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := accounts.Create(ctx, account, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return User{}, fmt.Errorf("service account %s/%s: %w", namespace, name, err)
	}
	seconds := int64(valid.Seconds())
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}
	response, err := accounts.CreateToken(ctx, name, request, metav1.CreateOptions{})
	if err != nil {
		return User{}, fmt.Errorf("token of service account %s/%s: %w", namespace, name, err)
	}
	user := c.anonymous("system:serviceaccount:" + namespace + ":" + name)
	user.Token = response.Status.Token
	return user, nil
}

// anonymous is a user without credentials.
func (c *Cluster) anonymous(name string) User {
	return User{Name: name, Host: c.host, CACertificate: c.apiServer.CA}
}
