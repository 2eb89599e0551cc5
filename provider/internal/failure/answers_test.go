package failure_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// answered is an error as client-go makes it out of a Status. Most of those below are what an API server (v1.36) has
// answered, with other names; those that one cannot be made to say at will are written after its code.
func answered(t testing.TB, status string) error {
	t.Helper()
	answer := &apierrors.StatusError{}
	require.NoError(t, json.Unmarshal([]byte(status), &answer.ErrStatus))
	return fmt.Errorf("ConfigMap lab/c: %w", answer)
}

const correct = "\n  Next: fix the errors above; later checks run only once these pass."

func TestAnswersOfAnAPIServerAreExplained(t *testing.T) {
	for _, c := range []struct {
		name, status string
		outcome      failure.WriteEffect
		class        failure.Class
		text         string // after "cannot create ConfigMap lab/c: "
	}{
		{
			"no permission in a namespace",
			`{"message":"deployments.apps \"c\" is forbidden: User \"system:serviceaccount:ci:the deployer\" cannot patch resource \"deployments\" in API group \"apps\" in the namespace \"lab\"","reason":"Forbidden","details":{"name":"c","group":"apps","kind":"deployments"},"code":403}`,
			failure.Refused, failure.ClassPermission,
			`user "system:serviceaccount:ci:the deployer" may not patch deployments.apps in namespace "lab" (403)
  Next: grant it in a Role or ClusterRole, or use other credentials. An apply needs create and patch. To check:
        kubectl auth can-i patch deployments.apps --namespace lab --as 'system:serviceaccount:ci:the deployer'`,
		}, {
			"no permission at the cluster scope, and why",
			`{"message":"clusterroles.rbac.authorization.k8s.io \"c\" is forbidden: User \"eve\" cannot patch resource \"clusterroles\" in API group \"rbac.authorization.k8s.io\" at the cluster scope: RBAC: clusterrole.rbac.authorization.k8s.io \"gone\" not found","reason":"Forbidden","details":{"name":"c","group":"rbac.authorization.k8s.io","kind":"clusterroles"},"code":403}`,
			failure.Refused, failure.ClassPermission,
			`user "eve" may not patch clusterroles.rbac.authorization.k8s.io (403)
  RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found
  Next: grant it in a Role or ClusterRole, or use other credentials. An apply needs create and patch. To check:
        kubectl auth can-i patch clusterroles.rbac.authorization.k8s.io --as eve`,
		}, {
			"no permission for a path",
			`{"message":"forbidden: User \"system:anonymous\" cannot get path \"/api/v1\"","reason":"Forbidden","details":{},"code":403}`,
			failure.Refused, failure.ClassPermission,
			`user "system:anonymous" may not get /api/v1 (403)
  Next: grant it in a ClusterRole, or use other credentials. To check:
        kubectl auth can-i get /api/v1 --as system:anonymous`,
		}, {
			"a quota is used up",
			`{"message":"configmaps \"c\" is forbidden: exceeded quota: small, requested: count/configmaps=1, used: count/configmaps=1, limited: count/configmaps=1","reason":"Forbidden","details":{"name":"c","kind":"configmaps"},"code":403}`,
			failure.Refused, failure.ClassQuota,
			`it would exceed quota "small" of its namespace (403)
  requested: count/configmaps=1
  used: count/configmaps=1
  limited: count/configmaps=1
  Next: ask for less, delete what is no longer needed, or have ResourceQuota "small" raised.`,
		}, {
			"a quota wants requests [D45]",
			`{"message":"pods \"c\" is forbidden: failed quota: small: must specify requests.cpu for: a","reason":"Forbidden","details":{"name":"c","kind":"pods"},"code":403}`,
			failure.Refused, failure.ClassQuota,
			`quota "small" requires requests.cpu on container a (403)
  Next: set it (resources.requests and resources.limits of the containers), or have a LimitRange give defaults.`,
		}, {
			"a quota wants several things of several containers [D45]",
			`{"message":"pods \"c\" is forbidden: failed quota: small: must specify limits.memory for: a,b; requests.cpu for: a","reason":"Forbidden","details":{"name":"c","kind":"pods"},"code":403}`,
			failure.Refused, failure.ClassQuota,
			`quota "small" requires limits.memory on containers a, b, and requests.cpu on container a (403)
  Next: set them (resources.requests and resources.limits of the containers), or have a LimitRange give defaults.`,
		}, {
			"a quota of an API server before 1.24, which names no container [D45]",
			`{"message":"pods \"c\" is forbidden: failed quota: small: must specify limits.memory,requests.cpu","reason":"Forbidden","details":{"name":"c","kind":"pods"},"code":403}`,
			failure.Refused, failure.ClassQuota,
			`quota "small" requires limits.memory, requests.cpu (403)
  Next: set them (resources.requests and resources.limits of the containers), or have a LimitRange give defaults.`,
		}, {
			"another 403, as the API server says it",
			`{"message":"pods \"c\" is forbidden: maximum cpu usage per Container is 1, but limit is 3","reason":"Forbidden","details":{"name":"c","kind":"pods"},"code":403}`,
			failure.Refused, failure.ClassForbidden,
			`the API server forbids it (403)
  pods "c" is forbidden: maximum cpu usage per Container is 1, but limit is 3
  Next: the reason above says which rule of the cluster forbids it; change the object, or ask whoever maintains the rule.`,
		}, {
			"a policy that answers 422",
			`{"message":"secrets \"s\" is forbidden: ValidatingAdmissionPolicy 'no-bad-labels' with binding 'everywhere' denied request: label bad is bad","reason":"Invalid","details":{"name":"s","kind":"secrets","causes":[{"message":"ValidatingAdmissionPolicy 'no-bad-labels' with binding 'everywhere' denied request: label bad is bad"}]},"code":422}`,
			failure.Refused, failure.ClassPolicy,
			`ValidatingAdmissionPolicy "no-bad-labels" denied the request
  label bad is bad
  Next: change the object, or ask whoever maintains the policy (it applies here by its binding "everywhere").`,
		}, {
			"a webhook that denies",
			`{"message":"admission webhook \"rules.example.com\" denied the request: house rule","code":400}`,
			failure.Refused, failure.ClassWebhook,
			`admission webhook "rules.example.com" denied the request
  house rule
  Next: change the object, or ask whoever runs the webhook (its name is in a ValidatingWebhookConfiguration or a MutatingWebhookConfiguration).`,
		}, {
			"a webhook that denies with 500 and no word",
			`{"message":"admission webhook \"rules.example.com\" denied the request without explanation","code":500}`,
			failure.Refused, failure.ClassWebhook,
			`admission webhook "rules.example.com" denied the request
  It gave no explanation.
  Next: change the object, or ask whoever runs the webhook (its name is in a ValidatingWebhookConfiguration or a MutatingWebhookConfiguration).`,
		}, {
			"a terminating namespace",
			`{"message":"configmaps \"c\" is forbidden: unable to create new content in namespace lab because it is being terminated","reason":"Forbidden","details":{"name":"c","kind":"configmaps","causes":[{"reason":"NamespaceTerminating","message":"namespace lab is being terminated","field":"metadata.namespace"}]},"code":403}`,
			failure.Refused, failure.ClassNamespaceTerminating,
			`its namespace is being deleted (403)
  namespace lab is being terminated
  Next: run again when the namespace is gone and created again; its status.conditions show what blocks the deletion.`,
		}, {
			"a missing namespace",
			`{"message":"namespaces \"lab\" not found","reason":"NotFound","details":{"name":"lab","kind":"namespaces"},"code":404}`,
			failure.Refused, failure.ClassNamespaceMissing,
			`namespace "lab" does not exist
  namespaces "lab" not found
  Next: create the namespace first, or let this object depend on the resource that creates it.`,
		}, {
			"credentials that are not accepted",
			`{"message":"Unauthorized","reason":"Unauthorized","code":401}`,
			failure.Refused, failure.ClassAuthentication,
			`the API server does not accept the credentials (401)
  Unauthorized
  server: https://api.example.com:6443
  Next: renew the token or certificate of this connection (a login may have expired).`,
		}, {
			"a field of another manager",
			`{"message":"Apply failed with 1 conflict: conflict with \"kube-controller-manager\" using v1: .data.ca.crt","reason":"Conflict","details":{"causes":[{"reason":"FieldManagerConflict","message":"conflict with \"kube-controller-manager\" using v1","field":".data.ca.crt"}]},"code":409}`,
			failure.Refused, failure.ClassFieldConflict,
			`other field managers own fields that the manifest sets
  .data.ca.crt: conflict with "kube-controller-manager" using v1
  Next: list the fields in ignoreFields to leave them to their owner, or set conflictPolicy to force to take them.`,
		}, {
			"one rule of a definition is broken",
			`{"message":"Gadget.lab.example.com \"web\" is invalid: spec: Invalid value: min must not exceed max","reason":"Invalid","details":{"name":"web","group":"lab.example.com","kind":"Gadget","causes":[{"reason":"FieldValueInvalid","message":"Invalid value: min must not exceed max","field":"spec"}]},"code":422}`,
			failure.Refused, failure.ClassInvalid,
			`spec: Invalid value: min must not exceed max` + correct,
		}, {
			"the same mistake is reported twice",
			`{"message":"…","reason":"Invalid","details":{"name":"web","group":"apps","kind":"Deployment","causes":[{"reason":"FieldValueInvalid","message":"Invalid value: \"a b\": a valid label must …","field":"metadata.labels"},{"reason":"FieldValueInvalid","message":"Invalid value: \"a b\": a valid label must …","field":"metadata.labels"}]},"code":422}`,
			failure.Refused, failure.ClassInvalid,
			`metadata.labels: Invalid value: "a b": a valid label must …` + correct,
		}, {
			"several values are invalid",
			`{"message":"…","reason":"Invalid","details":{"name":"web","group":"lab.example.com","kind":"Gadget","causes":[{"reason":"FieldValueTypeInvalid","message":"Invalid value: \"string\": spec.size in body must be of type integer: \"string\"","field":"spec.size"},{"reason":"FieldValueInvalid","message":"Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation","field":"<nil>"}]},"code":422}`,
			failure.Refused, failure.ClassInvalid,
			`the API server refuses the manifest as invalid in 2 places
  spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"
  Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation` + correct,
		}, {
			"the same mistake is named three times",
			`{"message":"…","reason":"Invalid","details":{"name":"web","kind":"NetworkPolicy","causes":[{"reason":"FieldValueInvalid","message":"Invalid value: \"a b\": a label","field":"metadata.labels"},{"reason":"FieldValueInvalid","message":"Invalid value: \"a b\": a label","field":"metadata.labels"},{"reason":"FieldValueInvalid","message":"Invalid value: \"a b\": a label","field":"metadata.labels"}]},"code":422}`,
			failure.Refused, failure.ClassInvalid,
			`metadata.labels: Invalid value: "a b": a label` + correct,
		}, {
			"one typo",
			`{"message":"failed to create typed patch object (lab/web; apps/v1, Kind=Deployment): .spec.replcas: field not declared in schema","code":500}`,
			failure.Refused, failure.ClassInvalid,
			`spec.replcas: field not declared in schema` + correct,
		}, {
			"several mistakes in the shape, without the values, which are in Go's notation and may be secret",
			`{"message":"failed to create typed patch object (lab/web; apps/v1, Kind=Deployment): errors:\n  .spec.replicas: expected numeric (int or float), got string\n  .spec.template.metadata.labels.app: expected string, got &value.valueUnstructured{Value:7}\n  .spec.template.spec.containers: expected list, got &{map[image:a name:a]}\n  .spec.template.spec.containers[name=\"a\"].env: duplicate entries for key [name=\"A\"]","code":500}`,
			failure.Refused, failure.ClassInvalid,
			`the manifest does not fit the kind's schema in 4 places
  spec.replicas: expected numeric (int or float)
  spec.template.metadata.labels.app: expected string
  spec.template.spec.containers: expected list
  spec.template.spec.containers[name="a"].env: duplicate entries for key [name="A"]` + correct,
		}, {
			"a typed-patch error that is not understood, whole",
			`{"message":"failed to convert new object (lab/q; /v1, Kind=ResourceQuota) to proper version: unable to convert unstructured object to /v1, Kind=ResourceQuota: quantities must match the regular expression","code":500}`,
			failure.Refused, failure.ClassInvalid,
			`the manifest does not fit the kind's schema
  failed to convert new object (lab/q; /v1, Kind=ResourceQuota) to proper version: unable to convert unstructured object to /v1, Kind=ResourceQuota: quantities must match the regular expression` + correct,
		}, {
			"too many requests",
			`{"message":"Too many requests, please try again later.","reason":"TooManyRequests","details":{"retryAfterSeconds":1},"code":429}`,
			failure.Refused, failure.ClassTooManyRequests,
			`the API server is overloaded (429)
  Too many requests, please try again later.
  Next: run again later, or with a lower --parallel.`,
		}, {
			"a timeout inside the API server",
			`{"message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}`,
			failure.Unknown, failure.ClassTimeout,
			`no answer in time
  Timeout: request did not complete within the allotted timeout
  server: https://api.example.com:6443
  Next: check the network and the API server's health, then run again; raise customTimeouts if it is just slow.`,
		}, {
			"a value that quotes a mark is only a value",
			`{"message":"ConfigMap \"c\" is invalid: data: Invalid value: admission webhook \"x\" denied the request: no","reason":"Invalid","details":{"causes":[{"reason":"FieldValueInvalid","message":"ValidatingAdmissionPolicy 'x' with binding 'y' denied request","field":"data"}]},"code":422}`,
			failure.Refused, failure.ClassInvalid,
			`data: ValidatingAdmissionPolicy 'x' with binding 'y' denied request` + correct,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := answered(t, c.status)
			assert.Equal(t, c.outcome, failure.Outcome(err))
			assert.Equal(t, c.class, failure.Classify(err))
			explained := failure.Explain(err, failure.Operation{Verb: "create", Subject: "ConfigMap lab/c", Server: "https://api.example.com:6443"})
			assert.Equal(t, "cannot create ConfigMap lab/c: "+c.text, explained.Error())
		})
	}
}

