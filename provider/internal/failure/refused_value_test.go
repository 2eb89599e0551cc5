package failure_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

func explainedInvalid(path *field.Path, message string) string {
	invalid := apierrors.NewInvalid(schema.GroupKind{Group: "batch", Kind: "Job"}, "work", field.ErrorList{field.Forbidden(path, "x")})
	invalid.ErrStatus.Details.Causes[0].Message = message
	return failure.Explain(invalid, failure.Operation{Verb: "update", Subject: "Job lab/work"}).Error()
}

func TestAWholeValueIsNotRepeatedInARefusal(t *testing.T) {
	template := corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{
		Name: "main", Image: "work:2", Command: []string{"sh", "-c", "echo \"{[(\"; echo ': field'"},
		Args: []string{strings.Repeat("and more ", 20)},
	}}}}
	inJSON, err := json.Marshal(template)
	require.NoError(t, err)
	for version, value := range map[string]string{"up to 1.33": fmt.Sprintf("%#v", template), "from 1.34": string(inJSON)} {
		t.Run("written as "+version+", it leaves what is wrong with it [D116]", func(t *testing.T) {
			require.Greater(t, len(value), 200)
			text := explainedInvalid(field.NewPath("spec", "template"), "Invalid value: "+value+": field is immutable")
			assert.True(t, strings.HasPrefix(text, "cannot update Job lab/work: spec.template: field is immutable\n"), text)
		})
	}
	t.Run("what may be the mistake itself stays [D116]", func(t *testing.T) {
		for _, message := range []string{
			`Invalid value: "a b": a valid label must be short`,
			`Invalid value: {"app":"x"}: field is immutable`,
			`Invalid value: "` + strings.Repeat("long ", 100) + `": must be no more than 63 characters`,
			`Invalid value: {` + strings.Repeat("not closed ", 100),
			"these are wrong:\n- one of them\n  which goes on\n- another",
		} {
			assert.Contains(t, explainedInvalid(field.NewPath("spec"), message), strings.ReplaceAll(message, "\n", "\n    "))
		}
	})
	for version, specDiff := range specDiffs {
		t.Run("of a diff, what changes stays, in the format "+version+" [D116]", func(t *testing.T) {
			text := explainedInvalid(field.NewPath("spec"), "Forbidden: "+notInPlace+"\n"+specDiff(podWith("info"), podWith("warning")))
			assert.Contains(t, text, notInPlace)
			assert.Regexp(t, `(?m)^\s+-.*"info"`, text)
			assert.Regexp(t, `(?m)^\s+\+.*"warning"`, text)
			for line := range strings.Lines(text) {
				assert.NotRegexp(t, `^\s*(@@|"|}|\]|core|v1)`, line, text)
			}
		})
		t.Run("a long diff is cut, in the format "+version+" [D116]", func(t *testing.T) {
			was, is := podWith("info"), podWith("info")
			for i := range 60 {
				is.Containers[0].Env = append(is.Containers[0].Env, corev1.EnvVar{Name: fmt.Sprint("NEW", i), Value: "x"})
			}
			text := explainedInvalid(field.NewPath("spec"), "Forbidden: "+notInPlace+"\n"+specDiff(was, is))
			assert.Contains(t, text, "NEW0")
			assert.Less(t, strings.Count(text, "\n"), 30, text)
			assert.Regexp(t, `and \d+ more lines|, \.\.\.,`, text, "the former format cuts it itself")
		})
	}
}
