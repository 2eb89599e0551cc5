package readiness

import (
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// JobEnding is the condition with which a Job has ended, Complete or Failed. No Job leaves it. Without one, its type is empty.
func JobEnding(job *unstructured.Unstructured) Condition {
	for _, c := range Conditions(job.Object) {
		if c.Status == "True" && (c.Type == string(batchv1.JobComplete) || c.Type == string(batchv1.JobFailed)) {
			return c
		}
	}
	return Condition{}
}
