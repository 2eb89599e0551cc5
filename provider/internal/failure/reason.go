package failure

// Reason is why an operation failed, in one word, for programs and people that distinguish causes without reading
// prose. It ends the first line of every error, in brackets, as given by [Because] or by the class of the error. If
// Kubernetes has a reason for it (metav1.StatusReason, and the types of causes), it has the same name here. The words
// are an interface: none changes its meaning, and none is removed.
type Reason string

// The reasons. [Reasons] says what each means.
const (
	ReasonInvalidConfiguration   Reason = "InvalidConfiguration"
	ReasonCredentialPluginFailed Reason = "CredentialPluginFailed"
	ReasonUnauthorized           Reason = "Unauthorized"
	ReasonForbidden              Reason = "Forbidden"
	ReasonClusterUnreachable     Reason = "ClusterUnreachable"
	ReasonCertificateNotTrusted  Reason = "CertificateNotTrusted"
	ReasonTimeout                Reason = "Timeout"
	ReasonInterrupted            Reason = "Interrupted"
	ReasonTooManyRequests        Reason = "TooManyRequests"
	ReasonInternalError          Reason = "InternalError"
	ReasonUnexpectedAnswer       Reason = "UnexpectedAnswer"
	ReasonOtherCluster           Reason = "OtherCluster"
	ReasonInvalid                Reason = "Invalid"
	ReasonKindNotServed          Reason = "KindNotServed"
	ReasonNamespaceNotFound      Reason = "NamespaceNotFound"
	ReasonNamespaceTerminating   Reason = "NamespaceTerminating"
	ReasonQuotaExceeded          Reason = "QuotaExceeded"
	ReasonAdmissionDenied        Reason = "AdmissionDenied"
	ReasonWebhookUnavailable     Reason = "WebhookUnavailable"
	ReasonNotFound               Reason = "NotFound"
	ReasonAlreadyExists          Reason = "AlreadyExists"
	ReasonManagedElsewhere       Reason = "ManagedElsewhere"
	ReasonFieldConflict          Reason = "FieldConflict"
	ReasonConflict               Reason = "Conflict"
	ReasonImmutable              Reason = "Immutable"
	ReasonObjectTerminating      Reason = "ObjectTerminating"
	ReasonNotConfirmed           Reason = "NotConfirmed"
	ReasonManagedFieldsMissing   Reason = "ManagedFieldsMissing"
	ReasonNotImportable          Reason = "NotImportable"
	ReasonPatchNotApplicable     Reason = "PatchNotApplicable"
	ReasonWaitTimedOut           Reason = "WaitTimedOut"
	ReasonWaitFailed             Reason = "WaitFailed"
	ReasonDeleteTimedOut         Reason = "DeleteTimedOut"
	ReasonInstancesRemain        Reason = "InstancesRemain"
	ReasonProviderError          Reason = "ProviderError"
)

// Reasons lists all reasons with their meanings, in the order of the documentation.
var Reasons = []struct {
	Reason  Reason
	Meaning string
}{
	{ReasonInvalidConfiguration, "The provider's configuration, or the `clusterConnection` of a resource, cannot be used."},
	{ReasonCredentialPluginFailed, "The command that gives the credentials has failed."},
	{ReasonUnauthorized, "The API server does not accept the credentials."},
	{ReasonForbidden, "The user may not do that, or a rule of the cluster forbids it."},
	{ReasonClusterUnreachable, "There is no connection to the API server, or it broke."},
	{ReasonCertificateNotTrusted, "The API server's certificate is not trusted, or its port does not speak TLS."},
	{ReasonTimeout, "The API server did not answer in time."},
	{ReasonInterrupted, "The command was cancelled."},
	{ReasonTooManyRequests, "The API server is overloaded."},
	{ReasonInternalError, "The API server failed."},
	{ReasonUnexpectedAnswer, "What answers is no API server, or something in between changes its answers."},
	{ReasonOtherCluster, "The object is, or may be, in another cluster than the one that the connection leads to."},
	{ReasonInvalid, "What the program or the command says is not valid, by the rules of the provider or of the API server."},
	{ReasonKindNotServed, "The cluster has no such kind."},
	{ReasonNamespaceNotFound, "The namespace of the object does not exist."},
	{ReasonNamespaceTerminating, "The namespace of the object is being deleted."},
	{ReasonQuotaExceeded, "A ResourceQuota of the namespace does not allow it."},
	{ReasonAdmissionDenied, "An admission webhook or a ValidatingAdmissionPolicy denied it."},
	{ReasonWebhookUnavailable, "An admission webhook could not be asked, so nothing was written."},
	{ReasonNotFound, "The object does not exist."},
	{ReasonAlreadyExists, "An object of this name exists, and the resource may not take it over without being told to."},
	{ReasonManagedElsewhere, "Another resource of this provider manages the object, or a field of it."},
	{ReasonFieldConflict, "Other field managers own fields that the program sets to other values, and they are not to be taken."},
	{ReasonConflict, "The object is not in the state that the operation needs: it was changed meanwhile, or its lists do not match."},
	{ReasonImmutable, "The change cannot be made on the existing object, and it is not replaced."},
	{ReasonObjectTerminating, "The object is being deleted."},
	{ReasonNotConfirmed, "It is not known whether a write had its effect. The next `pulumi up` finds out and continues."},
	{ReasonManagedFieldsMissing, "The answers of the API server arrive without `metadata.managedFields`."},
	{ReasonNotImportable, "The resource or the object cannot be imported."},
	{ReasonPatchNotApplicable, "The patch does not fit the object as it is."},
	{ReasonWaitTimedOut, "What is waited for did not come true in time."},
	{ReasonWaitFailed, "What is waited for cannot come true any more."},
	{ReasonDeleteTimedOut, "The object is marked for deletion, and was still there when the time was up."},
	{ReasonInstancesRemain, "With the CustomResourceDefinition, custom resources would be deleted, or it is not known which."},
	{ReasonProviderError, "The provider itself went wrong."},
}
