package sdk_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// workloads is the cluster of the stories: pods get a node there and become ready, but for those whose image
// nobody can pull.
var workloads = cluster.Shared{Options: cluster.Options{
	ControllerManager: true, Scheduler: true, Nodes: 1, Stages: []string{notPulled, notReady}, Audit: true,
}}

// notPulled keeps kwok from playing the kubelet of the pods with an image that is not there: it wins over all
// that kwok would do with them, and does nothing.
const notPulled = `apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata:
  name: not-pulled
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions:
    - {key: ".spec.containers[].image", operator: In, values: ["` + missingImage + `"]}
    - {key: .metadata.deletionTimestamp, operator: DoesNotExist}
  weight: 1
  next: {}
`

// notReady does the same for the tenants that are not ready before the story says so.
const notReady = `apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata:
  name: not-ready
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions:
    - key: .metadata.namespace
      operator: In
      values: [automation-go-late, automation-go-never, automation-typescript-late, automation-typescript-never]
    - {key: .metadata.deletionTimestamp, operator: DoesNotExist}
  weight: 1
  next: {}
`

const missingImage = "web:missing"

// scratch is the folder of what several tests of the run share.
var scratch string

func TestMain(m *testing.M) {
	if language, yes := calledAsHost(); yes {
		if err := serveHost(language); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) (code int) {
	var err error
	if scratch, err = os.MkdirTemp("", "k8sconnect-sdk-"); err != nil {
		fmt.Fprintln(os.Stderr, "sdk:", err)
		return 1
	}
	defer func() {
		if err := os.RemoveAll(scratch); err != nil {
			fmt.Fprintln(os.Stderr, "sdk:", err)
			code = max(code, 1)
		}
	}()
	return workloads.Run(m)
}
