package controller_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/artifact/registrytest"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
)

// declaring is a program that declares this under config.
func declaring(config string) string { return "name: shop\nruntime: yaml\nconfig: " + config + "\n" }

// withoutSchema is a class whose program is in a ConfigMap of its own.
func withoutSchema(spec *v1alpha1.EnvironmentClassSpec) {
	spec.Schema = nil
	spec.Template.Program.ConfigMapRef.Name = "declaring"
}

// declares sets what the program of a class declares.
func (p *platform) declares(config string) {
	p.Helper()
	program := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "declaring"}, Data: map[string]string{"Pulumi.yaml": declaring(config)}}
	patch, err := json.Marshal(map[string]any{"data": program.Data})
	require.NoError(p, err)
	err = p.Create(p.Context(), program.DeepCopy())
	if err != nil {
		err = p.Patch(p.Context(), program, client.RawPatch(types.MergePatchType, patch))
	}
	require.NoError(p, err)
}

// refuses wants the API server to refuse an object.
func (p *platform) refuses(namespace, says string, spec map[string]any) {
	p.Helper()
	assert.ErrorContains(p, p.Create(p.Context(), p.object(namespace, "refused", spec)), says)
}

func specOf(object *unstructured.Unstructured) map[string]any {
	return object.Object["spec"].(map[string]any)
}

func TestAKindThatIsMadeOfItsProgram(t *testing.T) { // [X61]
	p := newPlatform(t, withoutSchema, func(spec *v1alpha1.EnvironmentClassSpec) { spec.Secrets = []string{"password"} })
	team := p.tenant(nil)

	t.Run("is not served before the program is there", func(t *testing.T) {
		message := p.classSays(v1alpha1.ConditionReady, "ProgramMissing")
		assert.Contains(t, message, "its kind is made of the program. ConfigMap "+p.namespace+"/declaring is not there")
		p.classSays(v1alpha1.ConditionServed, "ProgramMissing")
		assert.True(t, meta.IsStatusConditionFalse(p.readClass().Status.Conditions, v1alpha1.ConditionServed))
	})
	p.declares(`{image: {type: string, description: The image.}, replicas: {type: integer, default: "2"}, note: {type: string, default: "<none> & more"},
		password: {type: string, secret: true, default: none}, key: {type: string, secret: true}, "k8sconnect:namespace": {value: theirs}}`)
	p.served()

	t.Run("refuses what the program does not declare so", func(*testing.T) {
		p.refuses(team, "spec.replicas", map[string]any{"image": "shop:1", "replicas": "many"})
		p.refuses(team, "spec.image", map[string]any{"replicas": 1})
		p.refuses(team, "spec.password", map[string]any{"image": "shop:1", "password": "clear"})
	})
	shop := p.new(team, "shop", map[string]any{"image": "shop:1", "key": "x", "k8sconnect:namespace": "theirs"}, nil)
	t.Run("gives its objects the defaults, and nothing that configures a provider or is secret", func(t *testing.T) {
		assert.Equal(t, map[string]any{"image": "shop:1", "replicas": int64(2), "note": "<none> & more"}, specOf(shop.readInstance()))
		shop.environmentIs(func(*v1alpha1.Environment) bool { return true })
		assert.Equal(t, "2", shop.config("replicas"))
		assert.Equal(t, `"`+team+`"`, shop.config("k8sconnect:namespace"))
		assert.Contains(t, p.classSays(v1alpha1.ConditionProgramAgrees, class.ReasonKeysMissing), "requires secrets that objects cannot have: key.")
	})
	shop.runs(1)
	shop.says("Applied")
	p.classSays(v1alpha1.ConditionRolledOut, "RolledOut")

	t.Run("is at rest then", func(t *testing.T) {
		before, definition := p.writes.Load(), p.definition()
		p.changeClass(func(spec *v1alpha1.EnvironmentClassSpec) { spec.Rollout.MaxUnavailable = new(int32(3)) })
		p.eventuallyClass(func(of *v1alpha1.EnvironmentClass) bool { return of.Status.ObservedGeneration == of.Generation })
		assert.Equal(t, before, p.writes.Load())
		assert.Equal(t, definition.ResourceVersion, p.definition().ResourceVersion)
	})
	t.Run("is served as before while the program is gone, or is none", func(*testing.T) {
		p.declares("[")
		assert.Contains(t, p.classSays(v1alpha1.ConditionReady, "ClassInvalid"), "the program is invalid: Pulumi.yaml")
		p.classSays(v1alpha1.ConditionServed, "AsBefore")
		require.NoError(t, p.Delete(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "declaring"}}))
		p.classSays(v1alpha1.ConditionReady, "ProgramMissing")
		p.classSays(v1alpha1.ConditionServed, "AsBefore")
		assert.True(t, meta.IsStatusConditionTrue(p.readClass().Status.Conditions, v1alpha1.ConditionServed))
	})
}

