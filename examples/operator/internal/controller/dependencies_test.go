package controller_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/plan"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

func dependsOn(names ...string) func(*v1alpha1.EnvironmentSpec) {
	return func(spec *v1alpha1.EnvironmentSpec) {
		spec.DependsOn = nil
		for _, name := range names {
			spec.DependsOn = append(spec.DependsOn, v1alpha1.EnvironmentReference{Name: name})
		}
	}
}

// configFrom takes values from outputs of the same name of another Environment.
func configFrom(name string, outputs ...string) func(*v1alpha1.EnvironmentSpec) {
	return func(spec *v1alpha1.EnvironmentSpec) {
		spec.ConfigFrom = map[string]v1alpha1.ConfigSource{}
		for _, output := range outputs {
			spec.ConfigFrom[output] = v1alpha1.ConfigSource{EnvironmentRef: v1alpha1.OutputReference{Name: name, Output: output}}
		}
	}
}

// with are the outputs of a run.
func with(outputs map[string]state.Output) func(*state.Head) {
	return func(head *state.Head) { head.Outputs = outputs }
}

// another makes a run of an Environment that is applied, with these outputs.
func (p *place) another(serial int64, outputs map[string]state.Output) {
	p.Helper()
	p.change(func(environment *v1alpha1.Environment) {
		environment.Annotations = map[string]string{v1alpha1.AnnotationRun: fmt.Sprint(serial)}
	})
	p.runs(serial, with(outputs))
	p.eventually(func() bool { return p.read().Status.LastApplied.Serial == serial }, "it has run")
	p.becomes("Applied")
}

// given are the inputs of a run.
func (p *place) given(serial int64) inputs.Inputs {
	p.Helper()
	p.job(serial)
	given, err := inputs.Decode(p.secret(p.read().InputsSecretName(serial)).Data[inputs.Key])
	require.NoError(p, err)
	return given
}

func TestOutputsOfAnotherEnvironmentAreConfiguration(t *testing.T) { // [X67]
	p := newPlace(t)
	p.environment(configFrom("network", "url", "size", "token"), dependsOn("network"))
	require.Contains(t, p.becomes(plan.ReasonDependencyMissing), "Environment network is not there")

	network := p.and("network")
	network.environment()
	network.job(1)
	require.Contains(t, p.becomes(plan.ReasonDependencyNotReady), "Waiting for Environment network. It says: Run 1 (Update) is under way in Job network-1.")
	require.Nil(t, p.read().Status.CurrentOperation)
	network.runs(1, with(map[string]state.Output{"url": {Value: "http://one"}, "size": {Value: 3}}))
	require.Equal(t, `Environment network has no output "token", which spec.configFrom.token names. It has: size, url.`, p.becomes("InputsMissing"))

	outputs := map[string]state.Output{"url": {Value: "http://one"}, "size": {Value: 3}, "token": {Value: "s3cr3t", Secret: true}}
	network.change(func(environment *v1alpha1.Environment) {
		environment.Annotations = map[string]string{v1alpha1.AnnotationRun: "with a token"}
	})
	network.runs(2, with(outputs))
	given := p.given(1)
	require.Equal(t, map[string]json.RawMessage{"url": json.RawMessage(`"http://one"`), "size": json.RawMessage(`3`)}, given.Config)
	require.Equal(t, map[string]string{"token": "s3cr3t"}, given.SecretConfig)
	p.runs(1)
	p.becomes("Applied")
	whole, err := json.Marshal(p.read())
	require.NoError(t, err)
	require.NotContains(t, string(whole), "s3cr3t")

	network.another(3, outputs)
	p.looks()
	p.becomes("Applied")
	require.EqualValues(t, 1, p.read().Status.Serial, "nothing has changed")

	outputs["url"] = state.Output{Value: "http://two"}
	network.another(4, outputs)
	require.JSONEq(t, `"http://two"`, string(p.given(2).Config["url"]))
	p.runs(2)
	p.becomes("Applied")

	outputs["url"] = state.Output{Value: "http://two", Secret: true}
	network.another(5, outputs)
	require.Equal(t, "http://two", p.given(3).SecretConfig["url"], "what becomes a secret is one here, too")
}

