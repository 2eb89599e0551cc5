package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// awsNode is the DaemonSet that a managed control plane puts into every cluster and keeps as it
// wants it, with the fields that the API server requires.
const awsNode = `
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: aws-node
  namespace: kube-system
  labels: {k8s-app: aws-node}
spec:
  selector: {matchLabels: {k8s-app: aws-node}}
  template:
    metadata: {labels: {k8s-app: aws-node}}
    spec:
      containers:
        - name: aws-node
          image: registry.example/amazon-k8s-cni:v1.19
          env:
            - {name: AWS_VPC_K8S_CNI_LOGLEVEL, value: INFO}
            - {name: WARM_ENI_TARGET, value: "1"}
          ports: [{name: metrics, containerPort: 61678}]
        - name: aws-eks-nodeagent
          image: registry.example/aws-network-policy-agent:v1.2
`

// awsNodePatch sets environment variables of one container, given as a YAML list.
func awsNodePatch(env string) string {
	return "resources:" + patchOf("aws-node", "{apiVersion: apps/v1, kind: DaemonSet, namespace: kube-system, name: aws-node}", `patch:
        spec:
          template:
            spec:
              containers:
                - name: aws-node
                  env: `+env)
}

func TestPatchOfAnAddOn(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	k, s := kubeOf(t, c), newStack(t)
	const id = "apps/v1/DaemonSet/kube-system/aws-node"
	const proxy, level = "HTTP_PROXY", "AWS_VPC_K8S_CNI_LOGLEVEL"
	applyAs(t, c, "eks", awsNode)
	t.Cleanup(func() { k.remove(t, id) })
	untouched := k.get(t, id)
	field := func(env string) string {
		return fmt.Sprintf("spec.template.spec.containers[name=aws-node].env[name=%s].value", env)
	}
	env := func(t *testing.T) map[string]any {
		t.Helper()
		values := map[string]any{}
		list, _ := k.value(t, id, "spec", "template", "spec", "containers", 0, "env").([]any)
		for _, item := range list {
			values[at(item, "name").(string)] = at(item, "value")
		}
		return values
	}
	list := func(level string) string {
		return fmt.Sprintf(`[{name: HTTP_PROXY, value: "http://proxy:3128"}, {name: AWS_VPC_K8S_CNI_LOGLEVEL, value: %s}]`, level)
	}

	step(t, "a preview names the one field that it takes, with its owner and both values, and writes nothing [P9, P21, P23]", func(t *testing.T) {
		s.program(t, "%s", awsNodePatch(list("DEBUG")))
		out := s.preview(t)
		assert.Contains(t, out, "will take from eks: "+field(level)+`: "INFO" -> "DEBUG"`)
		assert.NotContains(t, out, "from eks: "+field(proxy), "nobody has it")
		assert.Contains(t, out, "+ 2 to create", "the stack and the Patch")
		assert.Equal(t, untouched.GetGeneration(), k.get(t, id).GetGeneration())
		assert.Empty(t, k.ours(t, id))
	})
	step(t, "an up sets them, and the state says which and whose they were [P1, P9, P22]", func(t *testing.T) {
		assert.NotContains(t, s.up(t), "will take")
		assert.Equal(t, map[string]any{proxy: "http://proxy:3128", level: "DEBUG", "WARM_ENI_TARGET": "1"}, env(t))
		managers := k.ours(t, id)
		require.Len(t, managers, 1)
		assert.Regexp(t, `^k8sconnect-patch-`+s.project+`\.test\.aws-node-[0-9a-f]{8}$`, managers[0])

		saved := s.export(t).get(t, "aws-node")
		assert.Equal(t, id, saved.ID)
		assert.Equal(t, string(untouched.GetUID()), saved.uid())
		assert.Equal(t, map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{"containers": []any{
			map[string]any{"name": "aws-node", "env": []any{
				map[string]any{"name": proxy, "value": "http://proxy:3128"}, map[string]any{"name": level, "value": "DEBUG"},
			}},
		}}}}}, saved.Outputs["managedFields"])
		assert.Equal(t, map[string]any{field(proxy): managers[0], field(level): managers[0]}, saved.Outputs["fieldOwnership"])
		assert.Equal(t, map[string]any{field(level): "eks"}, saved.Outputs["previousOwners"])
		assert.NotContains(t, s.previewEmpty(t), "eks")
	})
	step(t, "the value changes later: nobody else is concerned [P9, P18, P23]", func(t *testing.T) {
		s.program(t, "%s", awsNodePatch(list("ERROR")))
		out := s.preview(t)
		assert.Equal(t, []string{`~ value: "DEBUG" => "ERROR"`}, changedLines(out), out)
		assert.NotContains(t, out, "will take")
		s.up(t)
		assert.Equal(t, map[string]any{proxy: "http://proxy:3128", level: "ERROR", "WARM_ENI_TARGET": "1"}, env(t))
		assert.Equal(t, map[string]any{field(level): "eks"}, s.export(t).get(t, "aws-node").Outputs["previousOwners"])
		assert.Contains(t, s.up(t), "2 unchanged")
	})
	step(t, "eks applies its own again by force: that is drift, shown field by field, and put right [P16, P23]", func(t *testing.T) {
		applyRefused(t, c, "eks", awsNode)
		applyAs(t, c, "eks", awsNode, "--force-conflicts")
		assert.Equal(t, "INFO", env(t)[level])
		out := s.preview(t)
		assert.Equal(t, []string{`~ value: "INFO" => "ERROR"`}, changedLines(out), out)
		assert.Contains(t, out, "will take from eks: "+field(level)+`: "INFO" -> "ERROR"`)
		assert.Equal(t, "INFO", env(t)[level], "a preview writes nothing")
		s.up(t)
		assert.Equal(t, map[string]any{proxy: "http://proxy:3128", level: "ERROR", "WARM_ENI_TARGET": "1"}, env(t))
		s.previewEmpty(t)
	})
	step(t, "a variable that the patch drops keeps its value and is nobody's [P24]", func(t *testing.T) {
		s.program(t, "%s", awsNodePatch(`[{name: HTTP_PROXY, value: "http://proxy:3128"}]`))
		assert.Contains(t, s.preview(t), "~ 1 to update")
		s.up(t)
		assert.Equal(t, map[string]any{proxy: "http://proxy:3128", level: "ERROR", "WARM_ENI_TARGET": "1"}, env(t))
		saved := s.export(t).get(t, "aws-node")
		assert.Equal(t, []string{field(proxy)}, keysOf(saved.Outputs["fieldOwnership"]))
		assert.Empty(t, saved.Outputs["previousOwners"])
		s.previewEmpty(t)
		applyAs(t, c, "eks", awsNode)
		assert.Equal(t, map[string]any{proxy: "http://proxy:3128", level: "INFO", "WARM_ENI_TARGET": "1"}, env(t))
		s.previewEmpty(t)
	})
	step(t, "destroy leaves every value, and eks applies as if nobody had been there [P25, P29]", func(t *testing.T) {
		s.program(t, "%s", awsNodePatch(list("TRACE")))
		s.up(t)
		s.handBack(t, k, id)
		assert.Equal(t, map[string]any{proxy: "http://proxy:3128", level: "TRACE", "WARM_ENI_TARGET": "1"}, env(t))
		assert.Equal(t, untouched.GetUID(), k.get(t, id).GetUID())
		assert.True(t, k.hasEvent(t, "kube-system", "PatchReleased"))
		applyAs(t, c, "eks", awsNode)
		assert.Equal(t, map[string]any{proxy: "http://proxy:3128", level: "INFO", "WARM_ENI_TARGET": "1"}, env(t))
	})
}