func (p *platform) definition() *apiextensionsv1.CustomResourceDefinition {
	p.Helper()
	definition := &apiextensionsv1.CustomResourceDefinition{}
	require.NoError(p, p.Get(p.Context(), client.ObjectKey{Name: p.class.DefinitionName()}, definition))
	return definition
}

// hasProperty waits until the kind has one.
func (p *platform) hasProperty(name string) {
	p.Helper()
	require.Eventually(p, func() bool {
		_, has := p.definition().Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties[name]
		return has
	}, eventually, moment)
}

// An object gets what a new program brings with its turn, and goes on if the program is taken back.
func TestTheProgramOfAKindChanges(t *testing.T) { // [X61]
	p := newPlatform(t, withoutSchema)
	const old = `{image: {type: string}}`
	p.declares(old)
	first := p.served()
	team := p.tenant(nil)
	shop, stuck := p.new(team, "a-shop", map[string]any{"image": "shop:1"}, nil), p.new(team, "stuck", map[string]any{"image": "shop:1"}, nil)
	for _, one := range []*instance{shop, stuck} {
		one.runs(1)
		one.says("Applied")
	}
	p.declares(`{image: {type: string}, zone: {type: string, default: a}, size: {type: integer, default: 1}}`)
	second, _ := p.revised(first)
	p.hasProperty("zone")
	shop.environmentIs(func(e *v1alpha1.Environment) bool { return e.Annotations[v1alpha1.AnnotationRevision] == second })
	assert.Equal(t, `"a"`, shop.config("zone"), "with the revision")

	t.Run("whose turn has not come has the key, and its program is not told", func(t *testing.T) {
		require.Eventually(t, func() bool {
			stuck.set(map[string]any{"zone": "b"})
			return specOf(stuck.readInstance())["zone"] == "b"
		}, eventually, moment)
		stuck.says("Applied")
		assert.Equal(t, first, stuck.read().Annotations[v1alpha1.AnnotationRevision])
		assert.Empty(t, stuck.config("zone"))
		assert.Empty(t, stuck.config("size"))
		assert.Nil(t, stuck.read().Status.CurrentOperation)
	})
	shop.runs(2)
	shop.says("Applied")
	stuck.environmentIs(func(*v1alpha1.Environment) bool { return stuck.config("zone") == `"b"` && stuck.config("size") == "1" })
	stuck.runs(2)
	stuck.says("Applied")

	t.Run("and without a key that it had: the kind keeps it, and so do those that have set it", func(t *testing.T) {
		p.declares(old)
		p.eventuallyClass(func(of *v1alpha1.EnvironmentClass) bool { return of.Status.Revision == first })
		message := p.classSays(v1alpha1.ConditionReady, "SchemaNarrowed")
		assert.Contains(t, message, "would be removed")
		p.classSays(v1alpha1.ConditionServed, "AsBefore")
		shop.environmentIs(func(e *v1alpha1.Environment) bool { return e.Annotations[v1alpha1.AnnotationRevision] == first })
		assert.Empty(t, shop.config("zone"), "the default was nobody's choice")
		shop.runs(3)
		shop.says("Applied")
		stuck.environmentIs(func(e *v1alpha1.Environment) bool { return e.Annotations[v1alpha1.AnnotationRevision] == first })
		assert.Equal(t, `"b"`, stuck.config("zone"), "with which the program refuses to run")
		assert.Empty(t, stuck.config("size"))
	})
}

