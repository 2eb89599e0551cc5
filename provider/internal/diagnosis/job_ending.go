package diagnosis

import (
	"context"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
)

// completed is the reason of the event with which the Job controller reports a Job that is complete. That of a failed one is the
// reason of its condition.
const completed = "Completed"

// failedJob are the reasons for which a Job fails.
var failedJob = []string{
	batchv1.JobReasonBackoffLimitExceeded, batchv1.JobReasonDeadlineExceeded, batchv1.JobReasonPodFailurePolicy,
	batchv1.JobReasonMaxFailedIndexesExceeded, batchv1.JobReasonFailedIndexes,
}

// JobEnding is how a Job that is gone has ended, by its events, which a cluster keeps for an hour: the type of its condition, or
// empty if nothing tells.
func JobEnding(ctx context.Context, clu *cluster.Cluster, namespace string, uid types.UID) string {
	for _, event := range eventsOf(ctx, clu, namespace, uid) {
		switch {
		case event.Reason == completed:
			return string(batchv1.JobComplete)
		case event.warning && slices.Contains(failedJob, event.Reason):
			return string(batchv1.JobFailed)
		}
	}
	return ""
}
