package failure_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/diff"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// noise is n characters that nothing else has, different for each seed.
func noise(seed string, n int) string {
	var text string
	for i := 0; len(text) < n; i++ {
		sum := sha256.Sum256(fmt.Append(nil, seed, i))
		text += base64.RawURLEncoding.EncodeToString(sum[:])
	}
	return text[:n]
}

// pem is a private key as it is written into a manifest.
func pem(seed string) string {
	lines := []string{"-----BEGIN PRIVATE KEY-----"}
	for i := range 12 {
		lines = append(lines, noise(fmt.Sprint(seed, "line", i), 64))
	}
	return strings.Join(append(lines, "-----END PRIVATE KEY-----", ""), "\n")
}

// secretChanges are values as they were and as they are to be.
var secretChanges = map[string]struct{ before, after string }{
	"a short value":           {"hunter2-old-pass", "hunter2-new-pass"},
	"80 bytes on one line":    {noise("old", 30) + noise("both", 20) + noise("old2", 30), noise("new", 30) + noise("both", 20) + noise("new2", 30)},
	"80 bytes, one other":     {noise("all", 40) + "a" + noise("rest", 39), noise("all", 40) + "b" + noise("rest", 39)},
	"a key of many lines":     {pem("old"), pem("new")},
	"a key that goes":         {pem("old"), ""},
	"many lines, one changes": {pem("old"), strings.Replace(pem("old"), noise("oldline7", 64), noise("newline7", 64), 1)},
}

// specDiffs are the ways in which API servers write what changes in a spec.
var specDiffs = map[string]func(before, after any) string{
	"up to 1.33": func(before, after any) string { return cmp.Diff(before, after) },
	"from 1.34":  diff.Diff,
}

func podWith(token string) corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{
		Name: "web", Image: "nginx:1", Args: []string{"serve"},
		Env: []corev1.EnvVar{{Name: "LEVEL", Value: "debug"}, {Name: "TOKEN", Value: token}, {Name: "ZONE", Value: "a"}},
	}}}
}

const notInPlace = "pod updates may not change fields other than `spec.containers[*].image`,`spec.tolerations` (only additions)"

// refusals are the errors in which such a diff may stand.
var refusals = map[string]func(message string) error{
	"in a cause": func(message string) error {
		return apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "web", field.ErrorList{field.Forbidden(field.NewPath("spec"), message)})
	},
	"in one of two causes": func(message string) error {
		return apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "web", field.ErrorList{
			field.Forbidden(field.NewPath("spec"), message), field.Required(field.NewPath("spec", "x"), "it has to be there"),
		})
	},
	"among mistakes that we found": func(message string) error {
		return &failure.ManifestError{
			Mistakes: []failure.Mistake{{Field: "spec", Message: "Forbidden: " + message}},
			Err:      &apierrors.StatusError{ErrStatus: metav1.Status{Code: 422, Reason: metav1.StatusReasonInvalid, Message: message}},
		}
	},
	"in the message alone": func(message string) error { return status(422, metav1.StatusReasonInvalid, message) },
	"in a message of 403": func(message string) error {
		return status(403, metav1.StatusReasonForbidden, "pods is forbidden: "+message)
	},
	"in a message of 500": func(message string) error { return status(500, "", message) },
	"in a webhook's words": func(message string) error {
		return status(http.StatusForbidden, "", `admission webhook "x" denied the request: `+message)
	},
	"in a policy's words": func(message string) error {
		message = "ValidatingAdmissionPolicy 'x' with binding 'y' denied request: " + message
		return status(422, metav1.StatusReasonInvalid, "pods is forbidden: "+message, metav1.StatusCause{Message: message})
	},
}

func TestADiffOfSecretsIsNotShown(t *testing.T) {
	for version, specDiff := range specDiffs {
		for what, values := range secretChanges {
			for where, refuse := range refusals {
				t.Run(fmt.Sprintf("%s, in the format %s, %s [D35]", what, version, where), func(t *testing.T) {
					message := notInPlace + "\n" + specDiff(podWith(values.before), podWith(values.after))
					for known, sensitive := range map[string][]string{
						"old and new": {values.before, values.after}, "old": {values.before}, "another": {"swordfish"},
					} {
						explained := failure.Explain(fmt.Errorf("Pod lab/web: %w", refuse(message)),
							failure.Operation{Verb: "update", Subject: "Pod lab/web", Sensitive: sensitive})
						for _, text := range []string{explained.Error(), errors.Unwrap(explained).Error()} {
							requireNoPart(t, text, values.before, known)
							requireNoPart(t, text, values.after, known)
						}
						assert.Contains(t, strings.Join(strings.Fields(explained.Error()), " "), notInPlace, "the reason stays")
					}
				})
			}
		}
	}
	t.Run("it is where nothing is secret", func(t *testing.T) {
		message := notInPlace + "\n" + diff.Diff(podWith("info"), podWith("warning"))
		text := failure.Explain(refusals["in a cause"](message), failure.Operation{Verb: "update", Subject: "Pod lab/web"}).Error()
		assert.Regexp(t, `-\s+"value": "info"`, text)
		assert.Regexp(t, `\+\s+"value": "warning"`, text)
		assert.NotContains(t, text, "hidden")
	})
}

// partLength is how many characters of a secret nobody may see together.
const partLength = 8

func requireNoPart(t testing.TB, text, value, about string) {
	t.Helper()
	for i := 0; i+partLength <= len(value); i++ {
		require.NotContains(t, text, value[i:i+partLength], about)
	}
}

func TestSeveralLinesThatAreNoDiffAreShown(t *testing.T) {
	const policies = "\n\nresource Pod/lab/web was blocked due to the following policies\n\nrequire-team:\n  check: 'label team is required, not hunter2'\n"
	for name, err := range map[string]error{
		"a webhook's": status(400, "", `admission webhook "x" denied the request: `+policies),
		"a server's":  status(500, "", "failed to create typed patch object (lab/web): errors:\n  .spec: whatever this is, hunter2\n  require-team: label team is required"),
	} {
		t.Run(name, func(t *testing.T) {
			text := failure.Explain(err, failure.Operation{Verb: "create", Subject: "Pod lab/web", Sensitive: []string{"hunter2"}}).Error()
			assert.Contains(t, text, "require-team:")
			assert.Contains(t, text, "label team is required")
			assert.Contains(t, text, "[secret]")
			assert.NotContains(t, text, "hidden")
		})
	}
}

func TestWhatIsCutIsSaid(t *testing.T) {
	for _, c := range []struct{ name, message, want string }{
		{"lines after the first", "no\n- a\n+ b", "spec: Forbidden: no [more is hidden: it may show secrets]"},
		{"nothing but a line break", "no \n\n", "spec: Forbidden: no"},
		{"a value of several lines in one line's place", "not one\ntwo\nthree, please", "spec: Forbidden: not [secret], please"},
		{"a diff that begins on the first line", "no:   core.PodSpec{\n- a", "spec: Forbidden: no:   core.PodSpec{ [more is hidden: it may show secrets]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := failure.Explain(refusals["in a cause"](c.message), failure.Operation{Verb: "update", Subject: "Pod web", Sensitive: []string{"one\ntwo\nthree"}})
			var explained *failure.Failure
			require.ErrorAs(t, err, &explained)
			assert.Equal(t, "cannot update Pod web: "+c.want, explained.What)
		})
	}
}
