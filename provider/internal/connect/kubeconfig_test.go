package connect_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/connect"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

func base64Of(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// wrapped breaks lines as the base64 command does.
func wrapped(text string) string {
	var lines []string
	for len(text) > 76 {
		lines, text = append(lines, text[:76]), text[76:]
	}
	return strings.Join(append(lines, text), "\n") + "\n"
}

func TestAKubeconfigInBase64IsAccepted(t *testing.T) {
	const inJSON = `{"clusters":[{"name":"o","cluster":{"server":"https://one.example.com"}}],"users":[{"name":"a","user":{"token":"hunter2"}}],` +
		`"contexts":[{"name":"c","context":{"cluster":"o","user":"a"}}],"current-context":"c"}`
	for name, value := range map[string]string{
		"on one line":     base64Of(kubeconfig),
		"in lines":        wrapped(base64Of(kubeconfig)),
		"without padding": base64.RawStdEncoding.EncodeToString([]byte(kubeconfig + "#")),
		"with space":      "\n " + base64Of(kubeconfig) + "\n",
		"of JSON":         base64Of(inJSON),
	} {
		t.Run(name+" [D5]", func(t *testing.T) {
			c := connect.Connection{Kubeconfig: connect.NewSecret(value)}
			s := settings(t, c)
			assert.Equal(t, "https://one.example.com", s.Server)
			assert.Equal(t, "hunter2", s.REST.BearerToken)
			assert.NotContains(t, fmt.Sprint(c), strings.TrimSpace(value))
		})
	}
	t.Run("a file whose name happens to be base64 is a file", func(t *testing.T) {
		t.Chdir(t.TempDir())
		write(t, "./kube", kubeconfig)
		assert.Equal(t, "https://one.example.com", settings(t, connect.Connection{Kubeconfig: connect.NewSecret("kube")}).Server)
	})
}

func TestOnlyWhatLooksLikeAPathIsShown(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HOME", t.TempDir())
	for _, path := range []string{
		"/no/such/file", "./prod", "../prod", "~/prod", `C:\Users\me\prod`, "clusters.yaml", "kube/prod.yml", "kubeconfig", "kubeconfigs/prod.json",
	} {
		t.Run(path+" is a path", func(t *testing.T) {
			c := connect.Connection{Kubeconfig: connect.NewSecret(path)}
			_, err := c.Settings("ua", "")
			require.ErrorContains(t, err, "does not exist")
			assert.Contains(t, err.Error(), fmt.Sprintf("%q", strings.Replace(path, "~", os.Getenv("HOME"), 1)))
		})
	}
	encoded := base64Of(kubeconfig)
	for name, secret := range map[string]string{
		"base64 that is cut off":       encoded[:len(encoded)-3],
		"the end of base64":            encoded[len(encoded)-80:],
		"base64 of something else":     base64Of("hunter2-hunter2"),
		"base64 that begins as a path": "/" + strings.Repeat("abcd/efgh", 40),
		"a token":                      "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlcm5ldGVzIn0.c2lnbmF0dXJl",
		"a password":                   "hunter2",
		"a name that no file can have": "/x\x00y",
	} {
		t.Run(name+" is not shown [D5]", func(t *testing.T) {
			c := connect.Connection{Kubeconfig: connect.NewSecret(secret)}
			_, err := c.Settings("ua", "")
			var field *failure.FieldError
			require.ErrorAs(t, err, &field)
			assert.Equal(t, "kubeconfig", field.Field)
			assert.Contains(t, err.Error(), "what is set is neither a kubeconfig nor the path of a file")
			assert.NotContains(t, err.Error(), secret)
			assert.NotContains(t, fmt.Sprint(c), secret)
		})
	}
	t.Run("contents in the environment's KUBECONFIG are not shown [D5]", func(t *testing.T) {
		for _, text := range []string{kubeconfig, encoded, "/no/such/file:" + encoded} {
			t.Setenv("KUBECONFIG", text)
			_, err := connect.Connection{}.Settings("ua", "")
			require.ErrorContains(t, err, "the environment's KUBECONFIG")
			assert.NotContains(t, err.Error(), "hunter2")
			assert.NotContains(t, err.Error(), encoded)
			assert.Less(t, len(err.Error()), 300)
		}
	})
	t.Run("credentials in the place of the path of a file are not shown [D5]", func(t *testing.T) {
		secret := base64Of("-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("hunter2", 60))
		for _, field := range []string{"client-key", "tokenFile"} {
			text := strings.Replace(kubeconfig, "user: {token: hunter2}", "user: {client-certificate-data: eA==, "+field+": "+secret+"}", 1)
			file := write(t, filepath.Join(t.TempDir(), "kubeconfig"), text)
			for _, value := range []string{text, file} {
				_, err := cluster.NewRegistry("ua").Get(connect.Connection{Kubeconfig: connect.NewSecret(value)})
				require.ErrorContains(t, err, field)
				assert.NotContains(t, err.Error(), secret[:40])
			}
		}
	})
	t.Run("a path is named once", func(t *testing.T) {
		_, err := connect.Connection{Kubeconfig: connect.NewSecret("/dev/null/config")}.Settings("ua", "")
		require.Error(t, err)
		assert.Equal(t, 1, strings.Count(err.Error(), "/dev/null/config"), "%v", err)
	})
}
