package controller_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// imageOf is an image with a program.
func imageOf(letter string) string {
	return "registry.example.com/webapp@sha256:" + strings.Repeat(letter, 64)
}

func withImage(image string) func(*v1alpha1.EnvironmentSpec) {
	return func(spec *v1alpha1.EnvironmentSpec) { spec.Program = v1alpha1.ProgramSource{Image: image} }
}

func (p *place) setImage(image string) {
	p.Helper()
	p.change(func(environment *v1alpha1.Environment) { withImage(image)(&environment.Spec) })
}

func podImage(job *batchv1.Job) string { return job.Spec.Template.Spec.Containers[0].Image }

func TestAProgramInAnImage(t *testing.T) {
	p := newPlace(t)
	p.environment(withImage(imageOf("a")))
	assert.Equal(t, imageOf("a"), podImage(p.job(1)))
	p.runs(1)
	p.becomes("Applied")

	t.Run("runs again with another digest", func(t *testing.T) {
		p.setImage(imageOf("b"))
		assert.Equal(t, imageOf("b"), podImage(p.job(2)))
		p.runs(2)
		p.becomes("Applied")
	})
	t.Run("and not from another registry", func(t *testing.T) {
		p.setImage(strings.Replace(imageOf("b"), "registry", "mirror", 1))
		p.looks()
		assert.Nil(t, p.read().Status.CurrentOperation)
	})
	t.Run("and not with the image of before, from a ConfigMap", func(t *testing.T) {
		p.change(func(environment *v1alpha1.Environment) {
			environment.Spec.Program = v1alpha1.ProgramSource{ConfigMapRef: v1alpha1.LocalObjectReference{Name: "program"}}
		})
		assert.Equal(t, "runner", podImage(p.job(3)))
		p.runs(3)
		p.becomes("Applied")
	})
	t.Run("is destroyed by the present image", func(t *testing.T) {
		p.setImage(imageOf("c"))
		p.runs(4)
		p.becomes("Applied")
		p.remove()
		assert.Equal(t, imageOf("c"), podImage(p.job(5)))
	})
}

// What was interrupted is continued with what it began with.
func TestAnInterruptedRunGoesOnWithItsImage(t *testing.T) {
	p := newPlace(t)
	p.environment(withImage(imageOf("a")))
	job := p.job(1)
	p.eventually(func() bool { return p.read().Status.CurrentOperation.JobUID == job.UID }, "the Job is in the status")
	store := state.New(p.Client, p.namespace, p.environmentName)
	head, err := store.Read(t.Context())
	require.NoError(t, err)
	head.Record = state.Record{
		Serial: 1, Kind: v1alpha1.OperationUpdate, InputHash: p.read().Status.CurrentOperation.InputHash, Outcome: state.Running,
		StartedAt: metav1.Now(), Applied: true, Progressed: true, ResourceCount: 1,
	}
	require.NoError(t, store.Save(t.Context(), head))
	p.setImage(imageOf("b"))
	require.NoError(t, p.Delete(t.Context(), job, client.PropagationPolicy(metav1.DeletePropagationBackground)))
	assert.Equal(t, imageOf("a"), podImage(p.job(2)))
	p.runs(2)
	assert.Equal(t, imageOf("b"), podImage(p.job(3)))
}

func TestWhatNamesAProgramInAnImage(t *testing.T) {
	p := newPlace(t)
	for says, program := range map[string]v1alpha1.ProgramSource{
		"named by its digest":              {Image: "registry.example.com/webapp:1.4"},
		"either spec.program.configMapRef": {Image: imageOf("a"), ConfigMapRef: v1alpha1.LocalObjectReference{Name: "program"}},
		"spec.program is missing":          {},
	} {
		environment := p.environmentOf(func(spec *v1alpha1.EnvironmentSpec) { spec.Program = program })
		assert.ErrorContains(t, p.Create(t.Context(), environment), says)
	}
}

func TestAClassWithAProgramInAnImage(t *testing.T) {
	p := newPlatform(t, func(spec *v1alpha1.EnvironmentClassSpec) {
		spec.Template.Program = v1alpha1.ProgramSource{Image: imageOf("a")}
	})
	first := p.served()
	shop := p.new(p.tenant(nil), "shop", map[string]any{"image": "shop:1"}, nil)
	assert.Equal(t, imageOf("a"), podImage(shop.job(1)))
	shop.runs(1)
	shop.says("Applied")
	assert.Equal(t, v1alpha1.ProgramSource{Image: imageOf("a")}, shop.read().Spec.Program)

	p.changeClass(func(spec *v1alpha1.EnvironmentClassSpec) { spec.Template.Program.Image = imageOf("b") })
	shop.environmentIs(func(e *v1alpha1.Environment) bool {
		return e.Spec.Program.Image == imageOf("b") && e.Annotations[v1alpha1.AnnotationRevision] != first
	})
	assert.Equal(t, imageOf("b"), podImage(shop.job(2)))
	shop.runs(2)
	shop.says("Applied")
	assert.Contains(t, p.classSays(v1alpha1.ConditionRolledOut, "RolledOut"), "1 of 1 are Ready")
	assert.Nil(t, meta.FindStatusCondition(p.readClass().Status.Conditions, v1alpha1.ConditionProgramAgrees), "nobody has read the program")
}
