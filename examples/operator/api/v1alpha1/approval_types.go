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

// Approval lets a plan of an Environment run. Its author is whoever may create Approvals in the namespace, and need not be allowed to
// change the Environment. An Approval that is deleted before the run begins does not count. All are deleted with their Environment.
// +kubebuilder:object:root=true
// +kubebuilder:printcolumn:name="Environment",type=string,JSONPath=`.spec.environmentRef.name`
// +kubebuilder:printcolumn:name="Plan",type=string,JSONPath=`.spec.plan`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Approval struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ApprovalSpec `json:"spec"`
}

// ApprovalList is a list of Approvals.
// +kubebuilder:object:root=true
type ApprovalList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Approval `json:"items"`
}
