package operator

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const approve = "platform.example.com/approve"

func TestApproval(t *testing.T) { // [X9]
	t.Parallel()
	s := with(t)
	s.program(greeting)
	e := s.create("shop", fields{"approval": "Manual", "config": fields{"text": "hello"}})

	planned := e.becomes("Ready", metav1.ConditionFalse, "WaitingForApproval")
	require.NotNil(t, planned.PendingPlan)
	assert.Nil(t, s.configMap("greeting"), "nothing is made before it is approved")
	assert.Contains(t, planned.condition("Ready").Message, planned.PendingPlan.Hash, "the message says how to approve")
	first := planned.PendingPlan.Hash

	e.annotate(approve, first)
	applied := e.applied(2)
	assert.Equal(t, "hello", s.configMap("greeting").Data["text"])
	assert.Nil(t, applied.PendingPlan)

	t.Run("an outdated approval does nothing", func(t *testing.T) {
		e.change(fields{"config": fields{"text": "good evening"}})
		planned := e.becomes("Ready", metav1.ConditionFalse, "WaitingForApproval")
		require.NotEqual(t, first, planned.PendingPlan.Hash)
		require.NotEmpty(t, planned.PendingPlan.Changes)
		assert.Equal(t, "update", planned.PendingPlan.Changes[0].Op)
		assert.Equal(t, "hello", s.configMap("greeting").Data["text"])

		// What was planned is not what would happen any more.
		made := s.configMap("greeting")
		require.NoError(t, s.client.Delete(t.Context(), made))
		e.change(fields{"config": fields{"text": "good night"}})
		second := planned.PendingPlan.Hash
		e.annotate(approve, second)
		s.eventually(func() bool {
			plan := e.status().PendingPlan
			return plan != nil && plan.Hash != second
		}, "there is another plan")
		planned = e.becomes("Ready", metav1.ConditionFalse, "WaitingForApproval")
		e.annotate(approve, planned.PendingPlan.Hash)
		s.eventually(func() bool {
			made := s.configMap("greeting")
			return made != nil && made.Data["text"] == "good night"
		}, "the approved plan runs")
	})
	t.Run("what changes no resource needs no approval", func(t *testing.T) {
		serial := e.ready().Serial
		s.program(greeting + "  more: x\n")
		assert.Equal(t, "x", e.applied(serial + 2).Outputs["more"])
	})
}

