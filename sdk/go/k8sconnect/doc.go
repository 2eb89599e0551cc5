// Kubernetes objects that are never destroyed to retry: server-side apply with exact ownership, precise drift, and failures that the next `pulumi up` repairs in place.
package k8sconnect
