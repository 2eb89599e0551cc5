package controller_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/artifact/registrytest"
)

const repository = "programs/webapp"

func program(name string) registrytest.Layer {
	return registrytest.File("Pulumi.yaml", "name: "+name+"\nruntime: yaml\n")
}

// from makes a class take its program from a registry.
func from(registry *registrytest.Registry, change ...func(*v1alpha1.OCIArtifact)) func(*v1alpha1.EnvironmentClassSpec) {
	return func(spec *v1alpha1.EnvironmentClassSpec) {
		spec.Template.Program = v1alpha1.ProgramSource{}
		spec.Program = &v1alpha1.ClassProgram{OCI: v1alpha1.OCIArtifact{
			Ref: registry.Host() + "/" + repository + ":1.4", Interval: &metav1.Duration{Duration: 10 * time.Second},
		}}
		for _, change := range change {
			change(&spec.Program.OCI)
		}
	}
}

// looksAgain makes the controller look the tag up again, by a change that means nothing here.
func (p *platform) looksAgain() {
	p.Helper()
	p.changeClass(func(spec *v1alpha1.EnvironmentClassSpec) {
		spec.Rollout.PauseOnFailure = new(!*spec.Rollout.PauseOnFailure)
	})
	p.eventuallyClass(func(of *v1alpha1.EnvironmentClass) bool {
		fetched := meta.FindStatusCondition(of.Status.Conditions, v1alpha1.ConditionProgramFetched)
		return fetched != nil && fetched.ObservedGeneration == of.Generation
	})
}

// revised waits for another revision, and returns its program.
func (p *platform) revised(before string) (revision, program string) {
	p.Helper()
	p.eventuallyClass(func(of *v1alpha1.EnvironmentClass) bool { return of.Status.Revision != before })
	revision = p.readClass().Status.Revision
	kept := &corev1.ConfigMap{}
	require.NoError(p, p.Get(p.Context(), client.ObjectKey{Namespace: p.namespace, Name: revision}, kept))
	assert.True(p, *kept.Immutable)
	return revision, kept.Data["Pulumi.yaml"]
}

// hasEvent waits for an event of the class.
func (p *platform) hasEvent(reason, says string) {
	p.Helper()
	var texts []string
	require.Eventually(p, func() bool {
		texts = p.events()
		for _, text := range texts {
			if strings.HasPrefix(text, reason+": ") && strings.Contains(text, says) {
				return true
			}
		}
		return false
	}, eventually, moment, "%v", stringer(func() string { return strings.Join(texts, "\n") }))
}

func (p *platform) events() []string {
	p.Helper()
	all := &corev1.EventList{}
	require.NoError(p, p.List(p.Context(), all, client.MatchingFields{"involvedObject.name": p.class.Name}))
	var texts []string
	for i := range all.Items {
		texts = append(texts, all.Items[i].Reason+": "+all.Items[i].Message)
	}
	return texts
}

