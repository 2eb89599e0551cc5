package runner_test

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/runner"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// as lets runs be those of a service account, as in a pod.
func (e *environment) as(name string, rules ...rbacv1.PolicyRule) {
	e.t.Helper()
	named := metav1.ObjectMeta{Namespace: e.namespace, Name: name}
	account := &corev1.ServiceAccount{ObjectMeta: named}
	require.NoError(e.t, direct.Create(e.t.Context(), account))
	require.NoError(e.t, direct.Create(e.t.Context(), &rbacv1.Role{ObjectMeta: named, Rules: rules}))
	require.NoError(e.t, direct.Create(e.t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: named,
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: e.namespace, Name: name}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
	}))
	token := &authenticationv1.TokenRequest{}
	require.NoError(e.t, direct.SubResource("token").Create(e.t.Context(), account, token))
	config := clientcmdapi.NewConfig()
	config.Clusters["test"] = &clientcmdapi.Cluster{Server: server.Host, CertificateAuthorityData: server.CAData}
	config.AuthInfos["test"] = &clientcmdapi.AuthInfo{Token: token.Status.Token}
	config.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: "test", Namespace: e.namespace}
	config.CurrentContext = "test"
	e.kubeconfig = filepath.Join(e.t.TempDir(), "kubeconfig")
	require.NoError(e.t, clientcmd.WriteToFile(*config, e.kubeconfig))
}

// What every run has to do: the Role environment-runner.
var everyRun = []rbacv1.PolicyRule{
	{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get", "list", "create", "update", "patch", "delete"}},
	{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"get", "create", "update", "delete"}},
}

func TestRoleOfARunIsEnough(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	e.as("runner", append(everyRun, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "create", "patch", "delete"}})...)

	p, head, exit := e.run(v1alpha1.OperationUpdate, e.twoConfigMaps("green"))
	require.Zero(t, exit, p.log.String())
	assert.Equal(t, state.Succeeded, head.Record.Outcome)
	assert.Empty(t, e.holder())
	small := head.Checkpoint()

	// A state that does not fit into one Secret.
	large := e.twoConfigMaps("green")
	large.Files["Pulumi.yaml"] = append(large.Files["Pulumi.yaml"], "  large: {fn::readFile: ./large}\n"...)
	noise := make([]byte, 500_000)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	large.Files["Pulumi.yaml"] = bytes.ReplaceAll(large.Files["Pulumi.yaml"], []byte("colour: green}\n  second:"), []byte("colour: green, large: {fn::readFile: ./large}}\n  second:"))
	large.Files["large"] = []byte(base64.StdEncoding.EncodeToString(noise))
	p, head, exit = e.run(v1alpha1.OperationUpdate, large)
	require.Zero(t, exit, p.log.String())
	require.Greater(t, len(head.Checkpoint()), 1_000_000, "[X33]")
	assert.Len(t, e.configMap("first").Data["large"], len(large.Files["large"]))

	p, head, exit = e.run(v1alpha1.OperationUpdate, large)
	require.Zero(t, exit, p.log.String())
	assert.Equal(t, v1alpha1.Summary{"same": 2}, head.Record.Summary, "[X33] it is put together again")

	p, head, exit = e.run(v1alpha1.OperationUpdate, e.twoConfigMaps("green"))
	require.Zero(t, exit, p.log.String())
	assert.Less(t, len(head.Checkpoint()), 2*len(small))
	var parts corev1.SecretList
	require.NoError(t, direct.List(t.Context(), &parts, client.InNamespace(e.namespace)))
	assert.Len(t, parts.Items, 1, "[X33] its parts are removed")
}

func TestRunWithoutItsRoleSaysSo(t *testing.T) {
	t.Parallel()
	e := newEnvironment(t)
	e.as("nobody")
	p := e.start(v1alpha1.OperationUpdate, e.twoConfigMaps("green"))
	assert.Equal(t, 1, p.wait(), p.log.String())
	assert.Equal(t, runner.ReasonForbidden, p.message["reason"])
	assert.Contains(t, p.message["message"], "Bind the Role environment-runner")
	assert.Contains(t, p.message["message"], e.namespace+":nobody")
	assert.Zero(t, e.head().Record.Serial)

	e = newEnvironment(t)
	e.as("holder", everyRun[1])
	p = e.start(v1alpha1.OperationUpdate, e.twoConfigMaps("green"))
	assert.Equal(t, 1, p.wait(), p.log.String())
	assert.Equal(t, runner.ReasonForbidden, p.message["reason"])
	assert.Empty(t, e.holder(), "it does not keep what it got")
}
