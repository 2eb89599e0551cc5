package controller_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

func outputsTo(name string) func(*v1alpha1.EnvironmentSpec) {
	return func(spec *v1alpha1.EnvironmentSpec) { spec.OutputsSecretName = name }
}

func TestOutputsAreNotWrittenWhereTheStateIs(t *testing.T) { // [X42]
	p := newPlace(t)
	for _, name := range []string{"shop-state", "shop-passphrase", "shop-7-inputs", "shop-state-0123456789abcdef0123456789abcdef"} {
		err := p.Create(p.Context(), p.environmentOf(outputsTo(name)), client.DryRunAll)
		require.ErrorContains(t, err, "spec.outputsSecretName is the name of a Secret in which the operator keeps the state", name)
	}
	for _, name := range []string{"shop-inputs-of-others", "shop-outputs", "results"} {
		require.NoError(t, p.Create(p.Context(), p.environmentOf(outputsTo(name)), client.DryRunAll), name)
	}
}

func TestOutputsAreNotWrittenOverAStateOfAnotherEnvironment(t *testing.T) { // [X42]
	p := newPlace(t)
	require.NoError(t, state.New(p.Client, p.namespace, "other").CreateEmpty(t.Context()))
	other := p.secret("other-state")
	// Who may edit Secrets can say that it is of this Environment, but not make it its outputs.
	other.Labels[v1alpha1.LabelEnvironment] = "shop"
	require.NoError(t, p.Update(t.Context(), other))
	p.environment(outputsTo("other-state"))
	p.runs(1)
	assert.Contains(t, p.becomes("OutputsNotWritten"), "other-state")
	p.requireUntouched(other)
}

func TestANameThatIsTakenIsSaidAndLeftAlone(t *testing.T) { // [X43]
	foreignLease := func(p *place, name string) client.Object {
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name}}
		p.make(lease)
		return lease
	}
	foreignSecret := func(p *place, name string) client.Object { return p.foreign(name) }
	for name, taker := range map[string]func(*place, string) client.Object{
		"shop-passphrase": foreignSecret, "shop-state": foreignSecret, "shop-run": foreignLease,
	} {
		t.Run(name+" goes on when it is free", func(t *testing.T) {
			p := newPlace(t)
			object := taker(p, name)
			p.environment()
			assert.Contains(t, p.becomes("NameTaken"), name+" is not of this Environment")
			p.requireUntouched(object)
			require.NoError(t, p.Delete(t.Context(), object))
			p.runs(1)
			p.becomes("Applied")
		})
		t.Run(name+" stays when the Environment goes", func(t *testing.T) {
			p := newPlace(t)
			object := taker(p, name)
			p.environment()
			p.becomes("NameTaken")
			p.remove()
			p.eventually(func() bool { return p.read() == nil }, "it is gone")
			p.requireUntouched(object)
		})
	}
}

func TestAStateThatOthersHaveReplacedIsNotDestroyedWith(t *testing.T) { // [X43]
	p := newPlace(t)
	p.applied()
	head := p.secret("shop-state")
	head.Finalizers = nil
	require.NoError(t, p.Update(t.Context(), head))
	require.NoError(t, p.Delete(t.Context(), head))
	object := p.foreign("shop-state")
	p.remove()
	assert.Contains(t, p.becomes("NameTaken"), "shop-state is not of this Environment")
	p.requireUntouched(object)
	environment := p.read()
	environment.Annotations = map[string]string{v1alpha1.AnnotationOrphan: "true"}
	require.NoError(t, p.Update(t.Context(), environment))
	p.eventually(func() bool { return p.read() == nil }, "it is gone")
	p.requireUntouched(object)
}

func TestInputsGetAnotherNameThanASecretOfOthers(t *testing.T) { // [X43]
	p := newPlace(t)
	object := p.foreign("shop-1-inputs")
	p.environment()
	p.runs(2)
	p.becomes("Applied")
	p.requireUntouched(object)
}

func TestAPodOfOthersWithOurLabelBlocksNothing(t *testing.T) { // [X50]
	p := newPlace(t)
	p.make(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}})
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "theirs", Labels: map[string]string{v1alpha1.LabelEnvironment: "shop"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "theirs", Image: "theirs"}}},
	}
	p.make(pod)
	p.applied()
}

func TestASecretOfAnEnvironmentThatIsGoneCanBeDeleted(t *testing.T) { // [X52]
	p := newPlace(t)
	p.applied()
	p.remove()
	p.eventually(func() bool {
		environment := p.read()
		if environment != nil {
			environment.Finalizers = nil
			_ = p.Update(t.Context(), environment) // until it is not overtaken
		}
		return environment == nil
	}, "it is gone")
	for _, name := range []string{"shop-state", "shop-passphrase"} {
		secret := p.secret(name) // It stays until it is deleted.
		require.NoError(t, p.Delete(t.Context(), secret))
		require.Eventually(t, func() bool { return p.isGone(secret) }, eventually, moment, name+" is gone")
	}
}
