// Package waitfor is the input waitFor, which says what to wait for, and how that is
// carried out for whichever resource has it: with the live status beside the resource
// while it waits, and an error that explains why the wait failed.
package waitfor

import "github.com/pulumi/pulumi-go-provider/infer"

// Key is the name of the input.
const Key = "waitFor"

// WaitFor says what to wait for.
type WaitFor struct {
	Field      *string           `pulumi:"field,optional"`
	FieldValue map[string]string `pulumi:"fieldValue,optional"`
	Condition  *string           `pulumi:"condition,optional"`
	Ready      *bool             `pulumi:"ready,optional"`
	Rollout    *bool             `pulumi:"rollout,optional"`
	Expression *string           `pulumi:"expression,optional"`
	Deleted    *bool             `pulumi:"deleted,optional"`
	FailWhen   *string           `pulumi:"failWhen,optional"`
	Timeout    *string           `pulumi:"timeout,optional"`
}

var _ infer.Annotated = (*WaitFor)(nil)

// Annotate describes the type for the schema.
func (w *WaitFor) Annotate(a infer.Annotator) {
	a.SetToken("index", "WaitFor")
	a.Describe(&w, "What to wait for. At least one of `field`, `fieldValue`, `condition`, `ready`, `rollout`, `expression` "+
		"and `deleted` is given; several must all hold at the same time. Paths are JSONPath (RFC 9535) with or without "+
		"`$`; the spelling of `kubectl get -o jsonpath` is accepted too.")
	a.Describe(&w.Field, "A path that must have a value, such as `status.loadBalancer.ingress[0].ip`. `false` and `0` are "+
		"values; null and an empty text, list or map are not. The value is in the output `status`.")
	a.Describe(&w.FieldValue, "Paths and the values that they must have, such as `{\"status.phase\": \"Bound\"}`. Numbers and "+
		"booleans are compared as they are written in JSON. The values are in the output `status`.")
	a.Describe(&w.Condition, "A condition in `status.conditions`: `Ready`, which means `Ready=True`, or `Ready=False` or "+
		"`Ready=Unknown`. One that is about an older generation of the object does not count.")
	a.Describe(&w.Ready, "Wait until the object is ready by the rules of its kind: the rollout of a workload is complete, a Job is "+
		"complete, a Pod is ready or has succeeded, a claim is bound, a Service of the type LoadBalancer and an Ingress have an address, "+
		"a CustomResourceDefinition is established, an APIService is available. A custom object is ready when its condition `Ready` or "+
		"`Available` is true for its present generation; without conditions, when it has a status. A kind without a readiness, such as "+
		"ConfigMap, is ready when it exists. A suspended Job and a paused Deployment fail at once. The provider's setting `readiness` "+
		"adds rules. Default: false.")
	a.Describe(&w.Rollout, "Wait until the rollout of a Deployment, StatefulSet or DaemonSet is complete, as `kubectl rollout "+
		"status` does. With the update strategy `OnDelete`, wait until all pods are ready. Default: false.")
	a.Describe(&w.Expression, "A CEL expression over `object` that must be true, such as `object.status.readyReplicas >= 2`. "+
		"While a field that it reads is missing, it is not.")
	a.Describe(&w.Deleted, "Wait until the object is gone. Goes with `failWhen` and `timeout` alone. Default: false.")
	a.Describe(&w.FailWhen, "A CEL expression over `object` that ends the waiting at once as failed when it is true, such as "+
		"`object.status.phase == 'Lost'`. Failed Jobs and Pods, Deployments that exceeded their progress deadline, and an "+
		"object that is deleted meanwhile end it without being named.")
	a.Describe(&w.Timeout, "How long to wait in all, as a number with a unit: `30s`, `10m`, `1h30m`. Default: `customTimeouts`, "+
		"else `10m`; if both are given, the shorter one counts. When it is over, the update fails, and the next one waits again. The "+
		"object is not touched.")
}
