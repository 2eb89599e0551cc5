package controller_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

func withPassword(spec *v1alpha1.EnvironmentSpec) {
	spec.SecretConfig = map[string]v1alpha1.SecretConfigSource{
		"password": {SecretKeyRef: v1alpha1.SecretKeyReference{Name: "database", Key: "password"}},
	}
}

// looks makes the controller look at the Environment once more, at least at what is there now.
func (p *place) looks() {
	p.Helper()
	p.change(func(environment *v1alpha1.Environment) {
		environment.Spec.Suspend = false
		environment.Spec.Retry.Limit = new(*environment.Spec.Retry.Limit + 1)
	})
	p.eventually(func() bool {
		environment := p.read()
		return environment.Status.ObservedGeneration == environment.Generation
	}, "it was looked at")
}

func TestOnlyAnotherValueOfASecretRunsTheProgram(t *testing.T) { // [X54]
	p := newPlace(t)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "database"}, Data: map[string][]byte{"password": []byte("one"), "other": nil}}
	p.make(secret)
	p.environment(withPassword)
	p.runs(1)
	p.becomes("Applied")
	secret.Annotations = map[string]string{"rotated-by": "nobody"}
	secret.Data["other"] = []byte("changed")
	require.NoError(t, p.Update(t.Context(), secret))
	p.looks()
	require.Nil(t, p.read().Status.CurrentOperation)
	require.True(t, meta.IsStatusConditionTrue(p.read().Status.Conditions, v1alpha1.ConditionReady))
	secret.Data["password"] = []byte("two")
	require.NoError(t, p.Update(t.Context(), secret))
	p.runs(2)
	p.becomes("Applied")
}

func TestARunThatIsAskedFor(t *testing.T) { // [X56]
	p := newPlace(t)
	p.applied()
	ask := func(value string) {
		p.change(func(environment *v1alpha1.Environment) {
			environment.Annotations = map[string]string{v1alpha1.AnnotationRun: value}
		})
	}
	ask("today")
	p.runs(2)
	p.eventually(func() bool { return p.read().Status.LastRunRequest == "today" }, "it has run")
	p.looks()
	require.Nil(t, p.read().Status.CurrentOperation, "once")
	ask("tomorrow")
	p.runs(3)
	p.eventually(func() bool { return p.read().Status.LastRunRequest == "tomorrow" }, "it has run")
}

func TestAnEnvironmentOfAGoProgramGetsItsDefaults(t *testing.T) { // [X56]
	p := newPlace(t)
	p.environment(func(spec *v1alpha1.EnvironmentSpec) {
		spec.Timeout, spec.Retry, spec.DriftDetection = nil, v1alpha1.RetryPolicy{}, &v1alpha1.DriftDetection{}
	})
	spec := p.read().Spec
	require.Equal(t, 30*time.Minute, spec.Timeout.Duration)
	require.Equal(t, 30*time.Second, spec.Retry.Backoff.Duration)
	require.Equal(t, 10*time.Minute, spec.DriftDetection.Interval.Duration)
}

func TestARunSaysHowFarItHasCome(t *testing.T) { // [X56]
	p := newPlace(t)
	p.environment()
	p.job(1)
	store := state.New(p.Client, p.namespace, "shop")
	head, err := store.Read(t.Context())
	require.NoError(t, err)
	head.Record = state.Record{Serial: 1, Kind: v1alpha1.OperationUpdate, Outcome: state.Running, StartedAt: metav1.Now(), ResourceCount: 983}
	require.NoError(t, store.Save(t.Context(), head))
	p.eventually(func() bool { return strings.Contains(p.becomes("Updating"), "So far the stack has 983 resources.") }, "it says so")
}

