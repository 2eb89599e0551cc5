package v1alpha1

import "strconv"

// Annotations with which people steer an Environment.
const (
	// AnnotationApprove has the hash of the plan that may run.
	AnnotationApprove = "platform.example.com/approve"
	// AnnotationRetry lets a Stalled Environment try again, once for each new value.
	AnnotationRetry = "platform.example.com/retry"
	// AnnotationRun runs the program although nothing has changed, once for each new value, and puts drift right.
	AnnotationRun = "platform.example.com/run"
	// AnnotationOrphan, with the value "true", lets a deleted Environment go without a destroy.
	AnnotationOrphan = "platform.example.com/orphan"
)

// AnnotationAllowDeletion on the definition of Environments, or of the kind of a class, lets it be deleted with all of its objects.
const AnnotationAllowDeletion = "platform.example.com/allow-deletion"

// AnnotationPod names the pod that holds a Lease: the holder's identity is a uid.
const AnnotationPod = "platform.example.com/pod"

// AnnotationNotSaved says on a Lease why its holder cannot save the state, as long as it cannot.
const AnnotationNotSaved = "platform.example.com/not-saved"

// ReasonPlanChanged is why an approved run changed nothing more: another plan than the approved one would run.
const ReasonPlanChanged = "PlanChanged"

// NoChanges approves a run whose plan has no changes. It is not the hash of any plan.
const NoChanges = "none"

// Labels of the objects that belong to an Environment.
const (
	LabelEnvironment = "platform.example.com/environment"
	LabelSerial      = "platform.example.com/serial"
	// LabelPart says what a Secret of the state is: one of the parts below.
	LabelPart = "platform.example.com/state-part"
)

// The parts of an Environment's state, each a Secret, as LabelPart says.
const (
	PartHead       = "head"
	PartChunk      = "chunk"
	PartPassphrase = "passphrase"
	PartInputs     = "inputs"
)

const (
	// Finalizer holds an Environment until what its program made is destroyed.
	Finalizer = "platform.example.com/environment"
	// StateFinalizer holds state, passphrase and inputs while the Environment exists. They have no owner: a deletion
	// in the foreground would remove them before the destroy.
	StateFinalizer = "platform.example.com/state"
)

// StateSecretName is the name of the Secret that has the state.
func (e *Environment) StateSecretName() string { return e.Name + "-state" }

// PassphraseSecretName is the name of the Secret with which the state's secrets are encrypted.
func (e *Environment) PassphraseSecretName() string { return e.Name + "-passphrase" }

// LeaseName is the name of the Lease that a run holds.
func (e *Environment) LeaseName() string { return e.Name + "-run" }

// JobName is the name of the Job of a run.
func (e *Environment) JobName(serial int64) string {
	return e.Name + "-" + strconv.FormatInt(serial, 10)
}

// InputsSecretName is the name of the Secret with the inputs of an operation.
func (e *Environment) InputsSecretName(serial int64) string { return e.JobName(serial) + "-inputs" }

// OutputsSecretName is the name of the Secret with the outputs.
func (e *Environment) OutputsSecretName() string {
	if e.Spec.OutputsSecretName != "" {
		return e.Spec.OutputsSecretName
	}
	return e.Name + "-outputs"
}