func TestReview(t *testing.T) { // [X68]
	t.Parallel()
	s := with(t)
	s.program(greeting)
	author := s.tenant("author", may("impersonate", "serviceaccounts", "environment-runner"))
	reviewer, err := s.cluster.AddUser("reviewer-of-" + s.namespace)
	require.NoError(t, err)
	s.run("create", "rolebinding", "reviewer", "-n", s.namespace, "--clusterrole=environment-approver", "--user="+reviewer.Name)
	s.eventually(func() bool {
		return author.try("shop", fields{"approval": "Reviewed", "config": fields{"text": "hello"}}) == nil
	}, "the author's role is known")
	e := &environment{surroundings: s, name: "shop"}
	planned := e.becomes("Ready", metav1.ConditionFalse, "WaitingForApproval")

	require.NoError(t, author.updated("shop", fields{"metadata": fields{"annotations": fields{approve: planned.PendingPlan.Hash}}}))
	err = author.updated("shop", fields{"spec": fields{"approval": "Automatic"}})
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	assert.Contains(t, err.Error(), author.name+" may not change spec.approval of an Environment that is Reviewed")
	err = author.updated("shop", fields{"metadata": fields{"annotations": fields{"platform.example.com/orphan": "true"}}})
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	assert.Contains(t, err.Error(), author.name+" may not let the objects of an Environment go that is Reviewed")
	err = author.updated("shop", fields{"spec": fields{"onDelete": "Orphan"}})
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	err = author.updated("shop", fields{"metadata": fields{"finalizers": nil}})
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	s.run("label", "namespace", s.namespace, "platform.example.com/reviewed=true")
	s.eventually(func() bool {
		err = author.client.Create(t.Context(), environmentOf(s.namespace, "other", nil), client.DryRunAll)
		return apierrors.IsForbidden(err)
	}, "the label is known")
	assert.Contains(t, err.Error(), "may only create Environments with approval: Reviewed and destroyApproval: Reviewed in the namespace "+s.namespace)
	require.NoError(t, author.try("other", fields{"approval": "Reviewed", "destroyApproval": "Reviewed", "suspend": true}))
	approval := func(plan string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: fields{
			"apiVersion": environmentKind.GroupVersion().String(), "kind": "Approval",
			"metadata": fields{"generateName": "shop-", "namespace": s.namespace},
			"spec":     fields{"environmentRef": fields{"name": "shop"}, "plan": plan},
		}}
	}
	err = author.client.Create(t.Context(), approval(planned.PendingPlan.Hash))
	require.True(t, apierrors.IsForbidden(err), "%v", err)
	s.eventually(func() bool { return e.status().ObservedGeneration == e.read().GetGeneration() }, "the operator has seen all of this")
	assert.Nil(t, s.configMap("greeting"), "nobody has approved it")

	// The reviewer does what the message says.
	_, command, found := strings.Cut(planned.condition("Ready").Message, "kubectl create ")
	require.True(t, found)
	arguments, object, found := strings.Cut(command, " -f - <<< ")
	require.True(t, found)
	assert.Equal(t, "--namespace "+s.namespace, arguments)
	given := &unstructured.Unstructured{}
	require.NoError(t, given.UnmarshalJSON([]byte(strings.Trim(object, "'"))))
	given.SetNamespace(s.namespace)
	require.NoError(t, s.as(reviewer).client.Create(t.Context(), given))
	e.applied(2)
	assert.Equal(t, "hello", s.configMap("greeting").Data["text"])
	s.eventually(func() bool {
		said := s.run("get", "approvals", "-n", s.namespace)
		return strings.Contains(said, "True") && strings.Contains(said, "Run 2 has begun with it.")
	}, "the Approval says that it was used")
	unlike := given.DeepCopy()
	require.NoError(t, s.client.Get(t.Context(), client.ObjectKeyFromObject(given), unlike))
	require.NoError(t, unstructured.SetNestedField(unlike.Object, "another", "spec", "plan"))
	require.ErrorContains(t, s.client.Update(t.Context(), unlike), "an Approval cannot be changed")

	t.Run("and the next plan needs another one", func(t *testing.T) {
		require.NoError(t, author.updated("shop", fields{"spec": text("bye")}))
		e.becomes("Ready", metav1.ConditionFalse, "WaitingForApproval")
		assert.Equal(t, "hello", s.configMap("greeting").Data["text"])
	})
	t.Run("so does the destroy, after which all Approvals are gone", func(t *testing.T) {
		require.NoError(t, author.updated("shop", fields{"spec": fields{"destroyApproval": "Reviewed"}}))
		s.run("delete", "environment", "shop", "-n", s.namespace, "--wait=false")
		s.eventually(func() bool { plan := e.status().PendingPlan; return plan != nil && plan.Destroy }, "the destroy is planned")
		planned := e.becomes("Ready", metav1.ConditionFalse, "WaitingForApproval").PendingPlan
		assert.Equal(t, "greeting", planned.Changes[0].Name)
		require.NoError(t, author.updated("shop", fields{"metadata": fields{"annotations": fields{approve: planned.Hash}}}))
		err := author.updated("shop", fields{"spec": fields{"destroyApproval": "Automatic"}})
		require.True(t, apierrors.IsForbidden(err), "%v", err)
		assert.NotNil(t, s.configMap("greeting"), "nobody has approved it")

		require.NoError(t, s.as(reviewer).client.Create(t.Context(), approval(planned.Hash)))
		s.eventually(func() bool {
			return apierrors.IsNotFound(s.client.Get(t.Context(), client.ObjectKeyFromObject(given), given.DeepCopy()))
		}, "the Approval is gone")
		assert.Nil(t, e.read())
		assert.Nil(t, s.configMap("greeting"))
	})
}
