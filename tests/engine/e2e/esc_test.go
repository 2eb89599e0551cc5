package e2e

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/esc"
	"github.com/pulumi/esc/eval"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

var escFolder = filepath.Join("..", "..", "..", "examples", "esc")

// TestESC runs the program of examples/esc with each of its environments: a stack gets what comes out of
// the environment's evaluation, as it does from Pulumi Cloud, and nothing else about a cluster.
func TestESC(t *testing.T) {
	t.Parallel()
	clusters := map[string]*cluster.Cluster{"east": shared.Get(t), "west": workloads.Get(t)}
	for _, variant := range []struct {
		name, cluster string
		config        []string // of the provider, that is in the state
		secret        string   // what of it is secret
	}{
		{"static-kubeconfig", "east", nil, ""},
		{"token", "east", []string{"clusterCaCertificate", "host", "token"}, "token"},
		{"exec", "east", []string{"clusterCaCertificate", "exec", "host"}, "exec"},
		{"east", "east", []string{"clusterCaCertificate", "exec", "host"}, "exec"},
		{"west", "west", []string{"clusterCaCertificate", "exec", "host"}, "exec"},
	} {
		t.Run("the environment "+variant.name+" connects a stack, and keeps its credentials secret", func(t *testing.T) {
			t.Parallel()
			live := map[string]*kube{"east": kubeOf(t, clusters["east"]), "west": kubeOf(t, clusters["west"])}
			s := newStackIn(t, live[variant.cluster], "")
			s.nowhere(t)
			program, err := readFile(escFolder, "Pulumi.yaml")
			require.NoError(t, err)
			s.file(t, "Pulumi.yaml", replaceAll(program, "name: esc\n", "name: "+s.project+"\n"))
			envs := newEnvironments(t, clusters)
			s.open(t, envs, variant.name)

			settings := "v1/ConfigMap/" + s.project + "/settings"
			envs.hides(t, "preview", s.preview(t))
			envs.hides(t, "up", s.up(t, "--diff"))
			s.previewEmpty(t)
			for name, k := range live {
				if name == variant.cluster {
					assert.Equal(t, "hello", k.value(t, settings, "data", "greeting"))
				} else {
					k.gone(t, settings)
				}
			}
			saved := s.export(t)
			envs.hides(t, "export", s.exported(t))
			envs.hides(t, "backend", s.everythingSaved(t))
			inputs := providerOf(t, saved).Inputs
			maps.DeleteFunc(inputs, func(key string, _ any) bool { return key == "version" || strings.HasPrefix(key, "__") })
			assert.Equal(t, variant.config, slices.Sorted(maps.Keys(inputs)))
			for key := range inputs {
				_, encrypted := at(inputs, key, "ciphertext").(string)
				assert.Equal(t, key == variant.secret, encrypted, "%s is secret", key)
			}
			envs.hides(t, "destroy", s.destroy(t))
			live[variant.cluster].gone(t, "v1/Namespace/"+s.project)
		})
	}
}

// providerOf is the default provider in a state.
func providerOf(t *testing.T, saved state) resource {
	t.Helper()
	for _, r := range saved.all {
		if r.Type == "pulumi:providers:k8sconnect" {
			return r
		}
	}
	t.Fatal("there is no provider in the state")
	return resource{}
}

// environments are those of examples/esc, with clusters and credentials that exist in place of those that
// a reader replaces.
type environments struct {
	values  *strings.Replacer
	secrets map[string]string // what has to stay secret, by what it is
	path    string            // of a folder with the command that the environments name
}

func newEnvironments(t *testing.T, clusters map[string]*cluster.Cluster) *environments {
	t.Helper()
	const secretKey = "wJalrXUtnFEMI/K7MDENG/bPxRfiCY-EXAMPLE"
	e := &environments{secrets: map[string]string{"AWS key": secretKey}, path: t.TempDir()}
	values := []string{"AWS-SECRET-KEY", secretKey}
	for name, c := range clusters {
		user := administrator(t, c)
		e.secrets["token of "+name] = user.Token
		values = append(values,
			map[string]string{"east": "https://203.0.113.7:6443", "west": "https://198.51.100.7:6443"}[name], user.Host,
			strings.ToUpper(name)+"-CA-IN-BASE64", encode(user.CACertificate),
			strings.ToUpper(name)+"-TOKEN", user.Token)
	}
	e.values = strings.NewReplacer(values...)
	// As the real one, it answers in the version that it is asked for.
	require.NoError(t, os.WriteFile(filepath.Join(e.path, "aws"), fmt.Appendf(nil, `#!/bin/sh
[ "$AWS_ACCESS_KEY_ID/$AWS_SECRET_ACCESS_KEY/$AWS_REGION" = "AKIAIOSFODNN7EXAMPLE/%s/eu-central-1" ] || exit 1
case "$*" in
"eks get-token --cluster-name east --output json") token=%s ;;
"eks get-token --cluster-name west --output json") token=%s ;;
*) exit 2 ;;
esac
case "$KUBERNETES_EXEC_INFO" in
*'"client.authentication.k8s.io/v1"'*) version=v1 ;;
*) version=v1beta1 ;;
esac
printf '{"apiVersion":"client.authentication.k8s.io/%%s","kind":"ExecCredential","status":{"token":"%%s"}}' $version $token
`, secretKey, e.secrets["token of east"], e.secrets["token of west"]), 0o700))
	return e
}

