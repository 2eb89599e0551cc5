package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// Headings of the page about ownership.
const (
	ownedFields   = "Which fields a KubeObject owns"
	inConflict    = "Conflicts with other managers"
	ignoredFields = "Fields that controllers manage: ignoreFields"
	ofManagers    = "Whatever a manager owns: ignoreManagers"
	leftBehind    = "Field managers that are left behind: takeOverFrom"
)

// onPage is a stack, and has the texts of a page be about a namespace of the test's own.
func onPage(t *testing.T, c *cluster.Cluster) (s *stack, space string, in func(string) string) {
	t.Helper()
	space = c.Namespace(t)
	return newStack(t), space, func(text string) string { return strings.ReplaceAll(text, "shop", space) }
}

// pageOfParts is for a page whose content is on others: it has nothing but links to them.
func pageOfParts(t *testing.T, p page) {
	assert.Empty(t, p.fences)
	assert.NotContains(t, p.text, "\n#")
	for _, part := range []string{"ownership.md", "drift.md", "replacement-and-deletion.md"} {
		assert.Contains(t, p.text, "]("+part+")")
	}
}

// pageOnOwnership goes through the page as its reader would: what is scaled by hand is refused,
// ignored and adopted, as it is printed there.
func pageOnOwnership(t *testing.T, p page) {
	c := shared.Get(t)
	k := kubeOf(t, c)
	p.prove(t, proofs{
		aProgram:     p.told(ownedFields, ignoredFields, ofManagers, "Adopt", leftBehind),
		anOutput:     p.told(inConflict, ofManagers, "Adopt", leftBehind),
		commandLines: commands,
	})
	only := func(t *testing.T, section string, kind kind) string { return p.in(t, section, kind)[0].code }

	t.Run("what is scaled by hand is a conflict", func(t *testing.T) {
		t.Parallel()
		s, space, in := onPage(t, c)
		program := in(programOf(t, only(t, ownedFields, aProgram)))
		s.program(t, "%s", program)
		s.up(t)
		shell(t, c, in(readPage(t, "drift.md").in(t, whatIsDrift, commandLines)[0].code))
		s.program(t, "%s", strings.Replace(program, "      manifest:\n", "      conflictPolicy: fail\n      manifest:\n", 1))
		requireShown(t, in(only(t, inConflict, anOutput)), s.previewFails(t))
		assert.Equal(t, int64(7), k.value(t, "apps/v1/Deployment/"+space+"/web", "spec", "replicas"))
	})

	t.Run("every path of the table selects what someone else changes", func(t *testing.T) {
		t.Parallel()
		s, space, in := onPage(t, c)
		program := in(programOf(t, only(t, ignoredFields, aProgram)))
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
		rows := tableRow.FindAllStringSubmatch(p.section(t, ignoredFields), -1)
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

	t.Run("what a manager owns is left to it, and the line to say so is printed [O97]", func(t *testing.T) {
		t.Parallel()
		s, space, in := onPage(t, c)
		id := "apps/v1/Deployment/" + space + "/web"
		program := in(programOf(t, only(t, ofManagers, aProgram)))
		const line = "      ignoreManagers: [vpa-recommender]\n"
		require.Contains(t, program, line)
		s.program(t, "%s", strings.Replace(program, line, "", 1))
		s.up(t)
		k.patch(t, id, types.StrategicMergePatchType, container(`resources: {requests: {cpu: 250m}}`), "vpa-recommender")
		requireShown(t, in(only(t, ofManagers, anOutput)), s.preview(t))
		s.program(t, "%s", program)
		s.previewEmpty(t)
		k.patch(t, id, types.StrategicMergePatchType, container(`resources: {requests: {cpu: 300m, memory: 128Mi}}`), "vpa-recommender")
		s.up(t, "--expect-no-changes")
	})

	t.Run("what kubectl has made is imported as the page says, and adopted", func(t *testing.T) {
		t.Parallel()
		s, space, in := onPage(t, c)
		program := in(programOf(t, only(t, "Adopt", aProgram)))
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

		line := words(t, in(only(t, "Import", commandLines)))
		other := newStack(t)
		assert.Contains(t, other.run(t, append(line[1:], "--yes", "--skip-preview", "--protect=false")...), "kind: Deployment")
		other.program(t, "") // nothing is deleted: it is the first stack's
		other.run(t, "state", "delete", "--yes", other.export(t).get(t, "web").URN)
	})

	t.Run("a container that the program names otherwise than the adopted object is a warning [D103]", func(t *testing.T) {
		t.Parallel()
		s, space, in := onPage(t, c)
		program := in(programOf(t, only(t, "Adopt", aProgram)))
		k.createAs(t, "apps/v1/Deployment/"+space+"/web", "helm", program[strings.Index(program, "manifest:\n")+len("manifest:\n"):])
		s.program(t, "%s", replaceAll(program, "containers: [{ name: web,", "containers: [{ name: app,"))
		requireShown(t, in(only(t, "Adopt", anOutput)), s.preview(t))
	})

	t.Run("a manager that is left behind is taken over [D32]", func(t *testing.T) {
		t.Parallel()
		s, space, in := onPage(t, c)
		id := "apps/v1/Deployment/" + space + "/web"
		const containers = `containers: [{ name: web, image: "registry.example/web:1.0" }]`
		adopting := in(programOf(t, only(t, "Adopt", aProgram)))
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
		requireShown(t, in(only(t, leftBehind, anOutput)), out)
		assert.Empty(t, changedLines(out), "what stays is not shown as going")
		s.up(t)
		assert.Equal(t, whole, env(), "not a piece of it is missing")
		s.previewEmpty(t)
		s.program(t, "%s", in(programOf(t, only(t, leftBehind, aProgram))))
		assert.Contains(t, s.preview(t), "takes over from helm: ")
		s.up(t)
		assert.Nil(t, env())
		s.previewEmpty(t)
	})

	t.Run("ignoreChanges hides drift, and sets the field again with the next update", func(t *testing.T) {
		t.Parallel()
		s, space, in := onPage(t, c)
		id := "apps/v1/Deployment/" + space + "/web"
		option := regexp.MustCompile("`(ignoreChanges: .+?)`").FindStringSubmatch(p.section(t, ignoredFields))
		require.NotNil(t, option)
		program := replaceAll(in(programOf(t, only(t, ignoredFields, aProgram))),
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
}

// container is a change of the container of the page.
func container(change string) string {
	return "{spec: {template: {spec: {containers: [{name: web, " + change + "}]}}}}"
}
