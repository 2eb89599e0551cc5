package controller_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// platform is the namespace of a platform team, with a class and a controller.
type platform struct {
	*place

	class *v1alpha1.EnvironmentClass
	// writes are the requests of the controller that change definitions or Environments.
	writes *atomic.Int32
}

// roundTrip is a transport.
type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

func counted(writes *atomic.Int32) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(request *http.Request) (*http.Response, error) {
			path := request.URL.Path
			if request.Method != http.MethodGet && (strings.Contains(path, "/customresourcedefinitions") || strings.Contains(path, "/environments/") && !strings.HasSuffix(path, "/status")) {
				writes.Add(1)
			}
			return next.RoundTrip(request)
		})
	}
}

// runsAtOnce is how many programs of a platform run at a time.
const runsAtOnce = 8

const schemaOfClass = `{"properties": {"image": {"type": "string"}, "replicas": {"type": "integer", "default": 1}}, "required": ["image"]}`

// newPlatform has a class with a kind of its own.
func newPlatform(t *testing.T, change ...func(*v1alpha1.EnvironmentClassSpec)) *platform {
	t.Helper()
	return newPlatformBehind(t, func(next http.RoundTripper) http.RoundTripper { return next }, change...)
}

// newPlatformBehind has a controller whose requests go through something.
func newPlatformBehind(
	t *testing.T, through func(http.RoundTripper) http.RoundTripper, change ...func(*v1alpha1.EnvironmentClassSpec),
) *platform {
	t.Helper()
	t.Parallel()
	name := fmt.Sprintf("class-%d", places.Add(1))
	selector, err := labels.Parse("platform=" + name)
	require.NoError(t, err)
	writes := &atomic.Int32{}
	person := control(t, "", runsAtOnce, func(with *setup) {
		with.options.Namespaces, with.options.Classes = selector, true
		with.config.Wrap(counted(writes))
		with.config.Wrap(through)
	})
	p := &platform{writes: writes, place: &place{T: t, Client: person, namespace: name, environmentName: "shop"}}
	p.found(map[string]string{"platform": name})
	kind := strings.ReplaceAll("Web-"+name, "-", "")
	p.class = &v1alpha1.EnvironmentClass{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1alpha1.EnvironmentClassSpec{
			Kind: v1alpha1.ClassKind{Kind: kind, Plural: strings.ToLower(kind) + "s"}, Namespace: name,
			Schema: &apiextensionsv1.JSON{Raw: []byte(schemaOfClass)},
			Template: v1alpha1.EnvironmentSpec{
				Program:            v1alpha1.ProgramSource{ConfigMapRef: v1alpha1.LocalObjectReference{Name: "program"}},
				ServiceAccountName: "runner",
				Config:             map[string]apiextensionsv1.JSON{"k8sconnect:namespace": {Raw: []byte(`"{{ namespace }}"`)}},
			},
		},
	}
	for _, change := range change {
		change(&p.class.Spec)
	}
	require.NoError(t, person.Create(t.Context(), p.class))
	return p
}

// served waits until the kind is served with a revision, and returns the revision.
func (p *platform) served() string {
	p.Helper()
	p.eventuallyClass(func(of *v1alpha1.EnvironmentClass) bool {
		return meta.IsStatusConditionTrue(of.Status.Conditions, v1alpha1.ConditionReady) && of.Status.Revision != ""
	})
	return p.readClass().Status.Revision
}

func (p *platform) readClass() *v1alpha1.EnvironmentClass {
	p.Helper()
	of := &v1alpha1.EnvironmentClass{}
	require.NoError(p, p.Get(p.Context(), client.ObjectKeyFromObject(p.class), of))
	return of
}

func (p *platform) eventuallyClass(holds func(*v1alpha1.EnvironmentClass) bool) {
	p.Helper()
	require.Eventually(p, func() bool { return holds(p.readClass()) }, eventually, moment, "%v", stringer(func() string {
		return fmt.Sprintf("%+v", p.readClass().Status)
	}))
}

