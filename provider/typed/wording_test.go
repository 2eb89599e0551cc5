package typed

import (
	"context"
	"errors"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wordingOf is for a kind with odd names, whose resource has a field of the same name as an option.
func wordingOf(t *testing.T) wording {
	t.Helper()
	a := oddAdapter(t)
	a.options = []string{"adopt", "clusterConnection", "conflictPolicy", "ignoreFields", "takeOverFrom"}
	return a.wording([]string{`manifest.data["*"]`}, property.NewMap(map[string]property.Value{
		manifestKey: property.New(map[string]property.Value{"spec": property.New(1.0), "conflictPolicy": property.New(1.0)}),
	}))
}

func TestMessagesNameWhatTheClassHas(t *testing.T) { // [K15]
	t.Parallel()
	w := wordingOf(t)
	for said, want := range map[string]string{
		// Options.
		"  ignoreFields: [\"spec.a\"]":                                 "  k8sconnect.ignoreFields: [\"spec.a\"]",
		"To remove them: takeOverFrom: [\"a\"].":                       "To remove them: k8sconnect.takeOverFrom: [\"a\"].",
		"which are no longer in ignoreFields. Next":                    "which are no longer in k8sconnect.ignoreFields. Next",
		"of clusterConnection.\nand `adopt: true`":                     "of k8sconnect.clusterConnection.\nand `k8sconnect.adopt: true`",
		"clusterConnection.kubeconfig: bad, (ignoreFields)":            "k8sconnect.clusterConnection.kubeconfig: bad, (k8sconnect.ignoreFields)",
		"takeOverFrom names the same field manager.":                   "k8sconnect.takeOverFrom names the same field manager.",
		"known only after the apply: ignoreFields[0], manifest.spec.a": "known only after the apply: k8sconnect.ignoreFields[0], spec.a",
		"it is already k8sconnect.ignoreFields":                        "it is already k8sconnect.ignoreFields",
		// Places.
		"after the apply (manifest.metadata.namespace, manifest.metadata.name). If": "after the apply (metadata.namespace, metadata.name). If",
		`ignoreChanges names manifest.spec["$ref"], and`:                            "ignoreChanges names spec.x_x24_ref, and",
		`ignoreChanges names manifest.data["*"], and`:                               `ignoreChanges names data["*"], and`,
		"manifest: metadata.uid ignored, because only":                              "metadata.uid ignored, because only",
		`set ignoreChanges to ["manifest"].`:                                        `set ignoreChanges to ["*"].`,
		`set ignoreChanges to ["yaml"].`:                                            `set ignoreChanges to ["*"].`,
		"ignoreChanges names yaml, and the program has the object in manifest. No":  "ignoreChanges names k8sconnect.yaml, and the program has the object in the fields of the resource. No",
		"ignoreChanges names yaml.data.a, and":                                      "ignoreChanges names k8sconnect.yaml.data.a, and",
		"A it: Give the object as manifest, or as text in yaml. Nothing was changed.": "A it: Pulumi cannot keep all fields of such a big object one by one. " +
			`To keep them as they were, set ignoreChanges to ["*"]. Nothing was changed.`,
		"A it: Give either manifest or yaml, not both. Nothing was changed.": "A it: ignoreChanges names k8sconnect, which holds such a big object in the state. " +
			"Name single options in it, such as k8sconnect.adopt. Nothing was changed.",
		"import it: pulumi import k8sconnect:index:KubeObject NAME 'a.io/v1/Thing/x/it'\n": "import it: pulumi import --generate-code=false k8sconnect:a.io/v1:Thing NAME 'a.io/v1/Thing/x/it'\n",
	} {
		assert.Equal(t, want, w.text(said))
	}
	for _, same := range []string{
		"", "it adopts. Adopting the object, adopt it", "these fields leave the manifest. Nothing", "as the manifest says", "the KubeObject web",
		// What is the object's, or somebody else's.
		`data.a: "ignoreFields" -> "manifest.spec \" ignoreFields"`, `spec.ignoreFields: 1, metadata.annotations["a"].ignoreFields, data[ignoreFields]`,
		"conflictPolicy: 1 -> 2", "ConfigMap a/ignoreFields, b-ignoreFields, ignoreFieldsToo, a.io/manifest.spec", "see manifest.yaml and manifest.html",
		`an " that stays open`, `the pattern \ignoreFields`,
	} {
		assert.Equal(t, same, w.text(same))
	}
}

type logged struct{ lines *[]string }

func (l logged) Log(_ context.Context, _ resource.URN, _ diag.Severity, message string) {
	*l.lines = append(*l.lines, "log "+message)
}

func (l logged) LogStatus(_ context.Context, _ resource.URN, _ diag.Severity, message string) {
	*l.lines = append(*l.lines, "status "+message)
}

func TestAllThatTheObjectSaysIsTranslated(t *testing.T) { // [K15]
	t.Parallel()
	w := wordingOf(t)
	type key struct{}
	var lines []string
	ctx, cancel := context.WithCancel(w.context(context.WithValue(t.Context(), key{}, logged{&lines})))
	defer cancel()
	inner, ok := ctx.Value(key{}).(sink)
	require.True(t, ok)
	inner.Log(ctx, "", diag.Warning, "manifest.spec.a")
	inner.LogStatus(ctx, "", diag.Info, "manifest.spec.b")
	assert.Equal(t, []string{"log spec.a", "status spec.b"}, lines)

	cause := errors.New("manifest.spec is bad")
	assert.EqualError(t, w.error(cause), "spec is bad")
	require.ErrorIs(t, w.error(cause), cause)
	require.NoError(t, w.error(nil))
	plain := errors.New("it is bad")
	assert.Same(t, plain, w.error(plain))

	unfinished := &p.InitializationFailed{Reasons: []string{"manifest.spec is bad"}}
	w.unfinished(unfinished)
	w.unfinished(nil)
	assert.Equal(t, []string{"spec is bad"}, unfinished.Reasons)

	failures := []p.CheckFailure{{Property: "manifest.spec", Reason: "Name it in ignoreFields."}}
	w.failures(failures)
	assert.Equal(t, []p.CheckFailure{{Property: "spec", Reason: "Name it in k8sconnect.ignoreFields."}}, failures)
}
