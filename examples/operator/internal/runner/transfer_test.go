package runner_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/runner"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// manageState runs the command for people, and returns what it prints.
func (e *environment) manageState(given, verb string) string {
	e.t.Helper()
	command := exec.CommandContext(e.t.Context(), operator, "state", verb, "--namespace", e.namespace, "--environment", "shop", "--kubeconfig", e.kubeconfig)
	command.Stdin, command.Env = strings.NewReader(given), []string{}
	out, err := command.Output()
	require.NoError(e.t, err, "%s", out)
	return string(out)
}

func TestAStateIsExportedAndImported(t *testing.T) { // [X57]
	t.Parallel()
	e := newEnvironment(t)
	keep := func(passphrase, salt string) {
		secret := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: "shop-passphrase", Labels: ownership.Labels("shop", v1alpha1.PartPassphrase)},
			Data:       map[string][]byte{stack.PassphraseKey: []byte(passphrase), stack.SaltKey: []byte(salt)},
		}
		require.NoError(t, client.IgnoreNotFound(direct.Delete(t.Context(), secret.DeepCopy())))
		require.NoError(t, direct.Create(t.Context(), secret))
	}
	made, err := key()
	require.NoError(t, err)
	keep(made[0], made[1])
	given := e.twoConfigMaps("green")
	given.Files["Pulumi.yaml"] = append(given.Files["Pulumi.yaml"], "  hidden: {fn::secret: well-hidden}\n"...)
	p, _, exit := e.run(v1alpha1.OperationUpdate, given)
	require.Zero(t, exit, p.log.String())

	exported := e.manageState("", "export")
	assert.NotContains(t, exported, "well-hidden")
	var untyped apitype.UntypedDeployment
	require.NoError(t, json.Unmarshal([]byte(exported), &untyped))
	assert.Equal(t, 3, untyped.Version)

	t.Run("not with another passphrase", func(t *testing.T) {
		other, salt, err := stack.New()
		require.NoError(t, err)
		keep(other, salt)
		assert.ErrorIs(t, runner.Import(t.Context(), direct, e.namespace, "shop", []byte(exported)), stack.ErrKey)
		keep(made[0], made[1])
	})
	t.Run("not while a run has the stack", func(t *testing.T) {
		pod := "another-pod"
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: "shop-run"}}
		require.NoError(t, direct.Get(t.Context(), client.ObjectKeyFromObject(lease), lease))
		lease.Spec.HolderIdentity, lease.Annotations[v1alpha1.AnnotationPod] = &pod, pod
		require.NoError(t, direct.Update(t.Context(), lease))
		assert.ErrorContains(t, runner.Import(t.Context(), direct, e.namespace, "shop", []byte(exported)), "the pod another-pod works on it")
		assert.Equal(t, "cancelled: another-pod\n", e.manageState("", "cancel"))
		assert.Empty(t, e.holder())
		assert.Equal(t, "cancelled: no run\n", e.manageState("", "cancel"))
	})
	foreign := func(rename func(urn.URN) urn.URN) []byte {
		var deployment apitype.DeploymentV3
		require.NoError(t, json.Unmarshal(untyped.Deployment, &deployment))
		deployment.Resources[0].URN = rename(deployment.Resources[0].URN)
		content, err := json.Marshal(deployment)
		require.NoError(t, err)
		exported, err := json.Marshal(apitype.UntypedDeployment{Version: 3, Deployment: content})
		require.NoError(t, err)
		return exported
	}
	t.Run("not of another project", func(t *testing.T) {
		exported := foreign(func(name urn.URN) urn.URN { return name.RenameProject("other") })
		assert.ErrorContains(t, runner.Import(t.Context(), direct, e.namespace, "shop", exported), `it is of the project "other"`)
	})
	t.Run("not of another stack, whose objects the next run would delete [X75]", func(t *testing.T) {
		exported := foreign(func(name urn.URN) urn.URN { return name.RenameStack(tokens.MustParseStackName("team-b.shop")) })
		assert.ErrorContains(t, runner.Import(t.Context(), direct, e.namespace, "shop", exported), `it is of the stack "team-b.shop"`)
	})
	t.Run("where the state was lost, and nothing is made again", func(t *testing.T) {
		before := e.head().Outputs
		head := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: "shop-state"}}
		require.NoError(t, direct.Get(t.Context(), client.ObjectKeyFromObject(head), head))
		head.Finalizers = nil
		require.NoError(t, direct.Update(t.Context(), head))
		require.NoError(t, direct.Delete(t.Context(), head))
		e.manageState(exported, "import")
		restored := e.head().Outputs
		require.Len(t, restored, len(before), "the outputs come back")
		for name, output := range before {
			assert.Equal(t, state.Output{Value: output.Value, Secret: true}, restored[name], "whether a run was given it is not known")
		}
		p, after, exit := e.run(v1alpha1.OperationUpdate, given)
		require.Zero(t, exit, p.log.String())
		assert.Equal(t, state.Succeeded, after.Record.Outcome)
		assert.Equal(t, before, after.Outputs)
		assert.Equal(t, map[string]int32{"same": 2}, map[string]int32(after.Record.Summary))
	})
}