// classSays waits until a condition of the class has a reason, and returns its message.
func (p *platform) classSays(kind, reason string) string {
	p.Helper()
	message := ""
	p.eventuallyClass(func(of *v1alpha1.EnvironmentClass) bool {
		condition := meta.FindStatusCondition(of.Status.Conditions, kind)
		if condition == nil || condition.Reason != reason {
			return false
		}
		message = condition.Message
		return true
	})
	return message
}

func (p *platform) changeClass(change func(*v1alpha1.EnvironmentClassSpec)) {
	p.Helper()
	require.Eventually(p, func() bool {
		of := p.readClass()
		change(&of.Spec)
		err := p.Update(p.Context(), of)
		require.True(p, err == nil || apierrors.IsConflict(err), "%v", err)
		return err == nil
	}, eventually, moment)
}

// tenant makes a namespace of a tenant.
func (p *platform) tenant(labels map[string]string) string {
	p.Helper()
	name := fmt.Sprintf("tenant-%d", places.Add(1))
	require.NoError(p, p.Create(p.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}))
	return name
}

// instance is an object of the kind.
type instance struct {
	*platform

	*place // of its Environment
	of     types.NamespacedName
}

func (p *platform) object(namespace, name string, spec map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetGroupVersionKind(p.class.InstanceKind())
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}

func (p *platform) new(namespace, name string, spec map[string]any, labels map[string]string) *instance {
	p.Helper()
	object := p.object(namespace, name, spec)
	object.SetLabels(labels)
	require.NoError(p, p.Create(p.Context(), object))
	return p.of(namespace, name)
}

func (p *platform) of(namespace, name string) *instance {
	one := types.NamespacedName{Namespace: namespace, Name: name}
	return &instance{platform: p, place: p.and(class.EnvironmentName(p.class, one)), of: one}
}

func (i *instance) readInstance() *unstructured.Unstructured {
	i.platform.Helper()
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(i.class.InstanceKind())
	err := i.platform.Get(i.platform.Context(), i.of, object)
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(i.platform, err)
	return object
}

func (i *instance) status() class.Status {
	i.platform.Helper()
	object := i.readInstance()
	require.NotNil(i.platform, object)
	encoded, err := json.Marshal(object.Object["status"])
	require.NoError(i.platform, err)
	status := class.Status{}
	require.NoError(i.platform, json.Unmarshal(encoded, &status))
	return status
}

// says waits until the tenant sees Ready with a reason, of the present generation, and returns its message.
func (i *instance) says(reason string) string {
	i.platform.Helper()
	message := ""
	require.Eventually(i.platform, func() bool {
		status := i.status()
		ready := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady)
		if ready == nil || ready.Reason != reason || status.ObservedGeneration != i.readInstance().GetGeneration() {
			return false
		}
		message = ready.Message
		return true
	}, eventually, moment, "%s: %v", reason, stringer(func() string { return fmt.Sprintf("%+v\n%+v", i.readInstance(), i.read()) }))
	return message
}

func (i *instance) set(spec map[string]any) {
	i.platform.Helper()
	patch, err := json.Marshal(map[string]any{"spec": spec})
	require.NoError(i.platform, err)
	require.NoError(i.platform, i.platform.Patch(i.platform.Context(), i.readInstance(), client.RawPatch(types.MergePatchType, patch)))
}

// environmentIs waits for what the Environment is.
func (i *instance) environmentIs(holds func(*v1alpha1.Environment) bool) *v1alpha1.Environment {
	i.platform.Helper()
	i.eventually(func() bool { environment := i.read(); return environment != nil && holds(environment) }, "the Environment is so")
	return i.read()
}

// destroyed does what the last run of a deleted object does, and waits until the object is gone.
func (i *instance) destroyed() {
	i.platform.Helper()
	environment := i.environmentIs(func(e *v1alpha1.Environment) bool {
		return e.Status.CurrentOperation != nil && e.Status.CurrentOperation.Kind == v1alpha1.OperationDestroy && e.Status.CurrentOperation.JobUID != ""
	})
	i.runs(environment.Status.CurrentOperation.Serial, func(head *state.Head) { head.Record.ResourceCount = 0 })
	require.Eventually(i.platform, func() bool { return i.readInstance() == nil }, eventually, moment)
}

func (i *instance) config(key string) string { return string(i.read().Spec.Config[key].Raw) }