// administrator is a service account that may do everything, with a token.
func administrator(t *testing.T, c *cluster.Cluster) cluster.User {
	t.Helper()
	space, k := c.Namespace(t), kubeOf(t, c)
	user, err := c.ServiceAccount(t.Context(), space, "deployer", time.Hour)
	require.NoError(t, err)
	binding := "rbac.authorization.k8s.io/v1/ClusterRoleBinding/" + space
	t.Cleanup(func() { k.remove(t, binding) })
	k.apply(t, binding, "test", fmt.Sprintf(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: %[1]s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: deployer, namespace: %[1]s}]
`, space))
	return user
}

// hides wants that no credential is in a text.
func (e *environments) hides(t *testing.T, place, text string) {
	t.Helper()
	for what, secret := range e.secrets {
		assert.False(t, strings.Contains(text, secret), "the %s is readable in the %s", what, place)
		assert.False(t, strings.Contains(text, encode([]byte(secret))), "the %s is readable in the %s, in base64", what, place)
	}
}

// LoadEnvironment is how the library finds an environment, with its secrets encrypted as they are stored.
func (e *environments) LoadEnvironment(ctx context.Context, name string) ([]byte, eval.Decrypter, error) {
	file, ours := strings.CutPrefix(name, "k8sconnect/")
	if !ours {
		return nil, nil, fmt.Errorf("there is no environment %s", name)
	}
	text, err := readFile(filepath.Join(escFolder, "environments"), file+".yaml")
	if err != nil {
		return nil, nil, err
	}
	stored, err := eval.EncryptSecrets(ctx, name, []byte(e.values.Replace(text)), reversed{})
	for what, secret := range e.secrets {
		if err == nil && bytes.Contains(stored, []byte(secret)) {
			err = fmt.Errorf("%s: the %s is no fn::secret", name, what)
		}
	}
	return stored, reversed{}, err
}

// LoadProvider is how the library finds what gets dynamic credentials. The examples do without.
func (e *environments) LoadProvider(_ context.Context, name string) (esc.Provider, error) {
	return nil, fmt.Errorf("there is no provider %s", name)
}

// LoadRotator is how the library finds what renews credentials. The examples do without.
func (e *environments) LoadRotator(_ context.Context, name string) (esc.Rotator, error) {
	return nil, fmt.Errorf("there is no rotator %s", name)
}

// reversed stands for the encryption of Pulumi Cloud.
type reversed struct{}

func (reversed) Encrypt(_ context.Context, plain []byte) ([]byte, error) {
	text := slices.Clone(plain)
	slices.Reverse(text)
	return text, nil
}

func (r reversed) Decrypt(ctx context.Context, text []byte) ([]byte, error) {
	return r.Encrypt(ctx, text)
}

// open gives a stack what an environment evaluates to: pulumiConfig is its configuration, with secrets as
// secrets, environmentVariables are in the environment of its commands, and so are the paths of files.
func (s *stack) open(t *testing.T, e *environments, name string) {
	t.Helper()
	// The environments that a stack imports are imports of an environment without a name.
	declared, diags, err := eval.LoadYAMLBytes(esc.AnonymousEnvironmentName, []byte("imports: [k8sconnect/"+name+"]\n"))
	require.NoError(t, err)
	require.Empty(t, diags)
	values, err := esc.NewExecContext(map[string]esc.Value{})
	require.NoError(t, err)
	opened, diags := eval.EvalEnvironment(t.Context(), esc.AnonymousEnvironmentName, declared, reversed{}, e, e, values)
	require.Empty(t, diags)

	if config, ok := opened.Properties["pulumiConfig"].Value.(map[string]esc.Value); ok {
		s.run(t, append([]string{"config", "set-all", "--stack=" + s.name, "--path"}, settings(t, config)...)...)
		text, err := readFile(s.dir, "Pulumi."+s.name+".yaml")
		require.NoError(t, err)
		e.hides(t, "configuration", text)
	}
	for key, value := range opened.GetEnvironmentVariables() {
		s.env[key] = value.Value.(string)
	}
	for key, value := range opened.GetTemporaryFiles() {
		s.env[key] = filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(s.env[key], []byte(value.Value.(string)), 0o600))
	}
	s.env["PATH"] = e.path + string(os.PathListSeparator) + s.env["PATH"]
}

// settings are the flags of "pulumi config set-all --path" for all values in a configuration.
func settings(t *testing.T, config map[string]esc.Value) []string {
	t.Helper()
	var flags []string
	var add func(path string, value esc.Value)
	add = func(path string, value esc.Value) {
		switch v := value.Value.(type) {
		case map[string]esc.Value:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				add(path+"."+key, v[key])
			}
		case []esc.Value:
			for i, item := range v {
				add(fmt.Sprintf("%s[%d]", path, i), item)
			}
		case string:
			flag := "--plaintext"
			if value.Secret {
				flag = "--secret"
			}
			flags = append(flags, flag, path+"="+v)
		default:
			t.Fatalf("%s is a %T", path, v)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(config)) {
		add(key, config[key])
	}
	return flags
}
