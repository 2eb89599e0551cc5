package waitfor

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/diagnosis"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
)

func TestNext(t *testing.T) {
	object := func(apiVersion, kind string, status map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "status": status}}
	}
	failed := map[string]any{"conditions": []any{map[string]any{"type": "Failed", "status": "True"}}, "bad": true}
	const (
		again   = "Then run `pulumi up`, which waits again, in place. The object was left as it is."
		ended   = "has failed does not run again: change its manifest, or delete it with `kubectl delete "
		deleted = "find out who deleted it"
	)
	terminating := object("v1", "Pod", map[string]any{"phase": "Failed"})
	terminatingAndBad := object("v1", "Service", map[string]any{"bad": true})
	for _, going := range []*unstructured.Unstructured{terminating, terminatingAndBad} {
		going.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1700000000, 0)})
	}
	for name, test := range map[string]struct {
		reason  readiness.Reason
		last    *unstructured.Unstructured
		advice  string
		want    []string
		without []string
	}{
		"a timeout": {readiness.TimedOut, object("v1", "Pod", nil), "",
			[]string{"Next: fix what is missing, or give it more time with waitFor.timeout.", again}, []string{ended, deleted}},
		"a timeout with advice": {readiness.TimedOut, object("v1", "Pod", nil), "correct the image",
			[]string{"Next: correct the image, or give it more time with waitFor.timeout.", again}, []string{"mend"}},
		"never there":  {readiness.TimedOut, nil, "", []string{"correct apiVersion, kind, namespace and name"}, []string{deleted, "left as it is"}},
		"^C":           {readiness.Interrupted, object("v1", "Pod", nil), "", []string{"The next `pulumi up` waits again"}, []string{"Next:"}},
		"a failed Job": {readiness.Failed, object("batch/v1", "Job", failed), "", []string{"fix what failed.", "A Job that " + ended}, []string{again, deleted}},
		"a failed Pod": {readiness.Failed, object("v1", "Pod", map[string]any{"phase": "Failed"}), "see why",
			[]string{"Next: see why.", "A Pod that " + ended}, []string{again}},
		"failWhen of a Job that runs": {readiness.Failed, object("batch/v1", "Job", map[string]any{"bad": true}), "",
			[]string{"fix what failed.", again}, []string{ended, deleted}},
		"a Job that was deleted": {readiness.Failed, object("batch/v1", "Job", nil), "", []string{deleted}, []string{ended, "left as it is"}},
		"a timeout of what is being deleted [D11]": {readiness.TimedOut, terminating, "correct the image",
			[]string{deleted, "it can no longer become ready"}, []string{"more time", "left as it is", "correct the image"}},
		"failWhen of what is being deleted [D11]": {readiness.Failed, terminatingAndBad, "", []string{"fix what failed.", again}, []string{deleted}},
		"deleted before it was seen":              {readiness.Failed, nil, "", []string{deleted}, []string{"correct apiVersion"}},
	} {
		t.Run(name, func(t *testing.T) {
			goal, problems := readiness.Compile(readiness.Criteria{Field: "status.never", FailWhen: "object.status.bad"})
			require.Empty(t, problems)
			r := Request{Spec: Spec{Goal: goal}}
			got := r.next(&readiness.NotReadyError{Reason: test.reason, Goal: goal, Last: test.last, Missing: goal.Judge(test.last).Missing}, test.advice)
			for _, want := range test.want {
				assert.Contains(t, got, want)
			}
			for _, without := range test.without {
				assert.NotContains(t, got, without)
			}
			assert.LessOrEqual(t, strings.Count(got, "\n"), 1)
		})
	}
	t.Run("a failure that is only a warning does not say that the next command waits again [D53]", func(t *testing.T) {
		goal, _ := readiness.Compile(readiness.Criteria{Field: "status.never"})
		for _, last := range []*unstructured.Unstructured{nil, object("v1", "Pod", nil)} {
			got := Request{Spec: Spec{Goal: goal}, GoesOn: true}.next(&readiness.NotReadyError{
				Reason: readiness.TimedOut, Goal: goal, Last: last, Missing: goal.Judge(last).Missing}, "")
			assert.NotContains(t, got, "waits again")
		}
	})
	t.Run("an object that Kubernetes removes is not said to be somebody's deletion [D108] [D114]", func(t *testing.T) {
		goal, _ := readiness.Compile(readiness.Criteria{Field: "status.never"})
		job, token := object("batch/v1", "Job", nil), object("v1", "Secret", nil)
		job.Object["spec"] = map[string]any{"ttlSecondsAfterFinished": int64(5)}
		token.Object["type"] = "kubernetes.io/service-account-token"
		token.SetAnnotations(map[string]string{"kubernetes.io/service-account.name": "robot"})
		for want, last := range map[string]*unstructured.Unstructured{
			"raise its ttlSecondsAfterFinished: it is removed 5 s after it has ended": job,
			`make sure that there is a ServiceAccount "robot"`:                        token,
		} {
			for _, isRun := range []bool{false, true} {
				of := manifest.IdentityOf(last.Object)
				got := Request{Object: of, Spec: Spec{Goal: goal}, IsRun: isRun}.next(&readiness.NotReadyError{Reason: readiness.Failed, Goal: goal, Last: last}, "")
				assert.Contains(t, got, want)
				assert.NotContains(t, got, deleted)
				got = Request{Object: of, Spec: Spec{Goal: goal}, IsRun: isRun}.next(&readiness.NotReadyError{Reason: readiness.Failed, Goal: goal}, "")
				assert.Contains(t, got, "; otherwise "+deleted)
			}
		}
	})
	t.Run("a set names what it has: customTimeouts, wait and the setting readiness [D116]", func(t *testing.T) {
		goal, _ := readiness.Compile(readiness.Criteria{Ready: true})
		service := object("v1", "Service", nil)
		service.Object["spec"] = map[string]any{"type": "LoadBalancer"}
		late := &readiness.NotReadyError{Reason: readiness.TimedOut, Goal: goal, Last: service, Missing: goal.Judge(service).Missing}
		of := manifest.IdentityOf(service.Object)
		const rule = "or say when a Service is ready with a rule in the provider's setting readiness"
		failing := Request{Object: of, Spec: Spec{Goal: goal}, InSet: true}.next(late, "")
		assert.Contains(t, failing, "the resource option customTimeouts of the set, "+rule)
		warning := Request{Object: of, Spec: Spec{Goal: goal}, InSet: true, GoesOn: true}.next(late, "")
		assert.Contains(t, warning, "`wait: all`, which customTimeouts of the set bounds, "+rule)
		for _, text := range []string{failing, warning} {
			assert.NotContains(t, text, "waitFor")
		}
		assert.Contains(t, Request{Object: of, Spec: Spec{Goal: goal}}.next(late, ""), "waitFor.timeout, "+rule)
	})
	t.Run("what was deleted before it was seen is not said to be unknown", func(t *testing.T) {
		goal, _ := readiness.Compile(readiness.Criteria{Field: "status.never"})
		assert.Empty(t, Request{Spec: Spec{Goal: goal}}.seen(&readiness.NotReadyError{Reason: readiness.Failed, Goal: goal}))
	})
}