func TestAnObjectOfAClassHasAnEnvironment(t *testing.T) { // [X58]
	p := newPlatform(t)
	revision := p.served()
	team := p.tenant(nil)

	t.Run("what the schema refuses is refused at once", func(t *testing.T) {
		for name, c := range map[string]struct {
			spec map[string]any
			says string
		}{
			"another type": {map[string]any{"image": "shop:1", "replicas": "many"}, "spec.replicas"},
			"less":         {map[string]any{"replicas": 1}, "spec.image"},
		} {
			err := p.Create(t.Context(), p.object(team, "refused", c.spec))
			require.Error(t, err, name)
			assert.Contains(t, err.Error(), c.says, name)
		}
	})
	shop := p.new(team, "shop", map[string]any{"image": "shop:1"}, nil)
	environment := shop.environmentIs(func(*v1alpha1.Environment) bool { return true })
	assert.Equal(t, p.namespace, environment.Namespace)
	assert.Equal(t, revision, environment.Spec.Program.ConfigMapRef.Name)
	assert.Equal(t, "runner", environment.Spec.ServiceAccountName)
	assert.Equal(t, `"shop:1"`, shop.config("image"))
	assert.Equal(t, "1", shop.config("replicas"), "by default")
	assert.Equal(t, `"`+team+`"`, shop.config("k8sconnect:namespace"))

	shop.runs(1, with(map[string]state.Output{"url": {Value: "http://shop"}}))
	shop.says("Applied")
	status := shop.status()
	assert.Equal(t, `"http://shop"`, string(status.Outputs["url"].Raw))
	assert.Equal(t, environment.Namespace+"/"+environment.Name, status.Environment)

	t.Run("and a change of it changes the Environment", func(*testing.T) {
		shop.set(map[string]any{"image": "shop:2"})
		shop.environmentIs(func(*v1alpha1.Environment) bool { return shop.config("image") == `"shop:2"` })
		shop.runs(2)
		shop.says("Applied")
	})
	t.Run("which is put right if it is changed by hand", func(t *testing.T) {
		patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"config":{"image":"theirs:1"}}}`))
		require.NoError(t, p.Patch(t.Context(), shop.read(), patch))
		shop.environmentIs(func(*v1alpha1.Environment) bool { return shop.config("image") == `"shop:2"` })
	})
	t.Run("and goes with it", func(t *testing.T) {
		require.NoError(t, p.Delete(t.Context(), shop.readInstance()))
		environment := shop.environmentIs(func(e *v1alpha1.Environment) bool { return !e.DeletionTimestamp.IsZero() })
		require.NotNil(t, shop.readInstance(), "the object waits")
		assert.Contains(t, environment.Finalizers, v1alpha1.Finalizer)
		shop.destroyed()
		assert.Nil(t, shop.read())
	})
}

func TestSecretsOfAnObject(t *testing.T) { // [X59]
	p := newPlatform(t, func(spec *v1alpha1.EnvironmentClassSpec) { spec.Secrets = []string{"password"} })
	p.served()
	team := p.tenant(nil)
	secret := func(name string, data map[string]string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: name}, StringData: data}
	}
	shop := p.new(team, "shop", map[string]any{
		"image": "shop:1", "password": map[string]any{"secretKeyRef": map[string]any{"name": "db", "key": "password"}},
	}, nil)
	assert.Contains(t, shop.says("InputsMissing"), "Secret db is not there, and spec.password names it.")
	assert.Nil(t, shop.read(), "nothing has begun")

	require.NoError(t, p.Create(t.Context(), secret("db", map[string]string{"other": "x"})))
	require.Eventually(t, func() bool { return strings.Contains(shop.says("InputsMissing"), `has no key "password"`) }, eventually, moment)
	patch := func(value string) {
		t.Helper()
		content := client.RawPatch(types.MergePatchType, []byte(`{"stringData":{"password":"`+value+`"}}`))
		require.NoError(t, p.Patch(t.Context(), secret("db", nil), content))
	}
	patch("first")
	environment := shop.environmentIs(func(*v1alpha1.Environment) bool { return true })
	from := environment.Spec.SecretConfig["password"].SecretKeyRef
	copied := func() string { return string(p.secret(from.Name).Data[from.Key]) }
	assert.Equal(t, "first", copied())
	shop.runs(1, with(map[string]state.Output{"token": {Value: "secret", Secret: true}}))
	shop.says("Applied")

	t.Run("a new value runs the program", func(t *testing.T) {
		patch("second")
		shop.runs(2, with(map[string]state.Output{"token": {Value: "secret", Secret: true}}))
		shop.says("Applied")
		assert.Equal(t, "second", copied())
	})
	t.Run("secret outputs come back in a Secret of the tenant", func(t *testing.T) {
		outputs := secret("shop-outputs", nil)
		require.Eventually(t, func() bool { return p.Get(t.Context(), client.ObjectKeyFromObject(outputs), outputs) == nil }, eventually, moment)
		assert.Contains(t, string(outputs.Data["token"]), "secret")
		require.Eventually(t, func() bool { return shop.status().OutputsSecretName == "shop-outputs" }, eventually, moment)
		assert.NotContains(t, fmt.Sprint(shop.readInstance().Object["status"]), "secret:", "not in the status")
	})
	t.Run("but not over one of others", func(t *testing.T) {
		theirs := secret("other-outputs", map[string]string{"of": "others"})
		require.NoError(t, p.Create(t.Context(), theirs))
		other := p.new(team, "other", map[string]any{"image": "shop:1"}, nil)
		other.runs(1, with(map[string]state.Output{"token": {Value: "secret", Secret: true}}))
		other.says("Applied")
		require.Eventually(t, func() bool {
			condition := meta.FindStatusCondition(other.status().Conditions, "OutputsWritten")
			return condition != nil && condition.Reason == "NameTaken"
		}, eventually, moment)
		require.NoError(t, p.Get(t.Context(), client.ObjectKeyFromObject(theirs), theirs))
		assert.Equal(t, "others", string(theirs.Data["of"]))
		require.NoError(t, p.Delete(t.Context(), theirs))
		require.Eventually(t, func() bool { return other.status().OutputsSecretName == "other-outputs" }, eventually, moment, "once that is gone, it is written")
	})
	t.Run("what is a secret stays one", func(t *testing.T) {
		of := p.readClass()
		of.Spec.Secrets = nil
		require.ErrorContains(t, p.Update(t.Context(), of), "secrets cannot be removed")
	})
	t.Run("and the copy goes with the object", func(t *testing.T) {
		require.NoError(t, p.Delete(t.Context(), shop.readInstance()))
		shop.destroyed()
		assert.True(t, apierrors.IsNotFound(p.Get(t.Context(), client.ObjectKey{Namespace: p.namespace, Name: from.Name}, &corev1.Secret{})))
	})
}

func TestWhoGetsAnEnvironment(t *testing.T) { // [X60]
	p := newPlatform(t, func(spec *v1alpha1.EnvironmentClassSpec) {
		spec.Namespaces = &metav1.LabelSelector{MatchLabels: map[string]string{"tenant": "true"}}
	})
	p.served()
	team, other := p.tenant(map[string]string{"tenant": "true"}), p.tenant(nil)
	refused := p.new(other, "shop", map[string]any{"image": "shop:1"}, nil)
	assert.Contains(t, refused.says("NamespaceNotAllowed"), "is not for the namespace "+other)
	assert.Nil(t, refused.read())

	t.Run("who is refused gets one when the namespace gets the label", func(t *testing.T) {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: other}}
		require.NoError(t, p.Patch(t.Context(), namespace, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"tenant":"true"}}}`))))
		refused.environmentIs(func(*v1alpha1.Environment) bool { return true })
	})
	t.Run("who the API server refuses gets one when that is corrected, which nothing tells of", func(t *testing.T) {
		policy := &admissionv1.ValidatingAdmissionPolicy{
			ObjectMeta: metav1.ObjectMeta{Name: p.namespace},
			Spec: admissionv1.ValidatingAdmissionPolicySpec{
				MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.Create},
					Rule:       admissionv1.Rule{APIGroups: []string{v1alpha1.GroupVersion.Group}, APIVersions: []string{"*"}, Resources: []string{"environments"}},
				}}}},
				Validations: []admissionv1.Validation{{Expression: fmt.Sprintf("object.metadata.namespace != %q", p.namespace), Message: "not yet"}},
			},
		}
		binding := &admissionv1.ValidatingAdmissionPolicyBinding{
			ObjectMeta: policy.ObjectMeta,
			Spec:       admissionv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: policy.Name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny}},
		}
		require.NoError(t, p.Create(t.Context(), policy))
		require.NoError(t, p.Create(t.Context(), binding))
		require.Eventually(t, func() bool { return p.Create(t.Context(), p.environmentOf(), client.DryRunAll) != nil }, eventually, moment)
		late := p.new(team, "late", map[string]any{"image": "shop:1"}, nil)
		assert.Contains(t, late.says("EnvironmentRefused"), "not yet")
		says := func(holds bool) {
			p.eventuallyClass(func(of *v1alpha1.EnvironmentClass) bool {
				rolled := meta.FindStatusCondition(of.Status.Conditions, v1alpha1.ConditionRolledOut)
				return strings.Contains(rolled.Message, "Not as their objects say: "+team+"/late (EnvironmentRefused).") == holds
			})
		}
		says(true)
		require.NoError(t, p.Delete(t.Context(), binding))
		late.environmentIs(func(*v1alpha1.Environment) bool { return true })
		says(false)
	})
	t.Run("what configures a provider never comes from a tenant", func(t *testing.T) {
		shop := p.new(team, "shop", map[string]any{"image": "shop:1", "k8sconnect:kubeconfig": "{}"}, nil)
		shop.environmentIs(func(*v1alpha1.Environment) bool { return true })
		assert.Empty(t, shop.config("k8sconnect:kubeconfig"))
		assert.Equal(t, `"`+team+`"`, shop.config("k8sconnect:namespace"))
	})
	for name, c := range map[string]struct{ schema, says string }{
		"a property that configures a provider": {`{"properties": {"k8sconnect:kubeconfig": {"type": "string"}}}`, `has "k8sconnect:kubeconfig"`},
		"what the API server refuses":           {strings.Replace(schemaOfClass, `"image": {`, `"a": {"type": "nothing"}, "image": {`, 1), "refuses the definition"},
	} {
		t.Run("a class may not let tenants set "+name, func(*testing.T) {
			before := p.readClass().Spec.Schema
			p.changeClass(func(spec *v1alpha1.EnvironmentClassSpec) { spec.Schema.Raw = []byte(c.schema) })
			p.eventuallyClass(func(of *v1alpha1.EnvironmentClass) bool {
				ready := meta.FindStatusCondition(of.Status.Conditions, v1alpha1.ConditionReady)
				return ready.Status == metav1.ConditionFalse && strings.Contains(ready.Message, c.says)
			})
			p.changeClass(func(spec *v1alpha1.EnvironmentClassSpec) { spec.Schema = before })
			p.served()
		})
	}
}