func TestAKindThatIsMadeOfAProgramInARegistry(t *testing.T) { // [X61] [X63]
	registry := registrytest.New(t)
	p := newPlatform(t, from(registry), func(spec *v1alpha1.EnvironmentClassSpec) { spec.Schema = nil })
	assert.Contains(t, p.classSays(v1alpha1.ConditionReady, "ArtifactMissing"), "its kind is made of the program. There is no program yet.")
	registry.Push(t, repository, "1.4", registrytest.File("Pulumi.yaml", declaring(`{image: {type: string}}`)))
	p.looksAgain()
	p.served()
	p.refuses(p.tenant(nil), "spec.image", map[string]any{})

	registry.Fail(503)
	p.looksAgain()
	p.classSays(v1alpha1.ConditionProgramFetched, "RegistryUnavailable")
	p.served()
}

func TestAClassWhoseProgramCannotBeReadHasASchema(t *testing.T) { // [X61]
	p := newPlatform(t)
	p.served()
	of := p.readClass()
	of.Spec.Schema, of.Spec.Template.Program = nil, v1alpha1.ProgramSource{Image: imageOf("a")}
	err := p.Update(t.Context(), of)
	require.ErrorContains(t, err, "schema is required: the operator cannot read the program in the image")
	assert.Equal(t, 1, strings.Count(err.Error(), "required"), "nothing else is wrong")
	of.Spec.Schema = &apiextensionsv1.JSON{Raw: []byte(`{}`)}
	require.NoError(t, p.Update(t.Context(), of, client.DryRunAll))
}

// What an object may say, the program takes: its schema is no wider than what Pulumi checks before it runs a program.
func TestAKindTakesWhatItsProgramTakes(t *testing.T) { // [X61]
	p := newPlatform(t, withoutSchema)
	const declaredKeys = `{
		text: {type: string, default: a}, whole: {type: integer, default: 1}, switch: {type: boolean, default: true}, object: {type: object, default: {}},
		texts: {type: array, items: {type: string}, default: []}, numbers: {type: array, items: {type: integer}, default: []},
		switches: {type: array, items: {type: boolean}, default: []}, objects: {type: array, items: {type: object}, default: []},
		grid: {type: array, items: {type: array, items: {type: integer}}, default: []}}`
	p.declares(declaredKeys)
	p.served()
	team := p.tenant(nil)
	project, err := stack.Project(map[string][]byte{"Pulumi.yaml": []byte(declaring(declaredKeys))}, "")
	require.NoError(t, err)
	plain := []any{
		"", "a", "7", "007", "1.5", "1e3", "true", "True", "null", "[1]", `{"a": 1}`, int64(0), int64(7), int64(-3), int64(1) << 60, 1.5, 1e3, true, false, nil,
		map[string]any{}, map[string]any{"a": int64(1)}, map[string]any{"a": nil}, map[string]any{"a": map[string]any{"b": []any{true, "x"}}},
	}
	values := slices.Concat(plain, []any{[]any{}})
	for _, one := range plain {
		values = append(values, []any{one}, []any{[]any{one}}, []any{one, one})
	}
	accepted := map[string]int{}
	for key, declared := range stack.Declared(project) {
		for _, value := range values {
			isDefault := value == nil
			if isDefault || p.Create(t.Context(), p.object(team, "asked", map[string]any{key: value}), client.DryRunAll) != nil {
				continue
			}
			accepted[key]++
			raw, err := json.Marshal(value)
			require.NoError(t, err)
			settings, err := stack.Settings(stack.Key{}, project, map[string]json.RawMessage{key: raw}, nil)
			require.NoError(t, err, "%s: %s", key, raw)
			set := settings.Config[config.MustMakeKey("shop", key)]
			text, err := set.Value(config.NopDecrypter)
			require.NoError(t, err)
			var content any = text
			if set.Object() {
				require.NoError(t, json.Unmarshal([]byte(text), &content))
			}
			assert.True(t, workspace.ValidateConfigValue(declared.TypeName(), declared.Items, content), "%s: %s", key, raw)
		}
	}
	for key := range stack.Declared(project) {
		assert.NotZero(t, accepted[key], key)
	}
}
