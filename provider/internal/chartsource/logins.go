package chartsource

import (
	"cmp"
	"context"
	"os"
	"path/filepath"

	"helm.sh/helm/v4/pkg/helmpath"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
)

// LoginFiles returns the files in which `helm registry login` and `docker login` store logins, in the order in which helm reads them.
func LoginFiles() []string {
	files := []string{cmp.Or(os.Getenv("HELM_REGISTRY_CONFIG"), helmpath.ConfigPath("registry", "config.json"))}
	folder := os.Getenv("DOCKER_CONFIG")
	if home, err := os.UserHomeDir(); folder == "" && err == nil {
		folder = filepath.Join(home, ".docker")
	}
	if folder != "" {
		files = append(files, filepath.Join(folder, "config.json"))
	}
	return files
}

// credential returns the credentials for a registry: the given ones, or the first login for it. Files are read, and credential helpers run,
// only once a registry asks for credentials.
func (f *Fetcher) credential(wanted *wanted) auth.CredentialFunc {
	if wanted.access.username != "" || wanted.access.password != "" {
		return auth.StaticCredential(wanted.registry.Host(), auth.Credential{
			Username: wanted.access.username, Password: wanted.access.password,
		})
	}
	return func(ctx context.Context, host string) (auth.Credential, error) {
		for _, file := range f.Logins {
			store, err := credentials.NewStore(file, credentials.StoreOptions{})
			if err != nil {
				return auth.EmptyCredential, errorf(Denied, "the registry wants credentials, and %s cannot be read", file).
					advising("correct the file, or set repoUsername and repoPassword.")
			}
			found, err := credentials.Credential(store)(ctx, host)
			if err != nil {
				return auth.EmptyCredential, errorf(Denied, "the registry wants credentials, and the credential helper of %s failed", file).
					advising("log in again, or set repoUsername and repoPassword.")
			}
			if found != auth.EmptyCredential {
				return found, nil
			}
		}
		return auth.EmptyCredential, nil
	}
}