func TestTheKindOfAClass(t *testing.T) { // [X61]
	p := newPlatform(t)
	p.served()
	team := p.tenant(nil)
	shop := p.new(team, "shop", map[string]any{"image": "shop:1"}, nil)
	shop.runs(1)
	shop.says("Applied")
	t.Run("gets a new field", func(t *testing.T) {
		p.changeClass(func(spec *v1alpha1.EnvironmentClassSpec) {
			spec.Schema.Raw = []byte(`{"properties": {"image": {"type": "string"}, "replicas": {"type": "integer", "default": 1}, "zone": {"type": "string"}}, "required": ["image"]}`)
		})
		require.Eventually(t, func() bool {
			shop.set(map[string]any{"zone": "a"})
			return shop.readInstance().Object["spec"].(map[string]any)["zone"] == "a"
		}, eventually, moment)
		shop.environmentIs(func(*v1alpha1.Environment) bool { return shop.config("zone") == `"a"` })
	})
	t.Run("loses none", func(t *testing.T) {
		p.changeClass(func(spec *v1alpha1.EnvironmentClassSpec) {
			spec.Schema.Raw = []byte(`{"properties": {"image": {"type": "string"}, "replicas": {"type": "integer", "default": 1}}, "required": ["image"]}`)
		})
		assert.Contains(t, p.classSays(v1alpha1.ConditionReady, "SchemaNarrowed"), "spec.zone would be removed")
		assert.Contains(t, p.classSays(v1alpha1.ConditionServed, "AsBefore"), "as the class was before")
		assert.True(t, meta.IsStatusConditionTrue(p.readClass().Status.Conditions, v1alpha1.ConditionServed))
		p.eventuallyClass(func(of *v1alpha1.EnvironmentClass) bool {
			rolled := meta.FindStatusCondition(of.Status.Conditions, v1alpha1.ConditionRolledOut)
			return strings.HasPrefix(rolled.Message, "The kind is served as before, as Ready says. ")
		})
		assert.Equal(t, "a", shop.readInstance().Object["spec"].(map[string]any)["zone"])
		shop.set(map[string]any{"zone": "b"})
		shop.environmentIs(func(*v1alpha1.Environment) bool { return shop.config("zone") == `"b"` })
	})
	t.Run("stays until its objects are gone, with the class", func(t *testing.T) {
		require.NoError(t, p.Delete(t.Context(), p.readClass()))
		for _, condition := range []string{v1alpha1.ConditionReady, v1alpha1.ConditionRolledOut} {
			assert.Contains(t, p.classSays(condition, "Deleting"), "waits for 1 object: "+team+"/shop. Delete them", condition)
		}
		assert.True(t, meta.IsStatusConditionTrue(p.readClass().Status.Conditions, v1alpha1.ConditionServed))
		late := p.new(team, "late", map[string]any{"image": "shop:1"}, nil)
		late.says("ClassDeleting")
		require.NoError(t, p.Delete(t.Context(), late.readInstance()))
		require.NoError(t, p.Delete(t.Context(), shop.readInstance()))
		shop.destroyed()
		require.Eventually(t, func() bool {
			return apierrors.IsNotFound(p.Get(t.Context(), client.ObjectKeyFromObject(p.class), &v1alpha1.EnvironmentClass{}))
		}, eventually, moment)
		definition := &apiextensionsv1.CustomResourceDefinition{}
		require.Eventually(t, func() bool {
			return apierrors.IsNotFound(p.Get(t.Context(), client.ObjectKey{Name: p.class.DefinitionName()}, definition))
		}, eventually, moment)
	})
}