func TestAClassWithAProgramInARegistry(t *testing.T) { // [X63]
	registry := registrytest.New(t)
	digest := registry.Push(t, repository, "1.4", program("first"))
	p := newPlatform(t, from(registry))
	first, content := p.revised("")
	assert.Contains(t, content, "first")
	assert.Contains(t, p.classSays(v1alpha1.ConditionProgramFetched, "Fetched"), ":1.4@"+digest)
	assert.Equal(t, digest, p.readClass().Status.Artifact.Digest)
	p.hasEvent("Fetched", digest)
	team := p.tenant(nil)
	shop := p.new(team, "shop", map[string]any{"image": "shop:1"}, nil)
	shop.runs(1)
	shop.says("Applied")
	assert.Equal(t, first, shop.read().Spec.Program.ConfigMapRef.Name)
	p.classSays(v1alpha1.ConditionRolledOut, "RolledOut")

	t.Run("goes on with the last revision while the registry is down", func(t *testing.T) {
		registry.Fail(http.StatusServiceUnavailable)
		p.looksAgain()
		message := p.classSays(v1alpha1.ConditionProgramFetched, "RegistryUnavailable")
		assert.Contains(t, message, "answers 503")
		assert.Contains(t, message, "The last revision goes on.")
		p.hasEvent("RegistryUnavailable", "answers 503")
		assert.Equal(t, first, p.readClass().Status.Revision)
		p.classSays(v1alpha1.ConditionRolledOut, "RolledOut")

		other := p.new(team, "other", map[string]any{"image": "shop:1"}, nil)
		other.runs(1)
		other.says("Applied")
		assert.Equal(t, first, other.read().Spec.Program.ConfigMapRef.Name)
	})
	t.Run("which also brings a changed template", func(t *testing.T) {
		p.changeClass(func(spec *v1alpha1.EnvironmentClassSpec) {
			spec.Template.Timeout = &metav1.Duration{Duration: time.Minute}
		})
		_, content := p.revised(first)
		assert.Contains(t, content, "first")
		p.classSays(v1alpha1.ConditionProgramFetched, "RegistryUnavailable")
	})
	t.Run("and comes in waves when the tag moves, by itself", func(t *testing.T) {
		registry.Intercept(nil)
		p.looksAgain()
		p.classSays(v1alpha1.ConditionProgramFetched, "Fetched")
		before, generation := p.readClass().Status.Revision, p.readClass().Generation
		digest := registry.Push(t, repository, "1.4", program("second"))
		after, content := p.revised(before)
		assert.Contains(t, content, "second")
		assert.Equal(t, generation, p.readClass().Generation)
		assert.Equal(t, digest, p.readClass().Status.Artifact.Digest)
		all := []*instance{p.of(team, "other"), p.of(team, "shop")}
		require.Eventually(t, func() bool { return len(on(all, after)) > 0 }, eventually, moment)
		assert.Len(t, on(all, after), 1, "one at a time")
		for _, one := range all {
			one.environmentIs(func(e *v1alpha1.Environment) bool { return e.Annotations[v1alpha1.AnnotationRevision] == after })
			one.settle()
		}
		assert.Contains(t, p.classSays(v1alpha1.ConditionRolledOut, "RolledOut"), "2 of 2 are Ready")
	})
	t.Run("and comes back by itself when the registry does", func(*testing.T) {
		registry.Fail(http.StatusBadGateway)
		p.looksAgain()
		p.classSays(v1alpha1.ConditionProgramFetched, "RegistryUnavailable")
		registry.Intercept(nil)
		p.classSays(v1alpha1.ConditionProgramFetched, "Fetched")
	})
	t.Run("and is downloaded once", func(t *testing.T) {
		before := len(registry.Requests("GET /v2/" + repository))
		p.looksAgain()
		p.classSays(v1alpha1.ConditionProgramFetched, "Fetched")
		assert.Len(t, registry.Requests("GET /v2/"+repository), before)
	})
}

func TestAClassWithADigest(t *testing.T) { // [X63]
	registry := registrytest.New(t)
	first := registry.Push(t, repository, "1.4", program("first"))
	second := registry.Push(t, repository, "1.4", program("second"))
	third := registry.Push(t, repository, "1.4", program("third"))
	p := newPlatform(t, from(registry, func(it *v1alpha1.OCIArtifact) { it.Digest = first }))
	before, content := p.revised("")
	assert.Contains(t, content, "first", "whatever the tag is")
	shop := p.new(p.tenant(nil), "shop", map[string]any{"image": "shop:1"}, nil)
	shop.runs(1)
	shop.says("Applied")
	digestIs := func(digest string) {
		p.changeClass(func(spec *v1alpha1.EnvironmentClassSpec) { spec.Program.OCI.Digest = digest })
	}
	// goesOn wants the last revision to be there still, and the class to say that this is not what it names.
	goesOn := func(t *testing.T, reason, says string) {
		t.Helper()
		assert.Contains(t, p.classSays(v1alpha1.ConditionProgramFetched, reason), says)
		message := p.classSays(v1alpha1.ConditionRolledOut, reason)
		assert.Contains(t, message, "The last revision goes on: 1 of 1 are Ready")
		p.hasEvent(reason, says)
		assert.Equal(t, before, p.readClass().Status.Revision)
		assert.Equal(t, first, p.readClass().Status.Artifact.Digest)
	}
	t.Run("that the registry does not have", func(t *testing.T) {
		digestIs("sha256:" + strings.Repeat("0", 64))
		goesOn(t, "ArtifactMissing", "has no such artifact")
	})
	t.Run("that is not the one of what is sent", func(t *testing.T) {
		registry.Garble("/manifests/")
		digestIs(second)
		goesOn(t, "DigestMismatch", "not what the digest stands for")
	})
	t.Run("of what no ConfigMap can hold", func(t *testing.T) {
		registry.Intercept(nil)
		digestIs(registry.Push(t, repository, "1.5", program("fourth"), registrytest.File("../passwd", "")))
		goesOn(t, "ArtifactRefused", `"../passwd" leads out`)
	})
	t.Run("that is there", func(t *testing.T) {
		digestIs(third)
		_, content := p.revised(before)
		assert.Contains(t, content, "third")
		shop.settle()
		p.classSays(v1alpha1.ConditionRolledOut, "RolledOut")
	})
	t.Run("needs no registry any more", func(t *testing.T) {
		registry.Close()
		before := p.readClass().Status.Revision
		p.changeClass(func(spec *v1alpha1.EnvironmentClassSpec) {
			spec.Template.Timeout = &metav1.Duration{Duration: time.Minute}
		})
		_, content := p.revised(before)
		assert.Contains(t, content, "third")
		p.classSays(v1alpha1.ConditionProgramFetched, "Fetched")
	})
}