func TestShorten(t *testing.T) {
	fits := strings.Repeat("ä", maxLine)
	assert.Equal(t, fits, shorten(fits))
	got := shorten("begin" + fits + "the cause")
	assert.Len(t, []rune(got), maxLine)
	assert.Regexp(t, "^begin.*ä…ä.*the cause$", got, "the end is kept, where the cause is")
}

func TestUpTo(t *testing.T) {
	assert.Empty(t, upTo(2, nil, "more"))
	assert.Equal(t, []string{"    a", "    b"}, upTo(2, []string{"a", "b"}, "more"))
	assert.Equal(t, []string{"    a", "    b c", "    and 2 more conditions"}, upTo(2, []string{"a", "b\n  c", "d", "e"}, "conditions"))
}

func TestDuration(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"5ms": 5*time.Millisecond + 300*time.Microsecond, "2s": 2003 * time.Millisecond, "1m30s": 90 * time.Second, "10m": 10 * time.Minute,
		"1h0m": time.Hour,
	} {
		assert.Equal(t, want, duration(d))
	}
}

func TestALogOfNoLinesIsNotRead(t *testing.T) { // [T3]
	t.Parallel()
	failed := diagnosis.PodIssue{Failed: diagnosis.Container{Namespace: "shop", Pod: "migrate-a", Name: "main"}}
	assert.Empty(t, Request{}.log(t.Context(), failed), "there is no cluster that could be asked")
}