func TestADefinitionOfOthers(t *testing.T) { // [X61]
	first := newPlatform(t)
	first.served()
	second := &platform{place: first.and("shop"), class: first.class.DeepCopy()}
	second.class.ObjectMeta = metav1.ObjectMeta{Name: first.class.Name + "-2"}
	require.NoError(t, second.Create(t.Context(), second.class))
	assert.Contains(t, second.classSays(v1alpha1.ConditionReady, "NameTaken"), first.class.DefinitionName()+" exists, and this class did not make it")
	second.classSays(v1alpha1.ConditionServed, "NameTaken")
	assert.True(t, meta.IsStatusConditionFalse(second.readClass().Status.Conditions, v1alpha1.ConditionServed))
	require.NoError(t, second.Delete(t.Context(), second.readClass()))
	require.Eventually(t, func() bool {
		return apierrors.IsNotFound(second.Get(t.Context(), client.ObjectKeyFromObject(second.class), &v1alpha1.EnvironmentClass{}))
	}, eventually, moment)
	require.NoError(t, first.Get(t.Context(), client.ObjectKey{Name: first.class.DefinitionName()}, &apiextensionsv1.CustomResourceDefinition{}))
}

func TestAClassAtRestWritesNothing(t *testing.T) { // [X61]
	p := newPlatform(t)
	p.served()
	shop := p.new(p.tenant(nil), "shop", map[string]any{"image": "shop:1"}, nil)
	shop.runs(1)
	shop.says("Applied")
	p.classSays(v1alpha1.ConditionRolledOut, "RolledOut")
	before := p.writes.Load()
	// A change that asks for nothing is looked at.
	p.changeClass(func(spec *v1alpha1.EnvironmentClassSpec) { spec.Rollout.MaxUnavailable = new(int32(3)) })
	p.eventuallyClass(func(of *v1alpha1.EnvironmentClass) bool { return of.Status.ObservedGeneration == of.Generation })
	assert.Equal(t, before, p.writes.Load())
}
