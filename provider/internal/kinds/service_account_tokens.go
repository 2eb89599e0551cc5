package kinds

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TokenOf returns the ServiceAccount whose token a Secret is to hold; empty for any other Secret. A controller fills it,
// and deletes it if there is no such account.
func TokenOf(secret map[string]any) string {
	if kind, _, _ := unstructured.NestedString(secret, "type"); kind != string(corev1.SecretTypeServiceAccountToken) {
		return ""
	}
	account, _, _ := unstructured.NestedString(secret, "metadata", "annotations", corev1.ServiceAccountNameKey)
	return account
}