func TestThePullSecretOfAClass(t *testing.T) { // [X63]
	const username, password = "the-robot", "hunter22"
	registry := registrytest.New(t)
	registry.Push(t, repository, "1.4", program("first"))
	registry.DemandToken(username, password)
	p := newPlatform(t, from(registry, func(it *v1alpha1.OCIArtifact) {
		it.PullSecretRef, it.Interval = &v1alpha1.LocalObjectReference{Name: "registry"}, &metav1.Duration{Duration: time.Hour}
	}))
	config := func(password string) map[string][]byte {
		encoded, err := json.Marshal(map[string]any{"auths": map[string]any{registry.Host(): map[string]string{"username": username, "password": password}}})
		require.NoError(t, err)
		return map[string][]byte{corev1.DockerConfigJsonKey: encoded}
	}
	assert.Contains(t, p.classSays(v1alpha1.ConditionRolledOut, "PullSecretInvalid"), p.namespace+"/registry cannot be read")
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "registry"}, Type: corev1.SecretTypeDockerConfigJson, Data: config("hunter23")}
	p.make(secret)
	assert.Contains(t, p.classSays(v1alpha1.ConditionProgramFetched, "RegistryDenied"), "not take the credentials of the pull Secret "+p.namespace+"/registry")
	p.hasEvent("RegistryDenied", "not take the credentials")
	secret.Data = config(password)
	require.NoError(t, p.Update(t.Context(), secret), "which is looked at at once")
	_, content := p.revised("")
	assert.Contains(t, content, "first")
	encoded, err := json.Marshal(p.readClass())
	require.NoError(t, err)
	for _, text := range append(p.events(), string(encoded)) {
		for _, secret := range []string{username, "hunter"} {
			assert.NotContains(t, text, secret)
		}
	}
}

func TestARegistryThatHangs(t *testing.T) { // [X63]
	registry, hangs := registrytest.New(t), make(chan struct{})
	registry.Push(t, repository, "1.4", program("first"))
	p := newPlatform(t, from(registry))
	before, _ := p.revised("")
	shop := p.new(p.tenant(nil), "shop", map[string]any{"image": "shop:1"}, nil)
	shop.runs(1)
	shop.says("Applied")
	registry.Intercept(func(http.ResponseWriter, *http.Request) bool { <-hangs; return true })
	t.Cleanup(func() { close(hangs) })
	p.changeClass(func(spec *v1alpha1.EnvironmentClassSpec) {
		spec.Template.Timeout = &metav1.Duration{Duration: time.Minute}
	})
	assert.Contains(t, p.classSays(v1alpha1.ConditionRolledOut, "Progressing"), "The registry is asked for the program. The last revision goes on: 1 of 1 are Ready")

	began := time.Now()
	second := &platform{place: p.and("shop"), class: p.class.DeepCopy()}
	second.class.ObjectMeta = metav1.ObjectMeta{Name: p.class.Name + "-2"}
	second.class.Spec.Kind = v1alpha1.ClassKind{Kind: p.class.Spec.Kind.Kind + "Two", Plural: p.class.Spec.Kind.Plural + "two"}
	second.class.Spec.Program = nil
	second.class.Spec.Template.Program.ConfigMapRef.Name = "program"
	require.NoError(t, second.Create(t.Context(), second.class))
	second.served()
	assert.Less(t, time.Since(began), 15*time.Second, "another class does not wait")
	assert.Equal(t, before, p.readClass().Status.Revision)
	assert.Contains(t, p.classSays(v1alpha1.ConditionProgramFetched, "RegistryUnavailable"), "has not answered in time", "after half a minute")
	p.revised(before)
}

