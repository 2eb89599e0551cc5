package rpc_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// quotePolicy has the API server warn of every ConfigMap of the namespace that has a token and a key. The warning
// quotes both: the token as it is, the key as CEL quotes texts.
func (w world) quotePolicy(t testing.TB) {
	t.Helper()
	policy := "quotes-" + w.namespace
	w.install("validatingadmissionpolicies", object(t, `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: %[1]s}
spec:
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %[2]s}}
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps]}]
  validations:
  - expression: "!has(object.data) || !('token' in object.data && 'key' in object.data)"
    messageExpression: "'the token is ' + object.data.token + ', the key is ' + strings.quote(object.data.key)"
`, policy, w.namespace))
	w.install("validatingadmissionpolicybindings", object(t, `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: %[1]s-here}
spec: {policyName: %[1]s, validationActions: [Warn]}
`, policy))

	heard := &warningLog{}
	config := rest.CopyConfig(shared.Get(t).RESTConfig())
	config.WarningHandler = heard
	client, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	probe := w.configMap("probe", map[string]any{"token": "probed", "key": "probed"})
	eventually(t, func() bool {
		_, err := client.Resource(resources["ConfigMap"]).Namespace(w.namespace).Create(t.Context(),
			&unstructured.Unstructured{Object: probe}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err == nil && strings.Contains(heard.all(), `the token is probed, the key is "probed"`)
	}, "it is in force")
}

// warningLog keeps what an API server warns of.
type warningLog struct {
	mu    sync.Mutex
	texts []string
}

// HandleWarningHeader implements rest.WarningHandler.
func (l *warningLog) HandleWarningHeader(_ int, _, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.texts = append(l.texts, text)
}

func (l *warningLog) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.texts, "\n")
}

// TestAWarningThatQuotesSecrets has a policy warn in words that contain what is secret in the program.
func TestAWarningThatQuotesSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kinds := []string{"patch", "jsonPatch", "mergePatch"}
	for _, kind := range kinds {
		w.create(w.configMap(strings.ToLower(kind), map[string]any{"token": "none", "key": "none"}))
	}
	w.quotePolicy(t)
	const key = "-----BEGIN \"KEY\"-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\n-----END KEY-----\n"
	values := func(n string) map[string]any {
		return map[string]any{"token": secret(hush + n), "key": secret(key + n)}
	}
	// inEveryPhase previews and does a create and an update, each in a run of its own.
	inEveryPhase := func(t *testing.T, s *session, program func(n string) resource.PropertyMap) {
		t.Helper()
		for _, phase := range []string{"create", "update"} {
			for _, act := range []func() error{
				func() error { _, _, err := s.preview(program(phase)); return err },
				func() error { _, err := s.up(program(phase)); return err },
			} {
				p := start(t, inline(newUser(t)))
				s.in(p)
				require.NoError(t, act())
				assert.Contains(t, strings.Join(p.log.warned(s.urn), "\n"), `the token is [secret], the key is "[secret]"`, phase)
				assert.NotContains(t, p.log.all(), hush, phase)
				assert.NotContains(t, p.log.all(), "MIIEvQIBADAN", phase)
			}
		}
	}
	t.Run("about an object is shown without them [D15]", func(t *testing.T) {
		s := start(t, inline(newUser(t))).resource(t, "web")
		inEveryPhase(t, s, func(n string) resource.PropertyMap { return program(w.configMap("web", values(n))) })
	})
	for _, kind := range kinds {
		t.Run("about a "+kind+" is shown without them [D15]", func(t *testing.T) {
			name := strings.ToLower(kind)
			s := patched(t, w, start(t, inline(newUser(t))), name)
			inEveryPhase(t, s, func(n string) resource.PropertyMap {
				return patching(w.configMap(name, nil), setting(kind, map[string]any{"data": values(n)}))
			})
		})
	}
}
