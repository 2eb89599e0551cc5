package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestADestroyThatContinuesAfterAFailureLeavesAStateThatCanBeRead has one deletion that fails.
func TestADestroyThatContinuesAfterAFailureLeavesAStateThatCanBeRead(t *testing.T) { // [D60]
	t.Parallel()
	shapes := map[string]func(space string) string{
		"resources with a provider of their own": func(space string) string {
			object := func(name, finalizers, options string) string {
				return "\n  " + name + ":\n    type: k8sconnect:KubeObject\n    options: {provider: '${own}'" + options + "}\n    properties: {manifest: " +
					heldConfigMap(space, name, finalizers) + "}"
			}
			return "resources:\n  own: {type: 'pulumi:providers:k8sconnect', properties: {kubeconfig: {fn::readFile: ./own}}}" +
				object("base", "", "") + object("held", "example.com/held", ", dependsOn: ['${base}'], customTimeouts: {delete: 1s}") +
				object("above", "", ", dependsOn: ['${held}']") + object("aside", "", "") + "\n"
		},
		"resources": func(space string) string {
			object := func(name, finalizers, options string) string {
				return "\n  " + name + ":\n    type: k8sconnect:KubeObject\n    options: {" + options + "}\n    properties: {manifest: " +
					heldConfigMap(space, name, finalizers) + "}"
			}
			return "resources:" + object("base", "", "") + object("held", "example.com/held", "dependsOn: ['${base}'], customTimeouts: {delete: 1s}") +
				object("above", "", "dependsOn: ['${held}']") + object("aside", "", "") + "\n"
		},
		"a set": func(space string) string {
			return "resources:\n  set:\n    type: k8sconnect:Manifests\n    options: {customTimeouts: {delete: 1s}}\n    properties: {manifests: [" + heldConfigMap(space, "base", "") + ", " +
				heldConfigMap(space, "held", "example.com/held") + ", " + heldConfigMap(space, "above", "") + "]}\n" +
				"  aside: {type: 'k8sconnect:KubeObject', properties: {manifest: " + heldConfigMap(space, "aside", "") + "}}\n"
		},
	}
	for shape, program := range shapes {
		for _, flags := range [][]string{{"--continue-on-error"}, {"--run-program"}, {"--run-program", "--continue-on-error"}} {
			t.Run(shape+", with "+strings.Join(flags, " "), func(t *testing.T) {
				t.Parallel()
				c := shared.Get(t)
				k, space, s := kubeOf(t, c), c.Namespace(t), newStack(t)
				s.file(t, "own", string(c.Kubeconfig()))
				s.program(t, "%s", program(space))
				s.up(t)
				assert.Contains(t, s.runFails(t, append([]string{"destroy", "--yes", "--skip-preview"}, flags...)...), "[DeleteTimedOut]")
				s.export(t)
				k.jsonPatch(t, "v1/ConfigMap/"+space+"/held", `[{"op": "remove", "path": "/metadata/finalizers"}]`)
				s.preview(t)
				s.destroy(t)
				for _, name := range []string{"base", "held", "above", "aside"} {
					k.gone(t, "v1/ConfigMap/"+space+"/"+name)
				}
				assert.Empty(t, s.export(t).resources)
			})
		}
	}
}

func heldConfigMap(space, name, finalizers string) string {
	return "{apiVersion: v1, kind: ConfigMap, metadata: {name: " + name + ", namespace: " + space + ", finalizers: [" + finalizers + "]}}"
}
