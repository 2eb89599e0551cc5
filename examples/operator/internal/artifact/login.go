package artifact

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
)

// AuthoritiesKey is the key of a pull Secret that has the certificates of more authorities.
const AuthoritiesKey = "ca.crt"

// Login is what a pull Secret gives; nil is no pull Secret.
type Login struct {
	secret      string
	auths       map[string]json.RawMessage
	authorities []byte
	used        auth.Credential
}

// LoginOf reads a pull Secret. Its errors have nothing of its content: even where it is damaged, it may have passwords.
func LoginOf(secret *corev1.Secret) (*Login, error) {
	name := secret.Namespace + "/" + secret.Name
	if secret.Type != corev1.SecretTypeDockerConfigJson {
		return nil, problem(ReasonPullSecretInvalid, "The pull Secret %s has the type %s. Make one of the type %s: kubectl create secret docker-registry.",
			name, secret.Type, corev1.SecretTypeDockerConfigJson)
	}
	var config struct {
		Auths map[string]json.RawMessage `json:"auths"`
	}
	if json.Unmarshal(secret.Data[corev1.DockerConfigJsonKey], &config) != nil {
		return nil, problem(ReasonPullSecretInvalid, "The key %s of the pull Secret %s is not the configuration of Docker. Make it again: kubectl create secret docker-registry.",
			corev1.DockerConfigJsonKey, name)
	}
	return &Login{secret: name, auths: config.Auths, authorities: secret.Data[AuthoritiesKey]}, nil
}

// credential is the one for a repository: that of the longest entry which the repository begins with, as the kubelet does it.
func (l *Login) credential(of registry.Reference) (auth.Credential, error) {
	if l == nil {
		return auth.EmptyCredential, nil
	}
	var found json.RawMessage
	longest := -1
	for entry, content := range l.auths {
		if prefix := normalized(entry); len(prefix) > longest && begins(of.Host()+"/"+of.Repository, prefix) {
			found, longest = content, len(prefix)
		}
	}
	if found == nil {
		return auth.EmptyCredential, nil
	}
	const host = "registry"
	config, err := json.Marshal(map[string]any{"auths": map[string]json.RawMessage{host: found}})
	if err == nil {
		var store credentials.Store
		if store, err = credentials.NewMemoryStoreFromDockerConfig(config); err == nil {
			l.used, err = store.Get(context.Background(), host)
		}
	}
	if err != nil {
		return auth.EmptyCredential, problem(ReasonPullSecretInvalid, "The entry of the pull Secret %s for %s is damaged. Make it again: kubectl create secret docker-registry.",
			l.secret, of.Host())
	}
	return l.used, nil
}

// normalized is an entry without what is there for historical reasons.
func normalized(entry string) string {
	entry = strings.TrimPrefix(strings.TrimPrefix(entry, "https://"), "http://")
	entry = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(entry, "/"), "/v1"), "/v2")
	host, path, _ := strings.Cut(entry, "/")
	if host == "index.docker.io" || host == "docker.io" {
		host = "registry-1.docker.io"
	}
	return strings.TrimSuffix(host+"/"+path, "/")
}

func begins(repository, prefix string) bool {
	return prefix != "" && strings.HasPrefix(repository+"/", prefix+"/")
}

// lack says what credentials there are.
func (l *Login) lack() string {
	switch {
	case l == nil:
		return "the class names no pull Secret"
	case l.used == auth.EmptyCredential:
		return fmt.Sprintf("the pull Secret %s has no entry for it", l.secret)
	default:
		return fmt.Sprintf("does not take the credentials of the pull Secret %s", l.secret)
	}
}

// cure says what to do about it.
func (l *Login) cure() string {
	if l == nil {
		return "Make a Secret by kubectl create secret docker-registry in the namespace of the class, and name it in pullSecretRef."
	}
	return "Correct the Secret: it is read again at once."
}

// redact takes out of a text what is in the Secret.
func (l *Login) redact(text string) string {
	if l == nil {
		return text
	}
	const shortest = 4 // A shorter one is a part of other words, and no secret.
	pair := base64.StdEncoding.EncodeToString([]byte(l.used.Username + ":" + l.used.Password))
	for _, secret := range []string{pair, l.used.Password, l.used.RefreshToken, l.used.AccessToken, l.used.Username} {
		if len(secret) >= shortest {
			text = strings.ReplaceAll(text, secret, "[secret]")
		}
	}
	return text
}
