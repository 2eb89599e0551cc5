package readiness

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// JobEnding is the type of the condition with which a Job has ended, Complete or Failed; empty if it has not. No Job leaves it.
func JobEnding(job *unstructured.Unstructured) string {
	ended := []string{string(batchv1.JobComplete), string(batchv1.JobFailed)}
	for _, c := range Conditions(job.Object) {
		if c.Status == "True" && slices.Contains(ended, c.Type) {
			return c.Type
		}
	}
	return ""
}