func TestADenialIsForbiddenWhateverItsCode(t *testing.T) {
	for _, code := range []int32{400, 403, 404, 409, 422, 429, 500, 503} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			denied := failure.AsForbidden(status(code, metav1.StatusReasonNotFound, `admission webhook "x" denied the request: no`))
			var answer apierrors.APIStatus
			require.ErrorAs(t, denied, &answer)
			assert.EqualValues(t, http.StatusForbidden, answer.Status().Code)
			assert.True(t, apierrors.IsForbidden(denied))
			assert.False(t, apierrors.IsNotFound(denied), "nobody takes it for an object that is gone")
			assert.Equal(t, failure.ClassWebhook, failure.Classify(denied))
		})
	}
	other := status(404, metav1.StatusReasonNotFound, `configmaps "admission webhook" not found`)
	assert.Same(t, other, failure.AsForbidden(other))
}

func TestAKindThatIsNotServed(t *testing.T) {
	explain := func(err failure.KindNotServedError) string {
		return failure.Explain(&err, failure.Operation{Verb: "create", Subject: "X web"}).Error()
	}
	t.Run("is suggested where it is [O56]", func(t *testing.T) {
		assert.Equal(t, `cannot create X web: the cluster has no kind "Ingress" in "networking/v1", it has it in networking.k8s.io/v1 or other.example.com/v2
  Next: set apiVersion to networking.k8s.io/v1 or other.example.com/v2; check whether its fields are the same there.`,
			explain(failure.KindNotServedError{
				APIVersion: "networking/v1", Kind: "Ingress", ServedAs: []string{"networking.k8s.io/v1", "other.example.com/v2"}, Permanent: true,
			}))
	})
	t.Run("may be missing its definition although the name is known elsewhere [O17]", func(t *testing.T) {
		text := explain(failure.KindNotServedError{APIVersion: "a.b/v1", Kind: "C", ServedAs: []string{"a/v1", "b/v1", "c/v1", "d/v1", "e/v1"}})
		assert.Contains(t, text, "It has a kind of this name in a/v1, b/v1, c/v1 or 2 others.")
		assert.Contains(t, text, "CustomResourceDefinition")
	})
	t.Run("was renamed or removed by Kubernetes [O56]", func(t *testing.T) {
		assert.Contains(t, explain(failure.KindNotServedError{APIVersion: "policy/v1beta1", Kind: "PodSecurityPolicy", Permanent: true}), "removed in Kubernetes 1.25")
		assert.Contains(t, explain(failure.KindNotServedError{APIVersion: "apps/v1alpha1", Kind: "PetSet", Permanent: true}), "StatefulSet of apps/v1")
	})
	t.Run("is defined all the same", func(t *testing.T) {
		assert.Equal(t, `cannot create X web: the cluster does not serve kind "B" of "a.b/v1"
  CustomResourceDefinition bs.a.b defines it, so its objects may exist, and cannot be reached for now.
  Next: have it serve a version again (`+"`served: true`"+`), then run the command again.`,
			explain(failure.KindNotServedError{APIVersion: "a.b/v1", Kind: "B", DefinedBy: failure.Definition{Kind: "CustomResourceDefinition", Name: "bs.a.b"}}))
		assert.Contains(t, explain(failure.KindNotServedError{APIVersion: "a.b/v1", Kind: "B", DefinedBy: failure.Definition{Kind: "APIService", Name: "v1.a.b"}}),
			"Next: make the API server behind it available; `kubectl get apiservice v1.a.b -o yaml` says what is wrong, then run the command again.")
	})
	t.Run("can never come to a group of Kubernetes", func(t *testing.T) {
		assert.Contains(t, explain(failure.KindNotServedError{APIVersion: "apps/v1", Kind: "Deploymnt", Permanent: true}), "check apiVersion and kind")
	})
}

