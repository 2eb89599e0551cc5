package runner_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/ownership"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/runner"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// moving has an Environment that is gone and has left a state with a secret, and the place where another one will be.
type moving struct {
	*testing.T
	from, to *environment
	given    inputs.Inputs
	left     []corev1.Secret
}

func newMoving(t *testing.T) *moving {
	t.Helper()
	m := &moving{T: t, from: newEnvironment(t), to: newEnvironment(t)}
	made, err := key()
	require.NoError(t, err)
	require.NoError(t, direct.Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: m.from.namespace, Name: "shop-passphrase", Labels: ownership.Labels("shop", v1alpha1.PartPassphrase)},
		Data:       map[string][]byte{stack.PassphraseKey: []byte(made[0]), stack.SaltKey: []byte(made[1])},
	}))
	m.given = m.from.twoConfigMaps("green")
	m.given.Files["Pulumi.yaml"] = append(m.given.Files["Pulumi.yaml"], "  hidden: {fn::secret: well-hidden}\n"...)
	p, _, exit := m.from.run(v1alpha1.OperationUpdate, m.given)
	require.Zero(t, exit, p.log.String())
	m.left = m.parts(m.from)
	return m
}

func (m *moving) move(direct client.Client, project string) error {
	_, err := runner.Move(m.Context(), direct, types.NamespacedName{Namespace: m.from.namespace, Name: "shop"}, types.NamespacedName{Namespace: m.to.namespace, Name: "shop"}, project)
	return err
}

// parts are the Secrets of a state.
func (m *moving) parts(of *environment) []corev1.Secret {
	m.Helper()
	var list corev1.SecretList
	require.NoError(m, direct.List(m.Context(), &list, client.InNamespace(of.namespace), client.HasLabels{v1alpha1.LabelPart}))
	return list.Items
}

// again puts everything back to where it was before a move.
func (m *moving) again() {
	m.Helper()
	for _, of := range []*environment{m.from, m.to} {
		for _, part := range m.parts(of) {
			part.Finalizers = nil
			require.NoError(m, direct.Update(m.Context(), &part))
			require.NoError(m, client.IgnoreNotFound(direct.Delete(m.Context(), &part)))
		}
	}
	for _, part := range m.left {
		part.ResourceVersion, part.UID = "", ""
		require.NoError(m, direct.Create(m.Context(), &part))
	}
}

// usable says whether an Environment could go on with its state, by an export whose secrets its passphrase opens.
func (m *moving) usable(of *environment) bool {
	m.Helper()
	exported, err := runner.Export(m.Context(), direct, of.namespace, "shop")
	if err != nil || !strings.Contains(string(exported), "second") {
		return false
	}
	return runner.Import(m.Context(), direct, of.namespace, "shop", exported) == nil
}

// goOn runs a program with the state that was moved.
func (m *moving) goOn(given inputs.Inputs) (*pod, *state.Head, int) {
	m.Helper()
	own := &corev1.Secret{}
	require.NoError(m, direct.Get(m.Context(), client.ObjectKey{Namespace: m.to.namespace, Name: "shop-passphrase"}, own))
	require.NotEqual(m, m.from.phrase, string(own.Data[stack.PassphraseKey]))
	for name, content := range own.Data {
		m.to.write(filepath.Join(m.to.passphrase, name), content)
	}
	m.to.serial = m.to.head().Record.Serial
	return m.to.run(v1alpha1.OperationUpdate, given)
}

// dying is a client of a process that is killed before its nth write.
func dying(n int) client.Client {
	write := func(write func() error) error {
		if n--; n < 0 {
			return errors.New("killed")
		}
		return write()
	}
	return interceptor.NewClient(direct, interceptor.Funcs{
		Create: func(ctx context.Context, next client.WithWatch, object client.Object, options ...client.CreateOption) error {
			return write(func() error { return next.Create(ctx, object, options...) })
		},
		Update: func(ctx context.Context, next client.WithWatch, object client.Object, options ...client.UpdateOption) error {
			return write(func() error { return next.Update(ctx, object, options...) })
		},
		Patch: func(ctx context.Context, next client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
			return write(func() error { return next.Patch(ctx, object, patch, options...) })
		},
		Delete: func(ctx context.Context, next client.WithWatch, object client.Object, options ...client.DeleteOption) error {
			return write(func() error { return next.Delete(ctx, object, options...) })
		},
	})
}

