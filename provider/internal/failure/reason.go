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
	ReasonWaitSuspended          Reason = "WaitSuspended"
	ReasonDeleteTimedOut         Reason = "DeleteTimedOut"
	ReasonInstancesRemain        Reason = "InstancesRemain"
	ReasonChartNotFound          Reason = "ChartNotFound"
	ReasonChartAccessDenied      Reason = "ChartAccessDenied"
	ReasonChartUnavailable       Reason = "ChartUnavailable"
	ReasonChartUnusable          Reason = "ChartUnusable"
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
	{ReasonForbidden, "The user lacks a permission, or a rule of the cluster forbids the request."},
	{ReasonClusterUnreachable, "The API server could not be reached, or the connection broke."},
	{ReasonCertificateNotTrusted, "The API server's certificate is not trusted, or its port does not speak TLS."},
	{ReasonTimeout, "The API server did not answer in time."},
	{ReasonInterrupted, "The command was cancelled."},
	{ReasonTooManyRequests, "The API server is overloaded."},
	{ReasonInternalError, "The API server failed."},
	{ReasonUnexpectedAnswer, "The server that answers is not an API server, or a proxy changes its answers."},
	{ReasonOtherCluster, "The object is, or may be, in another cluster than the one that the connection leads to."},
	{ReasonInvalid, "The program or the command sets something that the provider or the API server does not accept."},
	{ReasonKindNotServed, "The cluster does not serve the kind."},
	{ReasonNamespaceNotFound, "The namespace of the object does not exist."},
	{ReasonNamespaceTerminating, "The namespace of the object is being deleted."},
	{ReasonQuotaExceeded, "A ResourceQuota of the namespace does not allow it."},
	{ReasonAdmissionDenied, "An admission webhook or a ValidatingAdmissionPolicy denied it."},
	{ReasonWebhookUnavailable, "An admission webhook could not be called, so nothing was written."},
	{ReasonNotFound, "The object does not exist."},
	{ReasonAlreadyExists, "An object of this name exists, and the resource takes it over only if you say so."},
	{ReasonManagedElsewhere, "Another resource of this provider manages the object, or a field of it."},
	{ReasonFieldConflict, "Other field managers own fields that the program sets to other values, and `conflictPolicy` does not allow taking them."},
	{ReasonConflict, "The object is not in the state that the operation needs: it changed in the meantime, or its lists do not match."},
	{ReasonImmutable, "The change cannot be made in place, and the object was not replaced."},
	{ReasonObjectTerminating, "The object is being deleted."},
	{ReasonNotConfirmed, "It is not known whether a write took effect. The next `pulumi up` finds out and continues."},
	{ReasonManagedFieldsMissing, "The answers of the API server arrive without `metadata.managedFields`."},
	{ReasonNotImportable, "The resource or the object cannot be imported."},
	{ReasonPatchNotApplicable, "The patch does not fit the live object."},
	{ReasonWaitTimedOut, "The wait did not succeed before its timeout."},
	{ReasonWaitFailed, "The wait can no longer succeed."},
	{ReasonWaitSuspended, "The wait cannot succeed while the object is suspended or paused."},
	{ReasonDeleteTimedOut, "The object is marked for deletion, but still existed at the timeout."},
	{ReasonInstancesRemain, "Deleting the CustomResourceDefinition would delete custom resources, or may do so."},
	{ReasonChartNotFound, "There is no such chart, or no such version of it."},
	{ReasonChartAccessDenied, "The server of a chart does not accept the credentials, or wants some."},
	{ReasonChartUnavailable, "The server of a chart could not be reached, is not trusted, or failed."},
	{ReasonChartUnusable, "What was found is not the chart that the digest is of, is no chart that can be read, is unsafe or exceeds a limit."},
	{ReasonProviderError, "The provider itself failed."},
}