func TestAClassMovesToARegistryAndBack(t *testing.T) { // [X63]
	registry := registrytest.New(t)
	p := newPlatform(t)
	before := p.served()
	p.changeClass(from(registry))
	assert.Contains(t, p.classSays(v1alpha1.ConditionRolledOut, "ArtifactMissing"), "The last revision goes on")
	assert.Equal(t, before, p.readClass().Status.Revision)

	registry.Push(t, repository, "1.4", program("first"), registrytest.File("data.bin", "\xff\xfe"))
	p.looksAgain()
	after, content := p.revised(before)
	assert.Contains(t, content, "first")
	kept := &corev1.ConfigMap{}
	require.NoError(t, p.Get(t.Context(), client.ObjectKey{Namespace: p.namespace, Name: after}, kept))
	assert.Equal(t, "\xff\xfe", string(kept.BinaryData["data.bin"]))
	p.looksAgain()
	assert.Equal(t, after, p.readClass().Status.Revision)

	t.Run("and a revision that was deleted is pulled again", func(t *testing.T) {
		require.NoError(t, p.Delete(t.Context(), kept))
		require.Eventually(t, func() bool {
			return p.Get(t.Context(), client.ObjectKeyFromObject(kept), &corev1.ConfigMap{}) == nil
		}, eventually, moment)
	})
	p.changeClass(func(spec *v1alpha1.EnvironmentClassSpec) {
		spec.Program = nil
		spec.Template.Program.ConfigMapRef.Name = "program"
	})
	assert.Equal(t, before, func() string { revision, _ := p.revised(after); return revision }())
	of := p.readClass()
	assert.Nil(t, of.Status.Artifact)
	assert.Nil(t, meta.FindStatusCondition(of.Status.Conditions, v1alpha1.ConditionProgramFetched))
}

func TestWhereTheProgramOfAClassMayBe(t *testing.T) { // [X63]
	registry := registrytest.New(t)
	registry.Push(t, repository, "1.4", program("first"))
	p := newPlatform(t, from(registry))
	p.revised("")
	for says, change := range map[string]func(*v1alpha1.EnvironmentClassSpec){
		"a class has one program: either": func(spec *v1alpha1.EnvironmentClassSpec) { spec.Template.Program.ConfigMapRef.Name = "program" },
		"a class has one program":         func(spec *v1alpha1.EnvironmentClassSpec) { spec.Program = nil },
		"behind the @":                    func(spec *v1alpha1.EnvironmentClassSpec) { spec.Program.OCI.Ref += "@sha256:1" },
		"leave oci:// or https:// out":    func(spec *v1alpha1.EnvironmentClassSpec) { spec.Program.OCI.Ref = "oci://" + spec.Program.OCI.Ref },
		"ref begins with the registry":    func(spec *v1alpha1.EnvironmentClassSpec) { spec.Program.OCI.Ref = "webapp:1.4" },
		"ref needs a tag":                 func(spec *v1alpha1.EnvironmentClassSpec) { spec.Program.OCI.Ref = registry.Host() + "/" + repository },
		"64 hexadecimal digits":           func(spec *v1alpha1.EnvironmentClassSpec) { spec.Program.OCI.Digest = "sha256:abc" },
		"interval is from 10s to 24h":     func(spec *v1alpha1.EnvironmentClassSpec) { spec.Program.OCI.Interval.Duration = time.Second },
	} {
		of := p.readClass()
		change(&of.Spec)
		require.ErrorContains(t, p.Update(t.Context(), of), says)
	}
	t.Run("and no tenant names it", func(t *testing.T) {
		environment := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
			"program": map[string]any{"oci": map[string]any{"ref": registry.Host() + "/" + repository + ":1.4"}}, "serviceAccountName": "runner",
		}}}
		environment.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("Environment"))
		environment.SetNamespace(p.namespace)
		environment.SetName("theirs")
		require.ErrorContains(t, p.Create(t.Context(), environment), "spec.program.configMapRef")
		unstructured.RemoveNestedField(environment.Object, "spec", "program")
		require.ErrorContains(t, p.Create(t.Context(), environment), "spec.program is missing")

		shop := p.new(p.tenant(nil), "shop", map[string]any{"image": "shop:1", "program": map[string]any{"oci": map[string]any{"ref": "other/a:1"}}}, nil)
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"other"}}}`, v1alpha1.AnnotationRevision)
		require.NoError(t, p.Patch(t.Context(), shop.readInstance(), client.RawPatch(types.MergePatchType, patch)))
		shop.runs(1)
		shop.says("Applied")
		assert.Equal(t, p.readClass().Status.Revision, shop.read().Spec.Program.ConfigMapRef.Name)
		assert.NotContains(t, shop.read().Spec.Config, "program")
	})
}