func TestAKeyThatIsGivenTwice(t *testing.T) { // [X67]
	p := newPlace(t)
	p.and("network").environment()
	p.environment(withPassword, configFrom("network", "password"))
	p.and("network").runs(1, with(map[string]state.Output{"password": {Value: "one"}}))
	require.Equal(t, `The key "password" is in spec.secretConfig and in spec.configFrom. Keep one of them.`, p.becomes("ConfigInvalid"))
}

func TestACircleIsToldToAllInIt(t *testing.T) { // [X67]
	p := newPlace(t)
	all := map[string]*place{"a": p.and("a"), "b": p.and("b"), "c": p.and("c")}
	all["a"].environment(dependsOn("b"))
	all["b"].environment(dependsOn("c"))
	all["c"].environment(configFrom("a", "url"))
	for name, way := range map[string]string{"a": "a -> b -> c -> a", "b": "b -> c -> a -> b", "c": "c -> a -> b -> c"} {
		require.Contains(t, all[name].becomes(plan.ReasonDependencyCircle), way)
	}
	outside := p.and("outside")
	outside.environment(dependsOn("a"))
	require.Contains(t, outside.becomes(plan.ReasonDependencyStalled), "Environment a is Stalled, and this one depends on it.")

	all["c"].change(func(environment *v1alpha1.Environment) { environment.Spec.ConfigFrom = nil })
	for _, name := range []string{"c", "b", "a"} {
		all[name].runs(1)
		all[name].becomes("Applied")
	}
	outside.job(1)
}

func TestWhatOthersDependOnIsDestroyedLast(t *testing.T) { // [X67]
	p := newPlace(t)
	network := p.and("network")
	network.applied()
	p.environment(dependsOn("network"))
	p.runs(1)
	p.becomes("Applied")

	network.remove()
	message := network.becomes(plan.ReasonHasDependents)
	require.Contains(t, message, "Nothing is destroyed while other Environments depend on this one: shop.")
	p.looks()
	p.becomes("Applied")
	p.remove()
	p.runs(2)
	p.eventually(func() bool { return p.read() == nil }, "it is gone")
	network.runs(2)
	network.eventually(func() bool { return network.read() == nil }, "it is gone, too")
}

func TestWhoDoesNotDependOnItAnyMoreLetsItGo(t *testing.T) { // [X67]
	p := newPlace(t)
	network := p.and("network")
	network.applied()
	p.environment(dependsOn("network"))
	network.remove()
	network.becomes(plan.ReasonHasDependents)
	p.change(func(environment *v1alpha1.Environment) { dependsOn()(&environment.Spec) })
	network.runs(2)
	network.eventually(func() bool { return network.read() == nil }, "it is gone")
}

func TestACircleThatIsDeletedGoes(t *testing.T) { // [X67]
	p := newPlace(t)
	network := p.and("network")
	network.applied()
	p.environment(dependsOn("network"))
	p.runs(1)
	p.becomes("Applied")
	network.change(func(environment *v1alpha1.Environment) { dependsOn("shop")(&environment.Spec) })
	require.Contains(t, network.becomes(plan.ReasonDependencyCircle), "network -> shop -> network")
	p.remove()
	network.remove()
	p.runs(2)
	network.runs(2)
	p.eventually(func() bool { return p.read() == nil && network.read() == nil }, "both are gone")
}

func TestDependenciesThatCanBeRefusedAtOnce(t *testing.T) { // [X67]
	p := newPlace(t)
	for _, row := range []struct {
		change func(*v1alpha1.EnvironmentSpec)
		says   string
	}{
		{dependsOn("shop"), "an Environment cannot depend on itself"},
		{configFrom("shop", "url"), "an Environment cannot depend on itself"},
		{configFrom("network", "a.b"), "a key of configFrom is no path"},
		{dependsOn("network", "network"), "Duplicate value"},
	} {
		require.ErrorContains(t, p.Create(t.Context(), p.environmentOf(row.change)), row.says)
	}
	require.NoError(t, p.Create(t.Context(), p.environmentOf(dependsOn("network", "zone"), configFrom("network", "url")), client.DryRunAll))
}
