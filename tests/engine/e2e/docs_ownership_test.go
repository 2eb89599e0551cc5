package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

// pageOnOwnership goes through the page as its reader would: what is scaled by hand is shown, refused,
// ignored and adopted, as it is printed there.
func pageOnOwnership(t *testing.T, p page) {
	c := shared.Get(t)
	k := kubeOf(t, c)
	// place has the texts of the page be about a namespace of the test's own.
	place := func(t *testing.T) (s *stack, space string, in func(string) string) {
		space = c.Namespace(t)
		return newStack(t), space, func(text string) string { return strings.ReplaceAll(text, "shop", space) }
	}
	p.prove(t, proofs{
		aProgram:     p.told("What is owned", "Fields that others manage", "Objects that exist already", "Managers that are left behind"),
		anOutput:     p.told("What is drift", "Drift that cannot be put right", "Values that the API server does not keep", "Two who want the same field", "Objects that exist already", "Managers that are left behind", "Fields that cannot be changed"),
		commandLines: commands,
	})
	only := func(t *testing.T, section string, kind kind) string { return p.in(t, section, kind)[0].code }

	t.Run("what is scaled by hand is drift, and a conflict", func(t *testing.T) {
		t.Parallel()
		s, space, in := place(t)
		program := in(programOf(t, only(t, "What is owned", aProgram)))
		s.program(t, "%s", program)
		s.up(t)
		s.previewEmpty(t)
		shell(t, c, in(only(t, "What is drift", commandLines)))
		requireShown(t, in(only(t, "What is drift", anOutput)), s.preview(t))
		s.program(t, "%s", strings.Replace(program, "      manifest:\n", "      conflictPolicy: fail\n      manifest:\n", 1))
		requireShown(t, in(only(t, "Two who want the same field", anOutput)), s.previewFails(t))
		assert.Equal(t, int64(7), k.value(t, "apps/v1/Deployment/"+space+"/web", "spec", "replicas"))
	})

	t.Run("what a queue controller has started stays as it is", func(t *testing.T) {
		t.Parallel()
		s, space, in := place(t)
		job := func(rev string) {
			s.program(t, `
resources:
  import:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: batch/v1
        kind: Job
        metadata: {name: import, namespace: %s, labels: {rev: "%s"}}
        spec: {suspend: true, template: {spec: {restartPolicy: Never, nodeSelector: {pool: batch}, containers: [{name: main, image: "import:1"}]}}}
`, space, rev)
		}
		job("1")
		s.up(t)
		id := "batch/v1/Job/" + space + "/import"
		k.patch(t, id, types.MergePatchType, `{spec: {template: {spec: {nodeSelector: {zone: a}}}}}`, "kueue")
		k.patch(t, id, types.MergePatchType, `{spec: {suspend: false}}`, "kueue")
		uid := k.get(t, id).GetUID()
		job("2")
		requireShown(t, in(only(t, "Drift that cannot be put right", anOutput)), s.preview(t))
		s.up(t)
		assert.Equal(t, uid, k.get(t, id).GetUID())
		assert.Equal(t, "2", k.value(t, id, "metadata", "labels", "rev"))
		requireShown(t, in(only(t, "Drift that cannot be put right", anOutput)), s.previewEmpty(t))
	})

	t.Run("a field whose feature is off is named, each time", func(t *testing.T) {
		t.Parallel()
		s, space, in := place(t)
		s.program(t, `
resources:
  leader:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: coordination.k8s.io/v1
        kind: Lease
        metadata: {name: leader, namespace: %s}
        spec: {strategy: OldestEmulationVersion}
`, space)
		said := in(only(t, "Values that the API server does not keep", anOutput))
		requireShown(t, said, s.preview(t))
		requireShown(t, said, s.up(t))
		requireShown(t, said, s.previewEmpty(t))
	})

	t.Run("every path of the table selects what someone else changes", func(t *testing.T) {
		t.Parallel()
		s, space, in := place(t)
		program := in(programOf(t, only(t, "Fields that others manage", aProgram)))
		const list = "      ignoreFields: [spec.replicas]\n"
		require.Contains(t, program, list)
		// changes are what someone else does, for each row.
		changes := map[string]string{
			"spec.replicas":   `{spec: {replicas: 9}}`,
			"metadata.labels": `{metadata: {labels: {team: red}}}`,
			`metadata.annotations["example.com/note"]`:                             `{metadata: {annotations: {example.com/note: second}}}`,
			`metadata.annotations.example\.com/note`:                               `{metadata: {annotations: {example.com/note: second}}}`,
			"spec.template.spec.containers[name=web].env[name=LEVEL].value":        container(`env: [{name: LEVEL, value: debug}]`),
			"spec.template.spec.containers[?@.name=='web'].env":                    container(`env: [{name: LEVEL, value: debug}]`),
			"spec.template.spec.containers[?(@.name=='web')].env":                  container(`env: [{name: LEVEL, value: debug}]`),
			"spec.template.spec.containers[*].image":                               container(`image: "registry.example/web:2.0"`),
			"spec.template.spec.containers[name=web].ports[containerPort=80].name": container(`ports: [{containerPort: 80, name: web}]`),
		}
		rows := tableRow.FindAllStringSubmatch(p.section(t, "Fields that others manage"), -1)
		require.Len(t, rows, len(changes))
		// each row has an object of its own
		ignoring, owning := "resources:\n", "resources:\n"
		for i, row := range rows {
			name := fmt.Sprint("web-", i)
			object := replaceAll(strings.TrimPrefix(program, "resources:\n"), "  web:\n", "  "+name+":\n",
				"metadata:\n          name: web\n", "metadata:\n          name: "+name+"\n")
			ignoring += strings.Replace(object, list, "      ignoreFields: ['"+strings.ReplaceAll(row[1], "'", "''")+"']\n", 1)
			owning += strings.Replace(object, list, "", 1)
		}
		s.program(t, "%s", ignoring)
		s.up(t)
		for i, row := range rows {
			require.Contains(t, changes, row[1])
			k.patch(t, fmt.Sprint("apps/v1/Deployment/", space, "/web-", i), types.StrategicMergePatchType, changes[row[1]], "someone")
		}
		s.previewEmpty(t)
		s.program(t, "%s", owning)
		assert.Contains(t, s.preview(t), fmt.Sprintf("~ %d to update", len(rows)))
	})

	t.Run("what kubectl has made is imported as the page says, and adopted", func(t *testing.T) {
		t.Parallel()
		s, space, in := place(t)
		program := in(programOf(t, only(t, "Objects that exist already", aProgram)))
		manifest := program[strings.Index(program, "manifest:\n")+len("manifest:\n"):]
		kubectl(t, c, manifest, "apply", "-f", "-")
		k.merge(t, "apps/v1/Deployment/"+space+"/web", `{metadata: {labels: {by: hand}}}`)
		s.program(t, "%s", strings.Replace(program, "      adopt: true\n", "", 1))
		assert.Contains(t, s.previewFails(t), "already exists")
		s.program(t, "%s", program)
		requireSaid(t, "exists and will be adopted")
		assert.Contains(t, s.preview(t), "exists and will be adopted")
		s.up(t)
		s.previewEmpty(t)
		assert.Equal(t, "hand", k.get(t, "apps/v1/Deployment/"+space+"/web").GetLabels()["by"])

		line := words(t, in(only(t, "Objects that exist already", commandLines)))
		other := newStack(t)
		assert.Contains(t, other.run(t, append(line[1:], "--yes", "--skip-preview", "--protect=false")...), "kind: Deployment")
		other.program(t, "") // nothing is deleted: it is the first stack's
		other.run(t, "state", "delete", "--yes", other.export(t).get(t, "web").URN)
	})

	t.Run("a container that the program names otherwise than the adopted object is a warning [D103]", func(t *testing.T) {
		t.Parallel()
		s, space, in := place(t)
		program := in(programOf(t, only(t, "Objects that exist already", aProgram)))
		k.createAs(t, "apps/v1/Deployment/"+space+"/web", "helm", program[strings.Index(program, "manifest:\n")+len("manifest:\n"):])
		s.program(t, "%s", replaceAll(program, "containers: [{ name: web,", "containers: [{ name: app,"))
		requireShown(t, in(only(t, "Objects that exist already", anOutput)), s.preview(t))
	})

	t.Run("a manager that is left behind is taken over [D32]", func(t *testing.T) {
		t.Parallel()
		s, space, in := place(t)
		id := "apps/v1/Deployment/" + space + "/web"
		const containers = `containers: [{ name: web, image: "registry.example/web:1.0" }]`
		adopting := in(programOf(t, only(t, "Objects that exist already", aProgram)))
		require.Contains(t, adopting, containers)
		before := strings.Replace(adopting, containers, `containers: [{ name: web, image: "registry.example/web:1.0", env: [{
                name: NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}] }]`, 1)
		applyAs(t, c, "helm", before[strings.Index(before, "manifest:\n")+len("manifest:\n"):])
		s.program(t, "%s", before)
		assert.Contains(t, s.preview(t), "helm applied this object and keeps owning its fields")
		s.up(t)
		env := func() any {
			return k.value(t, id, "spec", "template", "spec", "containers").([]any)[0].(map[string]any)["env"]
		}
		whole := env()
		s.program(t, "%s", adopting)
		out := s.preview(t)
		requireShown(t, in(only(t, "Managers that are left behind", anOutput)), out)
		assert.Empty(t, changedLines(out), "what stays is not shown as going")
		s.up(t)
		assert.Equal(t, whole, env(), "not a piece of it is missing")
		s.previewEmpty(t)
		s.program(t, "%s", in(programOf(t, only(t, "Managers that are left behind", aProgram))))
		assert.Contains(t, s.preview(t), "takes over from helm: ")
		s.up(t)
		assert.Nil(t, env())
		s.previewEmpty(t)
	})

	t.Run("ignoreChanges hides drift, and sets the field again with the next update", func(t *testing.T) {
		t.Parallel()
		s, space, in := place(t)
		id := "apps/v1/Deployment/" + space + "/web"
		option := regexp.MustCompile("`(ignoreChanges: .+?)`").FindStringSubmatch(p.section(t, "Fields that others manage"))
		require.NotNil(t, option)
		program := replaceAll(in(programOf(t, only(t, "Fields that others manage", aProgram))),
			"      ignoreFields: [spec.replicas]\n", "    options: {"+option[1]+"}\n")
		s.program(t, "%s", program)
		s.up(t)
		k.merge(t, id, `{spec: {replicas: 9}}`)
		s.program(t, "%s", replaceAll(program, "replicas: 3", "replicas: 5"))
		s.previewEmpty(t)
		s.program(t, "%s", replaceAll(program, "team: blue", "team: red"))
		assert.Contains(t, s.preview(t), "spec.replicas: 9 -> 3")
		s.up(t)
		assert.Equal(t, int64(3), k.value(t, id, "spec", "replicas"))
	})

	t.Run("a preview says what it does not know", func(t *testing.T) {
		t.Parallel()
		s, _, in := place(t)
		said := regexp.MustCompile("`(value[^`]+)`").FindStringSubmatch(p.section(t, "What a preview knows"))
		require.NotNil(t, said)
		s.program(t, "%s", in(`
resources:
  first:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: first, namespace: shop}}}
  second:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: second, namespace: shop}, data: {uid: "${first.resourceRef.uid}"}}}
outputs: {name: "${second.resourceRef.name}", uid: "${second.resourceRef.uid}"}
`))
		out := s.preview(t)
		assert.Contains(t, out, strings.Replace(said[1], gap, "manifest.data.uid", 1))
		assert.Regexp(t, `name: "second"`, out)
		assert.Regexp(t, `uid *: \[unknown\]`, out)
	})

	t.Run("a program in YAML exports a secret value, and of what it is in nothing secret", func(t *testing.T) {
		t.Parallel()
		s, _, in := place(t)
		s.program(t, "%s", in(`
resources:
  token:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: Secret, metadata: {name: token, namespace: shop}, stringData: {token: swordfish}}}
  read: {type: k8sconnect:Wait, properties: {resourceRef: "${token.resourceRef}", waitFor: {field: data.token}}}
outputs: {whole: "${token.manifest}", value: "${token.manifest.stringData.token}"}
`))
		s.up(t)
		outputs := s.run(t, "stack", "output", "--json", "--show-secrets")
		assert.Contains(t, outputs, `"value": "swordfish"`)
		assert.Contains(t, outputs, `"stringData": {}`)
		assert.NotContains(t, s.run(t, "stack", "export"), "swordfish")
	})

	t.Run("a destroy removes finalizers as soon as an update has saved that it may", func(t *testing.T) {
		t.Parallel()
		s, space, _ := place(t)
		id := "v1/ConfigMap/" + space + "/held"
		program := configMap("held", "held", space) + "    options: {customTimeouts: {delete: 2s}}\n"
		s.program(t, "%s", program)
		s.up(t)
		k.merge(t, id, "{metadata: {finalizers: [example.com/hold]}}")
		assert.Contains(t, s.runFails(t, "destroy", "--yes", "--skip-preview"), "forceDestroy to true and run `pulumi up`")
		s.program(t, "%s", strings.Replace(program, "      manifest:", "      forceDestroy: true\n      manifest:", 1))
		assert.Contains(t, s.preview(t), "+ forceDestroy")
		s.runFails(t, "destroy", "--yes", "--skip-preview")
		resourceVersion := k.get(t, id).GetResourceVersion()
		for line := range strings.Lines(only(t, "Deleting", commandLines)) {
			args := words(t, remark.ReplaceAllString(strings.TrimSpace(line), ""))
			s.run(t, append(args[1:], "--yes", "--skip-preview")...)
			if args[1] == "up" {
				assert.Equal(t, resourceVersion, k.get(t, id).GetResourceVersion())
			}
		}
		k.gone(t, id)
	})

	t.Run("another default namespace replaces what names none, but no claim", func(t *testing.T) {
		t.Parallel()
		s, space, _ := place(t)
		s.config(t, "k8sconnect:namespace", space)
		s.program(t, "%s", "resources:\n  data:\n    type: k8sconnect:KubeObject\n    properties: {manifest: {apiVersion: v1, "+
			"kind: PersistentVolumeClaim, metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}\n")
		s.up(t)
		s.config(t, "k8sconnect:namespace", c.Namespace(t))
		out := s.run(t, "preview", "--diff", "--expect-no-changes")
		assert.Contains(t, out, "PersistentVolumeClaim "+space+"/data stays in namespace")
		s.up(t)
		s.run(t, "refresh", "--yes", "--skip-preview")
		s.destroy(t)
		k.gone(t, "v1/PersistentVolumeClaim/"+space+"/data")
	})

	t.Run("a claim is not replaced", func(t *testing.T) {
		t.Parallel()
		s, _, in := place(t)
		const claim = `
resources:
  data:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: data, namespace: shop}
        spec: {accessModes: [ReadWriteOnce], storageClassName: %s, resources: {requests: {storage: 1Gi}}}
`
		s.program(t, in(claim), "slow")
		s.up(t)
		s.program(t, in(claim), "fast")
		requireShown(t, in(only(t, "Fields that cannot be changed", anOutput)), s.previewFails(t))
	})
}

// container is a change of the container of the page.
func container(change string) string {
	return "{spec: {template: {spec: {containers: [{name: web, " + change + "}]}}}}"
}