func TestAHashOfBeforeHoldsUntilSomethingChanges(t *testing.T) { // [X54]
	p := newPlace(t)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "database"}, Data: map[string][]byte{"password": []byte("one")}}
	p.make(secret)
	var program corev1.ConfigMap
	require.NoError(t, p.Get(t.Context(), client.ObjectKey{Namespace: p.namespace, Name: "program"}, &program))
	of := func(version string) string {
		return inputs.Hash(inputs.HashProgram(map[string][]byte{"Pulumi.yaml": []byte(program.Data["Pulumi.yaml"])}), map[string]json.RawMessage{},
			map[string]inputs.Value{"password": {Secret: "database", Key: "password", ResourceVersion: version}}, "")
	}
	p.environment(withPassword, func(spec *v1alpha1.EnvironmentSpec) { spec.Suspend = true })
	environment := p.read()
	environment.Status.LastApplied = &v1alpha1.Applied{Hash: of(secret.ResourceVersion), Generation: 1, Serial: 1, Time: metav1.Now()}
	environment.Status.Serial = 1
	p.eventually(func() bool {
		environment.ResourceVersion = p.read().ResourceVersion
		return p.Status().Update(t.Context(), environment) == nil
	}, "the status is of an earlier operator")
	p.looks()
	p.becomes("Applied")
	require.Nil(t, p.read().Status.CurrentOperation)
}

func withBackend(spec *v1alpha1.EnvironmentSpec) {
	spec.Backend = &v1alpha1.Backend{URL: "s3://states", CredentialsSecretRef: &v1alpha1.LocalObjectReference{Name: "states"}}
}

func credentials() *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "states"}, StringData: map[string]string{"AWS_SECRET_ACCESS_KEY": "secret"}}
}

func TestCredentialsThatComeLaterAreWaitedFor(t *testing.T) { // [X73]
	p := newPlace(t)
	p.environment(withBackend)
	require.Contains(t, p.becomes("InputsMissing"), "Secret states is not there, and spec.backend.credentialsSecretRef names it.")
	p.make(credentials())
	p.eventually(func() bool {
		operation := p.read().Status.CurrentOperation
		return operation != nil && operation.JobUID != ""
	}, "it runs")
}

func TestADestroyWithoutCredentialsSaysSoAndHoldsNoSlot(t *testing.T) { // [X73]
	p := newPlaceFor(t, 1)
	secret := credentials()
	p.make(secret)
	p.environment(withBackend)
	p.runs(1)
	p.becomes("Applied")
	require.NoError(t, p.Delete(t.Context(), secret))
	p.remove()
	p.eventually(func() bool { return strings.Contains(p.becomes("InputsMissing"), v1alpha1.AnnotationOrphan+"=true") }, "it says the way out")
	other := p.and("other")
	other.environment()
	other.runs(1)
	other.becomes("Applied")
	p.make(credentials())
	p.job(2)
}

func TestAStatusThatOthersHaveWrittenIsReplaced(t *testing.T) { // [X76]
	p := newPlace(t)
	p.environment(func(spec *v1alpha1.EnvironmentSpec) { spec.Suspend = true })
	p.eventually(func() bool {
		return meta.IsStatusConditionTrue(p.read().Status.Conditions, v1alpha1.ConditionSuspended)
	}, "it is suspended")
	p.eventually(func() bool {
		environment := p.read()
		environment.Status.Retry = &v1alpha1.Retry{Count: 9, InputHash: "of before", Kind: v1alpha1.OperationUpdate, Generation: 1}
		environment.Status.LastFailure = &v1alpha1.Failure{Time: metav1.Now(), Reason: "UpdateFailed", Message: "of before"}
		return p.Status().Update(t.Context(), environment, client.FieldOwner("restore")) == nil
	}, "the status is restored")
	p.change(func(environment *v1alpha1.Environment) { environment.Spec.Suspend = false })
	p.runs(1)
	p.becomes("Applied")
	require.Nil(t, p.read().Status.CurrentOperation)
	require.Nil(t, p.read().Status.Retry)
	require.Nil(t, p.read().Status.LastFailure)
}

func TestTheStatusNamesTheSecretWithTheOutputs(t *testing.T) { // [X78]
	p := newPlace(t)
	p.applied()
	p.change(func(environment *v1alpha1.Environment) { environment.Spec.OutputsSecretName = "results" })
	p.eventually(func() bool { return p.read().Status.OutputsSecretRef.Name == "results" }, "it is named")
	p.secret("results")
}
