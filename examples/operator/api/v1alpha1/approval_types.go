package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ApprovalSpec says what is approved.
// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="an Approval cannot be changed: delete it, and create another one"
type ApprovalSpec struct {
	// The Environment, in the namespace of the Approval.
	EnvironmentRef EnvironmentReference `json:"environmentRef"`
	// The hash of the plan, as status.pendingPlan.hash has it. Another plan needs another Approval.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	Plan string `json:"plan"`
}

// ApprovalStatus says what became of it.
type ApprovalStatus struct {
	// Used, which says whether a run has begun with the Approval, and if not, why not.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ConditionUsed says of an Approval whether a run has begun with it.
const ConditionUsed = "Used"

// The reasons of Used.
const (
	// ApprovalUsed is for one with which a run has begun.
	ApprovalUsed = "Used"
	// ApprovalWaiting is for one of the plan that waits, whose run has not begun.
	ApprovalWaiting = "Waiting"
	// ApprovalOfOtherPlan is for one of a plan that does not wait, where another one does.
	ApprovalOfOtherPlan = "OtherPlan"
	// ApprovalOfNothing is for one where no plan waits.
	ApprovalOfNothing = "NothingWaits"
	// ApprovalOfNobody is for one whose Environment was not there. It never counts.
	ApprovalOfNobody = "EnvironmentMissing"
)

// Approval lets a plan of an Environment run. Its author is whoever may create Approvals in the namespace, and need not be allowed to
// change the Environment. An Approval that is deleted before the run begins does not count. All are deleted with their Environment.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Environment",type=string,JSONPath=`.spec.environmentRef.name`
// +kubebuilder:printcolumn:name="Plan",type=string,JSONPath=`.spec.plan`
// +kubebuilder:printcolumn:name="Used",type=string,JSONPath=`.status.conditions[?(@.type=="Used")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.conditions[?(@.type=="Used")].message`
type Approval struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ApprovalSpec `json:"spec"`
	// +optional
	Status ApprovalStatus `json:"status,omitempty"`
}

// ApprovalList is a list of Approvals.
// +kubebuilder:object:root=true
type ApprovalList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Approval `json:"items"`
}
