package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// declaringDefinition is a CustomResourceDefinition that says when its objects are ready.
const declaringDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: tanks.GROUP
  annotations: {k8sconnect.io/readiness: RULE}
spec:
  group: GROUP
  scope: Namespaced
  names: {kind: Tank, plural: tanks}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

const tank = `{apiVersion: GROUP/v1, kind: Tank, metadata: {name: it}}`

func TestADefinitionDeclaresWhenItsObjectsAreReady(t *testing.T) {
	t.Parallel()
	c := shared.Get(t)
	const high = `'{expression: object.status.level == "high", failWhen: object.status.level == "leaking"}'`
	// tanks is a stack with a Wait for a tank of its own kind, which has this rule.
	tanks := func(t *testing.T, rule string) (s *stack, k *kube, group, space string) {
		t.Helper()
		s, k, space = docsStack(t, c)
		group = space + ".example.com"
		definition := "apiextensions.k8s.io/v1/CustomResourceDefinition/tanks." + group
		k.create(t, definition, strings.NewReplacer("GROUP", group, "RULE", rule).Replace(declaringDefinition))
		t.Cleanup(func() { k.remove(t, definition) })
		s.program(t, readyProgram, space, strings.ReplaceAll(tank, "GROUP", group), "2s")
		return s, k, group, space
	}
	t.Run("the wait fails as long as that is not true, and goes on in place [R40]", func(t *testing.T) {
		t.Parallel()
		s, k, group, space := tanks(t, high)
		it, then := group+"/v1/Tank/"+space+"/it", "v1/ConfigMap/"+space+"/then"
		out := s.upFails(t)
		assert.Contains(t, out, "Tank "+space+"/it: timed out after 2s waiting for readiness")
		assert.Contains(t, out, `object.status.level == "high": no such key: status`)
		k.gone(t, then)
		uid := k.get(t, it).GetUID()

		k.status(t, it, `{status: {level: low, phase: Ready}}`)
		assert.Contains(t, s.refresh(t), `object.status.level == "high" is false`)
		k.status(t, it, `{status: {level: high, phase: Failed}}`)
		out = s.up(t)
		assert.NotContains(t, out, "guess")
		k.get(t, then)
		assert.Equal(t, uid, k.get(t, it).GetUID())
		s.previewEmpty(t)
	})
	t.Run("a rule that is corrected decides in the next run [R40]", func(t *testing.T) {
		t.Parallel()
		s, k, group, space := tanks(t, `'{expression: "object.status.level == \"hihg\""}'`)
		s.upFails(t)
		k.status(t, group+"/v1/Tank/"+space+"/it", `{status: {level: high}}`)
		s.upFails(t)
		k.merge(t, "apiextensions.k8s.io/v1/CustomResourceDefinition/tanks."+group,
			`{metadata: {annotations: {k8sconnect.io/readiness: "expression: object.status.level == 'high'"}}}`)
		s.up(t)
	})
	t.Run("so does a wait for many, and that of a patch [R40]", func(t *testing.T) {
		t.Parallel()
		s, k, group, space := tanks(t, high)
		it := group + "/v1/Tank/" + space + "/it"
		kubectl(t, c, "", "wait", "--for=condition=Established", "customresourcedefinition/tanks."+group)
		k.create(t, it, strings.ReplaceAll(tank, "GROUP", group))
		s.program(t, "%s", strings.NewReplacer("GROUP", group, "SPACE", space).Replace(`
resources:
  many:
    type: k8sconnect:Wait
    properties:
      selector: {apiVersion: GROUP/v1, kind: Tank, namespace: SPACE}
      waitFor: {ready: true, timeout: 2s}
  patched:
    type: k8sconnect:Patch
    properties:
      target: {apiVersion: GROUP/v1, kind: Tank, namespace: SPACE, name: it}
      takeOwnership: true
      mergePatch: {metadata: {labels: {patched: "yes"}}}
      waitFor: {ready: true, timeout: 2s}
`))
		k.status(t, it, `{status: {level: low, phase: Ready}}`)
		out := s.upFails(t, "--continue-on-error")
		for _, resource := range []string{"many", "patched"} {
			assert.NotEmpty(t, s.export(t).get(t, resource).InitErrors, resource)
		}
		assert.GreaterOrEqual(t, strings.Count(out, `object.status.level == "high" is false`), 2)
		assert.Contains(t, s.refresh(t), `object.status.level == "high" is false`)
		k.status(t, it, `{status: {level: high, phase: Failed}}`)
		s.up(t)
		s.previewEmpty(t)
	})
	t.Run("its failWhen ends the wait [R41]", func(t *testing.T) {
		t.Parallel()
		s, k, group, space := tanks(t, high)
		s.upFails(t)
		k.status(t, group+"/v1/Tank/"+space+"/it", `{status: {level: leaking}}`)
		out := s.upFails(t)
		assert.Contains(t, out, `failWhen of the rule that its CustomResourceDefinition declares is true: object.status.level == "leaking"`)
		assert.Contains(t, out, "[WaitFailed]")
	})
	t.Run("the provider's setting wins, and the definition is not read [R42]", func(t *testing.T) {
		t.Parallel()
		s, _, group, _ := tanks(t, high)
		user, err := c.AddUser(s.project, "system:masters")
		require.NoError(t, err)
		s.connectAs(t, user)
		s.config(t, "k8sconnect:readiness[0].kinds[0]", "Tank."+group, "--path")
		s.config(t, "k8sconnect:readiness[0].expression", "has(object.metadata)", "--path")
		asked := recordOf(t, c, user)
		s.up(t)
		assert.Empty(t, asked.requests(t, func(r cluster.Request) bool { return strings.Contains(r.URI, "customresourcedefinitions") }))
	})
	t.Run("one that is no rule is warned about, and the conventions decide [R43]", func(t *testing.T) {
		t.Parallel()
		for name, c := range map[string]struct{ rule, because string }{
			"no such part":   {`'{expresion: "true"}'`, `unknown field "expresion"`},
			"no expression":  {`'{failWhen: "true"}'`, "expression: say when an object is ready"},
			"no CEL":         {`'{expression: "object."}'`, "expression: "},
			"only an answer": {`ready`, "cannot unmarshal"},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s, k, group, space := tanks(t, c.rule)
				s.up(t, "--target", s.urn("it"))
				k.status(t, group+"/v1/Tank/"+space+"/it", `{status: {phase: Ready}}`)
				out := s.up(t)
				assert.Contains(t, out, "warning: The annotation k8sconnect.io/readiness of the CustomResourceDefinition of Tank."+group+" is ignored, because it is no rule: ")
				assert.Contains(t, out, c.because)
			})
		}
	})
	t.Run("who may not read definitions waits by the conventions [R43]", func(t *testing.T) {
		t.Parallel()
		s, k, group, space := tanks(t, high)
		user, err := c.AddUser(s.project)
		require.NoError(t, err)
		k.create(t, "rbac.authorization.k8s.io/v1/Role/"+space+"/all", `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: all}
rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]
`)
		k.create(t, "rbac.authorization.k8s.io/v1/RoleBinding/"+space+"/all", `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: all}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: all}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: `+s.project+`}]
`)
		s.connectAs(t, user)
		s.up(t, "--target", s.urn("it"))
		k.status(t, group+"/v1/Tank/"+space+"/it", `{status: {phase: Ready}}`)
		s.up(t)
		s.previewEmpty(t)
	})
}
