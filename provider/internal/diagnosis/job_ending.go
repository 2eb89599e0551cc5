package diagnosis

import (
	"context"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
)

// completed is the reason of the event that the Job controller reports for a complete Job. For a failed Job, the reason of the
// event is the reason of its condition.
const completed = "Completed"

// failedJob are the reasons with which a Job fails.
var failedJob = []string{
	batchv1.JobReasonBackoffLimitExceeded, batchv1.JobReasonDeadlineExceeded, batchv1.JobReasonPodFailurePolicy,
	batchv1.JobReasonMaxFailedIndexesExceeded, batchv1.JobReasonFailedIndexes,
}

// JobEnding says how a Job that is gone has ended: the type of its last condition, or empty if that is not known. It reads the
// events of the Job, which a cluster keeps for an hour.
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
