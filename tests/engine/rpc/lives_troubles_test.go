package rpc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// trouble is something that lasts until it is taken back. While it does, an up may fail.
type trouble struct {
	refused, unasked, homeless bool
}

// The labels of a namespace in which a policy refuses every change, and in which a webhook is asked that is down.
const (
	refusing = "refusing"
	unasked  = "unasked"
)

// installTroubles makes the policy and the webhook.
func installTroubles(t *testing.T) {
	t.Helper()
	w := newWorld(t)
	w.install("validatingadmissionpolicies", object(t, `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: lives.%[1]s}
spec:
  matchConstraints:
    namespaceSelector: {matchLabels: {`+refusing+`: "yes"}}
    resourceRules:
    - {apiGroups: ["", apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps, deployments]}
  validations: [{expression: "false", message: "no changes on Fridays"}]
`, w.namespace))
	w.install("validatingadmissionpolicybindings", object(t, `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: lives.%[1]s}
spec: {policyName: lives.%[1]s, validationActions: [Deny]}
`, w.namespace))
	w.install("validatingwebhookconfigurations", object(t, `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: lives.%[1]s}
webhooks:
- name: down.lives.%[1]s
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
  timeoutSeconds: 1
  namespaceSelector: {matchLabels: {`+unasked+`: "yes"}}
  rules: [{apiGroups: ["", apps], apiVersions: [v1], operations: [CREATE, UPDATE, DELETE], resources: [configmaps, deployments]}]
  clientConfig: {url: "https://127.0.0.1:1/"}
`, w.namespace))
}

// label gives the namespace a label or takes it away, and waits until that is in force.
func (l *life) label(label string, set bool) error {
	if l.homeless {
		return nil
	}
	value := any(nil)
	if set {
		value = "yes"
	}
	l.world.patch("Namespace", l.world.namespace, m{"metadata": m{"labels": m{label: value}}})
	probe := l.world.configMap("probe", nil)
	eventually(l.t, func() bool {
		_, err := l.world.objects("ConfigMap").Create(l.t.Context(), &unstructured.Unstructured{Object: probe},
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		says := map[string]string{refusing: "no changes on Fridays", unasked: "failed calling webhook"}[label]
		return set == (err != nil && strings.Contains(err.Error(), says))
	}, fmt.Sprintf("%s is in force: %t", label, set))
	return nil
}

// refuse has a policy refuse every change, and unask a webhook be down that has to be asked, or not any more.
func (l *life) refuse(set bool) error {
	if l.homeless || l.unasked || l.refused == set {
		return nil
	}
	l.refused = set
	return l.label(refusing, set)
}

func (l *life) unask(set bool) error {
	if l.homeless || l.refused || l.unasked == set {
		return nil
	}
	l.unasked = set
	l.hurry()
	return l.label(unasked, set)
}

// evict deletes the namespace with all that is in it. settleDown makes it again.
func (l *life) evict() error {
	if l.refused || l.unasked || l.homeless || l.isHeld() {
		return nil
	}
	l.drop(l.cast.object, "it")
	l.drop(l.target, "theirs")
	namespaces := l.world.objects("Namespace")
	l.world.delete("Namespace", l.world.namespace)
	going, err := namespaces.Get(l.t.Context(), l.world.namespace, metav1.GetOptions{})
	if err == nil {
		require.NoError(l.t, unstructured.SetNestedSlice(going.Object, []any{}, "spec", "finalizers"))
		_, err = namespaces.Update(l.t.Context(), going, metav1.UpdateOptions{}, "finalize")
	}
	if !apierrors.IsNotFound(err) {
		require.NoError(l.t, err)
	}
	eventually(l.t, func() bool { return !l.world.exists("Namespace", l.world.namespace) }, "the namespace is gone")
	l.homeless = true
	l.hurry()
	return nil
}

func (l *life) settleDown() error {
	if !l.homeless {
		return nil
	}
	l.world.create(m{"apiVersion": "v1", "kind": "Namespace", "metadata": m{"name": l.world.namespace}})
	l.homeless = false
	l.hurry()
	return nil
}

// hurry gives up soon what lasts.
func (l *life) hurry() {
	for _, p := range l.parts {
		p.timeout = 0
		if l.unasked || l.homeless || l.isHeld() {
			p.timeout = 1
		}
	}
	l.bakery.timeout = l.object.timeout
}

// hold puts a finalizer on the object, and release takes it away.
func (l *life) hold() error {
	err := l.edit(types.MergePatchType, `{"metadata": {"finalizers": ["example.com/held"]}}`)
	l.hurry()
	return err
}

func (l *life) release() error {
	err := l.edit(types.MergePatchType, `{"metadata": {"finalizers": null}}`)
	l.hurry()
	return err
}

// isHeld reports whether the object has a finalizer, and does not go.
func (l *life) isHeld() bool {
	if l.homeless {
		return false
	}
	live := l.live()
	return live != nil && len(live.GetFinalizers()) > 0
}

// isTroubled reports whether an up may fail that is not wrong, and which the preview does not foresee.
func (l *life) isTroubled() bool { return l.unasked || l.homeless || l.isHeld() }

// endTroubles takes everything back that lasts.
func (l *life) endTroubles() error {
	for _, end := range []func() error{
		l.settleDown, func() error { return l.refuse(false) }, func() error { return l.unask(false) }, l.release,
	} {
		if err := end(); err != nil {
			return err
		}
	}
	return nil
}

var troubles = []chapter{
	{2, cast{}, "", one("a policy refuses every change", func(l *life) error { return l.refuse(true) })},
	{1, cast{}, "", one("the policy refuses nothing any more", func(l *life) error { return l.refuse(false) })},
	{1, cast{}, "", one("a webhook is down", func(l *life) error { return l.unask(true) })},
	{1, cast{}, "", one("the webhook is up again", func(l *life) error { return l.unask(false) })},
	{2, cast{}, "", one("others put a finalizer on the object", (*life).hold)},
	{1, cast{}, "", one("the finalizer goes", (*life).release)},
	{1, cast{}, "", one("the namespace is deleted", (*life).evict)},
	{1, cast{}, "", one("the namespace is made again", (*life).settleDown)},
}
