package e2e

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// inCluster is one of several clusters, and what its objects must be like at the end.
type inCluster struct {
	*kube
	kubeconfig, id, host string
}

func clusterOf(t testing.TB, c *cluster.Cluster) inCluster {
	t.Helper()
	k := kubeOf(t, c)
	return inCluster{k, string(c.Kubeconfig()), string(k.get(t, "v1/Namespace/kube-system").GetUID()), c.Host()}
}

// versions are the resourceVersions of objects, which change with every write.
func (k *kube) versions(t testing.TB, ids ...string) map[string]string {
	t.Helper()
	versions := map[string]string{}
	for _, id := range ids {
		versions[id] = k.get(t, id).GetResourceVersion()
	}
	return versions
}

func TestAnotherCurrentContext(t *testing.T) {
	t.Parallel()
	one, two := clusterOf(t, shared.Get(t)), clusterOf(t, cluster.ForTest(t, cluster.Options{ControllerManager: true}))
	s := newStack(t)
	use := func(t testing.TB, c inCluster) { s.env["KUBECONFIG"] = s.file(t, "kubeconfig", c.kubeconfig) }
	space, theirs := s.project, "v1/ConfigMap/default/theirs-"+s.project
	settings, after := "v1/ConfigMap/"+space+"/settings", "v1/ConfigMap/"+space+"/after"
	objects := []string{settings, after, theirs}
	for _, c := range []inCluster{one, two} {
		c.apply(t, theirs, "owner", "{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs-"+space+"}, data: {a: theirs}}")
	}
	t.Cleanup(func() { one.remove(t, "v1/Namespace/"+space) })
	s.program(t, "%s", `
resources:
  space:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: Namespace, metadata: {name: `+space+`}}}
`+configMapResource("settings", "settings", `"${space.resourceRef.name}"`, `{a: "1"}`)+
		configMapResource("after", "after", `"${settings.resourceRef.namespace}"`, `{a: "1"}`)+`    options: {dependsOn: ["${settings}"]}
  ready:
    type: k8sconnect:Wait
    properties: {resourceRef: "${settings.resourceRef}", waitFor: {field: data.a}}
  changed:
    type: k8sconnect:Patch
    properties:
      target: {apiVersion: v1, kind: ConfigMap, name: theirs-`+space+`, namespace: default}
      takeOwnership: true
      patch: {data: {b: ours}}
outputs: {value: "${ready.status.data.a}"}
`)
	use(t, one)
	s.up(t)
	s.previewEmpty(t)
	inOne, before := one.versions(t, objects...), s.export(t)

	use(t, two)
	step(t, "a destroy is an error that names both clusters, and the state keeps everything [D8]", func(t *testing.T) {
		for _, flags := range [][]string{{"--skip-preview"}, {}, {"--skip-preview", "--run-program"}, {"--skip-preview", "--refresh=false"}} {
			out := s.runFails(t, append([]string{"destroy", "--yes"}, flags...)...)
			assert.Contains(t, out, "was not deleted")
			assert.Contains(t, out, one.host+" (cluster "+one.id+")")
			assert.Contains(t, out, two.host+" (cluster "+two.id+")")
			assert.Contains(t, out, "PULUMI_K8SCONNECT_FORGET_CLUSTERS="+one.id)
		}
		requireSameObjects(t, before, s.export(t))
		use(t, one)
		assert.Contains(t, s.up(t), "+ 1 created", "the Wait, which leaves nothing behind")
		s.previewEmpty(t)
		use(t, two)
	})
	step(t, "a refresh keeps everything and is not green [D8]", func(t *testing.T) {
		s.runFails(t, "refresh", "--yes", "--skip-preview", "--expect-no-changes")
		assert.Contains(t, s.refresh(t), "NOT CHECKED: objects of this stack are in "+one.host)
		requireSameObjects(t, before, s.export(t))
	})
	step(t, "a preview replaces, and says why [D8]", func(t *testing.T) {
		out := s.preview(t)
		assert.Contains(t, out, "+-4 to replace")
		assert.Contains(t, out, "~ 1 to update")
		assert.Contains(t, out, "which is another cluster")
		assert.Equal(t, 1, strings.Count(out, "warning: "))
	})
	step(t, "an up makes all of it in the new cluster and leaves the old one alone [D8]", func(t *testing.T) {
		out := s.run(t, "up", "--yes")
		assert.Contains(t, out, "Objects were left alone in "+one.host)
		assert.Equal(t, "1", two.value(t, after, "data", "a"))
		assert.Equal(t, "ours", two.value(t, theirs, "data", "b"))
		assert.Equal(t, inOne, one.versions(t, objects...))
		s.previewEmpty(t)
	})
	inTwo, before := two.versions(t, objects...), s.export(t)
	use(t, one)
	step(t, "a destroy forgets what is in a cluster that is gone for good [D8]", func(t *testing.T) {
		s.runFails(t, "destroy", "--yes", "--skip-preview")
		requireSameObjects(t, before, s.export(t))
		saved := s.exported(t)
		for name, destroy := range map[string]func(){
			"environment": func() {
				s.env["PULUMI_K8SCONNECT_FORGET_CLUSTERS"] = two.id
				assert.Contains(t, s.destroy(t), two.host+" (cluster "+two.id+") is in forgetClusters")
				delete(s.env, "PULUMI_K8SCONNECT_FORGET_CLUSTERS")
			},
			"configuration": func() {
				s.config(t, "k8sconnect:forgetClusters[0]", two.id, "--path")
				assert.Contains(t, s.destroy(t, "--run-program"), "is in forgetClusters")
			},
		} {
			destroy()
			assert.Empty(t, s.export(t).resources, name)
			assert.Equal(t, inTwo, two.versions(t, objects...), name)
			assert.Equal(t, inOne, one.versions(t, objects...), name)
			s.run(t, "stack", "import", "--stack="+s.name, "--file="+s.file(t, "saved.json", saved))
		}
		s.configRemove(t, "k8sconnect:forgetClusters")
		s.runFails(t, "destroy", "--yes", "--skip-preview")
	})
	use(t, two)
	step(t, "and deletes what is there, with the right context [D8]", func(t *testing.T) {
		s.destroy(t)
		two.gone(t, settings)
		assert.Equal(t, inOne, one.versions(t, objects...))
	})
}

// requireSameObjects requires that two states have the same objects.
func requireSameObjects(t testing.TB, want, got state) {
	t.Helper()
	uids := func(s state) map[string]string {
		all := map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(s.resources)) {
			if uid := s.resources[name].uid(); uid != "" { // a Wait leaves nothing behind
				all[name] = uid
			}
		}
		return all
	}
	assert.Equal(t, uids(want), uids(got))
}
