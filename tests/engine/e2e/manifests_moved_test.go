package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program with two objects as resources of their own, and the same two as a set.
const (
	movedSingly = `
resources:
  account:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: ServiceAccount, metadata: {name: shop, namespace: SPACE}}}
  settings:
    type: k8sconnect:KubeObject
    properties: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: SPACE}, data: {mode: 'on'}}}
`
	movedAsSet = `
resources:
  shop:
    type: k8sconnect:Manifests
    properties:
      manifests:
      - {apiVersion: v1, kind: ServiceAccount, metadata: {name: shop, namespace: SPACE}}
      - {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: SPACE}, data: {mode: 'on'}}
`
)

// moved is a stack with two objects, which must stay the same objects.
type moved struct {
	*stack
	k           *kube
	space       string
	ids, before []string
}

func newMoved(t *testing.T, program string) *moved {
	t.Helper()
	c := shared.Get(t)
	m := &moved{stack: newStack(t), k: kubeOf(t, c), space: c.Namespace(t)}
	m.ids = []string{"v1/ServiceAccount/" + m.space + "/shop", "v1/ConfigMap/" + m.space + "/settings"}
	m.is(t, program)
	m.up(t)
	for _, id := range m.ids {
		m.before = append(m.before, string(m.k.get(t, id).GetUID()))
	}
	return m
}

// is writes the program.
func (m *moved) is(t *testing.T, program string) {
	t.Helper()
	m.program(t, "%s", replaceAll(program, "SPACE", m.space))
}

// same wants that the objects are those of before, with one owner each.
func (m *moved) same(t *testing.T) {
	t.Helper()
	for i, id := range m.ids {
		live := m.k.get(t, id)
		assert.Equal(t, m.before[i], string(live.GetUID()), id)
		assert.Nil(t, live.GetDeletionTimestamp())
		assert.Len(t, m.k.ours(t, id), 1, "one resource owns %s", id)
	}
	assert.Equal(t, "on", m.k.value(t, m.ids[1], "data", "mode"))
}

func TestObjectsMoveIntoASetAndOutOfIt(t *testing.T) { // [M22]
	t.Parallel()
	const takeOver = "      adopt: true\n      takeOverFrom: ['k8sconnect-PROJECT.dev.*']\n"
	asSet := func(m *moved) string {
		return movedAsSet + replaceAll(takeOver, "PROJECT", m.project, ".dev.", "."+m.name+".")
	}

	t.Run("into it, by takeOverFrom, and the resources of before delete nothing", func(t *testing.T) {
		t.Parallel()
		m := newMoved(t, movedSingly)
		m.is(t, asSet(m))
		out := m.preview(t)
		assert.Equal(t, 2, strings.Count(out, " exists and will be adopted."))
		assert.Equal(t, 2, strings.Count(out, "the update takes over from k8sconnect-"+m.project))
		assert.Equal(t, 2, strings.Count(m.up(t), "deleted ("), "the engine deletes the resources of before")
		m.same(t)
		m.previewEmpty(t)
		m.is(t, movedAsSet)
		m.previewEmpty(t)

		step(t, "and out of it, by aliases", func(t *testing.T) {
			child := func(key string) string {
				return "    options: {aliases: ['urn:pulumi:" + m.name + "::" + m.project + "::k8sconnect:index:Manifests$k8sconnect:index:KubeObject::shop:" + key + "']}\n"
			}
			m.is(t, replaceAll(movedSingly, "  settings:\n", child("ServiceAccount."+m.space+".shop")+"  settings:\n")+child("ConfigMap."+m.space+".settings"))
			out := m.preview(t)
			assert.Equal(t, 2, strings.Count(out, "The update renames its field manager"), "%s", out)
			assert.NotContains(t, out, "KubeObject: (delete)")
			m.up(t)
			m.same(t)
			m.previewEmpty(t)
			m.is(t, movedSingly)
			m.previewEmpty(t)
			require.Equal(t, []string{"account", "settings"}, m.export(t).named("k8sconnect:index:KubeObject"))
		})
		m.destroy(t)
		for _, id := range m.ids {
			m.k.gone(t, id)
		}
	})
	t.Run("into it, after the state has forgotten the resources", func(t *testing.T) {
		t.Parallel()
		m := newMoved(t, movedSingly)
		m.run(t, "state", "delete", m.urn("account"), "--yes")
		m.run(t, "state", "delete", m.urn("settings"), "--yes")
		m.is(t, asSet(m))
		m.up(t)
		m.same(t)
		m.previewEmpty(t)
	})
	t.Run("without any of it, the update is refused and touches nothing", func(t *testing.T) {
		t.Parallel()
		m := newMoved(t, movedSingly)
		m.is(t, movedAsSet)
		for _, out := range []string{m.previewFails(t), m.upFails(t)} {
			assert.Regexp(t, `managed by the KubeObject "(account|settings)"`, out, "the first of the two ends the run")
			// The engine may end before the set has answered, and then the set says nothing.
			for line := range strings.Lines(out) {
				if strings.Contains(line, "resource 'shop' has a problem") {
					assert.Regexp(t, `the set "shop" is not complete|grpc: the client connection is closing`, line)
				}
			}
		}
		m.same(t)
		m.is(t, movedSingly)
		m.up(t)
		m.same(t)
		m.previewEmpty(t)
	})
	t.Run("a set that is renamed keeps its objects by an alias", func(t *testing.T) {
		t.Parallel()
		m := newMoved(t, movedAsSet)
		m.is(t, replaceAll(movedAsSet, "  shop:", "  store:")+"    options: {aliases: [{name: shop}]}\n")
		assert.NotContains(t, m.preview(t), "to create")
		m.up(t)
		m.same(t)
		m.previewEmpty(t)
		require.Equal(t, []string{"store:ConfigMap." + m.space + ".settings", "store:ServiceAccount." + m.space + ".shop"},
			m.export(t).named("k8sconnect:index:KubeObject"))
	})
}