func TestAStateMovesToAnotherEnvironment(t *testing.T) { // [X64]
	t.Parallel()
	m := newMoving(t)
	t.Run("not while the first one exists", func(t *testing.T) {
		environment := &v1alpha1.Environment{ObjectMeta: metav1.ObjectMeta{Namespace: m.from.namespace, Name: "shop"}}
		environment.Spec.Program.ConfigMapRef.Name, environment.Spec.ServiceAccountName = "program", "environment-runner"
		require.NoError(t, direct.Create(t.Context(), environment))
		require.ErrorContains(t, m.move(direct, ""), "exists, and would go on with it")
		require.NoError(t, direct.Delete(t.Context(), environment))
	})
	t.Run("not to a program of another project", func(*testing.T) {
		require.ErrorContains(t, m.move(direct, "blog"), `it is of the project "shop"`)
	})
	t.Run("not after a run that was interrupted", func(*testing.T) {
		head := m.from.head()
		was := head.Record
		head.Record.Outcome = state.Running
		require.NoError(t, m.from.store.Save(t.Context(), head))
		require.ErrorContains(t, m.move(direct, ""), "was interrupted, and may have made what the state does not know")
		head.Record = was
		require.NoError(t, m.from.store.Save(t.Context(), head))
	})
	t.Run("not over the state of another one", func(*testing.T) {
		head := m.to.head()
		head.Record.ResourceCount = 3
		require.NoError(t, m.to.store.Save(t.Context(), head))
		require.ErrorContains(t, m.move(direct, ""), "has a state already, with 3 resources")
		head.Record.ResourceCount = 0
		require.NoError(t, m.to.store.Save(t.Context(), head))
	})
	t.Run("and nothing was moved by what was refused", func(*testing.T) { require.True(t, m.usable(m.from)) })

	t.Run("killed at any write, it is repeated, and all the time one of the two has the whole state", func(*testing.T) {
		writes := 0
		for killed := true; killed; writes++ {
			m.again()
			killed = m.move(dying(writes), "shop") != nil
			require.True(t, m.usable(m.to) || m.usable(m.from), "killed before write %d", writes)
			require.NoError(t, m.move(direct, "shop"), "after it was killed before write %d", writes)
			require.Empty(t, m.parts(m.from))
		}
		require.True(t, m.usable(m.to))
		require.Greater(t, writes, 5)
	})
	t.Run("which goes on with the same objects, by a passphrase of its own", func(*testing.T) {
		uids := []types.UID{m.from.configMap("first").UID, m.from.configMap("second").UID}
		p, head, exit := m.goOn(m.given)
		require.Zero(t, exit, p.log.String())
		assert.Equal(t, v1alpha1.Summary{"update": 2}, head.Record.Summary, "of the field managers")
		assert.Equal(t, state.Output{Value: "well-hidden", Secret: true}, head.Outputs["hidden"])
		assert.Equal(t, uids, []types.UID{m.from.configMap("first").UID, m.from.configMap("second").UID})
		assert.NotContains(t, unpacked(t, head), m.from.namespace+".shop", "the former stack is nowhere in the state")
		assert.NotContains(t, unpacked(t, head), `"protect":true`)
	})
}

func TestAMovedStateLosesNoObject(t *testing.T) { // [X64]
	t.Parallel()
	m := newMoving(t)
	require.NoError(t, m.move(direct, ""))
	without, _, _ := strings.Cut(string(m.given.Files["Pulumi.yaml"]), "  second:\n")
	p, head, _ := m.goOn(inputs.Inputs{Files: map[string][]byte{"Pulumi.yaml": []byte(without)}})
	assert.Equal(t, state.Failed, head.Record.Outcome)
	assert.Contains(t, head.Record.Message, "second", p.log.String())
	assert.Contains(t, head.Record.Message, "protected")
	m.from.configMap("second")

	exported, err := runner.Export(t.Context(), direct, m.to.namespace, "shop")
	require.NoError(t, err)
	allowed := strings.ReplaceAll(string(exported), `"protect": true`, `"protect": false`)
	require.NoError(t, runner.Import(t.Context(), direct, m.to.namespace, "shop", []byte(allowed)))
	p, _, exit := m.goOn(inputs.Inputs{Files: map[string][]byte{"Pulumi.yaml": []byte(without)}})
	require.Zero(t, exit, p.log.String())
	assert.Equal(t, []string{"first"}, m.from.configMaps(), "it was allowed to")
}

func TestAStateMovesIntoAClassWhoseProgramIsInARegistry(t *testing.T) { // [X63] [X64]
	t.Parallel()
	m := newMoving(t)
	require.NoError(t, client.IgnoreNotFound(direct.Delete(t.Context(), &v1alpha1.Environment{ObjectMeta: metav1.ObjectMeta{Namespace: m.from.namespace, Name: "shop"}})))
	of := &v1alpha1.EnvironmentClass{ObjectMeta: metav1.ObjectMeta{Name: m.to.namespace}, Spec: v1alpha1.EnvironmentClassSpec{
		Kind: v1alpha1.ClassKind{Kind: "Shelf", Plural: "shelves"}, Schema: &apiextensionsv1.JSON{Raw: []byte(`{}`)}, Namespace: m.to.namespace,
		Program:  &v1alpha1.ClassProgram{OCI: v1alpha1.OCIArtifact{Ref: "registry.example.com/shelf:1"}},
		Template: v1alpha1.EnvironmentSpec{ServiceAccountName: "runner"},
	}}
	require.NoError(t, direct.Create(t.Context(), of))
	t.Cleanup(func() { require.NoError(t, client.IgnoreNotFound(direct.Delete(context.Background(), of))) })
	move := func() string {
		command := exec.Command(operator, "state", "move", "--namespace="+m.from.namespace, "--environment=shop", "--to-class="+of.Name) //nolint:gosec // built here
		command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
		out, _ := command.CombinedOutput()
		return string(out)
	}
	assert.Contains(t, move(), "the class "+of.Name+" has no program yet")

	snapshot, err := class.Snapshot(of, &corev1.ConfigMap{Data: map[string]string{"Pulumi.yaml": string(m.given.Files["Pulumi.yaml"])}})
	require.NoError(t, err)
	require.NoError(t, direct.Create(t.Context(), snapshot))
	of.Status.Revision = snapshot.Name
	require.NoError(t, direct.Status().Update(t.Context(), of))
	assert.Contains(t, move(), "moved to "+m.to.namespace+"/shop-")
	assert.Empty(t, m.parts(m.from))
}
