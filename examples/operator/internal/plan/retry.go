package plan

import (
	"hash/fnv"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
)

// longest is the longest time between two attempts.
const longest = 30 * time.Minute

// failed notes a failure, or an interruption that came no further, and when the operation is repeated.
func (d *decision) failed(operation *v1alpha1.Operation, reason, message string) {
	count := int32(1)
	if before := d.status.Retry; before != nil && before.Kind == operation.Kind && before.InputHash == operation.InputHash {
		count += before.Count
	}
	d.status.LastFailure = &v1alpha1.Failure{Time: d.now(), Reason: reason, Message: cut(message, messageSize), RetryCount: count}
	retry := &v1alpha1.Retry{
		Count: count, InputHash: operation.InputHash, Kind: operation.Kind, Generation: d.Environment.Generation,
		HandledRequest: d.request(v1alpha1.AnnotationRetry),
		RunRequest:     d.request(v1alpha1.AnnotationRun),
	}
	if !d.exhausted(retry) {
		next := metav1.NewTime(d.now().Add(backoff(d.spec.Retry.FirstPause(), count, d.Environment.UID, operation.Serial)))
		retry.NextTime = &next
	}
	d.status.Retry = retry
}

// exhausted says whether a failed operation is not repeated any more.
func (d *decision) exhausted(retry *v1alpha1.Retry) bool {
	return retry.Count > d.retryLimit()
}

func (d *decision) retryLimit() int32 {
	if limit := d.spec.Retry.Limit; limit != nil {
		return *limit
	}
	return 5
}

// waitForRetry says whether an operation that has failed has to wait, and sets the conditions if so.
func (d *decision) waitForRetry(kind v1alpha1.OperationKind, hash string) bool {
	retry := d.status.Retry
	if retry == nil || retry.Count == 0 || retry.Kind != kind || retry.InputHash != hash {
		return false
	}
	if d.exhausted(retry) {
		d.stalled()
		return true
	}
	if retry.NextTime == nil {
		return false
	}
	left := retry.NextTime.Sub(d.Now)
	if left <= 0 || left > longest+longest/10 {
		return false
	}
	d.retrying(retry)
	d.wait(left)
	return true
}

// backoff doubles with each attempt. The jitter, up to a tenth, is the same whoever computes it.
func backoff(base time.Duration, count int32, uid types.UID, serial int64) time.Duration {
	after := base
	for range count - 1 {
		if after = 2 * after; after >= longest {
			after = longest
			break
		}
	}
	hash := fnv.New32a()
	hash.Write([]byte(string(uid) + "/" + strconv.FormatInt(serial, 10)))
	return after + after/10*time.Duration(hash.Sum32()%1000)/1000
}