func TestNothingSensitiveIsOnTheFirstLine(t *testing.T) {
	cause := answered(t, `{"message":"x","reason":"Invalid","details":{"causes":[{"message":"Invalid value: \"hunter2\": no","field":"data.hunter2"}]},"code":422}`)
	found := &failure.ManifestError{Mistakes: []failure.Mistake{{Field: "data.hunter2", Message: `"hunter2" is not accepted: ` + fmt.Sprintf("%200s", "hunter2")}}, Err: cause}
	denied := answered(t, `{"message":"admission webhook \"w\" denied the request: no hunter2 here","code":400}`)
	for _, err := range []error{cause, found, denied} {
		explained := failure.Explain(err, failure.Operation{Verb: "create", Subject: "Secret web", Sensitive: []string{"hunter2"}})
		assert.NotContains(t, explained.Error(), "hunter2", "[C16]")
		assert.Contains(t, explained.Error(), "[secret]")
	}
}

func TestDecodingErrorsAreTakenApart(t *testing.T) {
	bad := func(text string) error { return status(400, metav1.StatusReasonBadRequest, text) }
	for text, want := range map[string]string{
		`Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`:     "must be an integer, not a string",
		`ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string`:                    "must be a string, not a number",
		`ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number 300 into Go struct field X.y of type int8`:                             "must be an integer, not a number",
		`Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container`: "must be a list, not an object",
		`Deployment in version "v1" cannot be handled as a Deployment: quantities must match the regular expression 'x'`:                                                  "quantities must match the regular expression 'x'",
		`Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 7`:                                                                       "illegal base64 data at input byte 7",
	} {
		reason, ok := failure.Undecodable(bad(text))
		assert.True(t, ok)
		assert.Equal(t, want, reason)
		assert.Empty(t, failure.UnknownFields(bad(text)))
	}
	strict := bad(`Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "metadata.lables", unknown field "spec.a\"b"`)
	assert.Equal(t, []string{"metadata.lables", `spec.a"b`}, failure.UnknownFields(strict))
	_, undecodable := failure.Undecodable(strict)
	assert.False(t, undecodable)
	for _, other := range []error{
		bad("no"), bad(`admission webhook "x" denied the request: X in version "v1" cannot be handled as a X: no`),
		status(422, metav1.StatusReasonInvalid, `X in version "v1" cannot be handled as a X: no`),
	} {
		_, undecodable := failure.Undecodable(other)
		assert.False(t, undecodable, "%v", other)
	}
}
