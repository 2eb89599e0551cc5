package e2e

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// renamedSet is a program with a set of three objects. The last two are applied after the first one, which is refused if its data is.
func renamedSet(name, alias, data string) string {
	return replaceAll(`
resources:
  NAME:
    type: k8sconnect:Manifests
    options: { aliases: ALIASES }
    properties:
      namespace: SPACE
      manifests:
      - {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: DATA}
      - apiVersion: v1
        kind: ServiceAccount
        metadata: {name: shop, annotations: {config.kubernetes.io/depends-on: /namespaces/SPACE/ConfigMap/settings}}
      - apiVersion: apps/v1
        kind: Deployment
        metadata: {name: shop, annotations: {config.kubernetes.io/depends-on: /namespaces/SPACE/ServiceAccount/shop}}
        spec:
          replicas: 0
          selector: {matchLabels: {app: shop}}
          template: {metadata: {labels: {app: shop}}, spec: {containers: [{name: web, image: web}]}}
`, "NAME", name, "ALIASES", alias, "DATA", data)
}

func TestARenameOfASetThatFailsGoesOnInPlace(t *testing.T) { // [D144] [M22]
	t.Parallel()
	aliasOf := func(name string) string { return fmt.Sprintf("[{ name: %s }]", name) }
	const right, wrong = "{a: x}", "{'a b': x}"
	interrupted := func(t *testing.T) *moved {
		t.Helper()
		m := newMoved(t, renamedSet("shop", "[]", right))
		m.is(t, renamedSet("store", aliasOf("shop"), wrong))
		assert.Contains(t, m.upFails(t, "--skip-preview"), "a b")
		return m
	}
	goesOn := func(t *testing.T, m *moved, program string) {
		t.Helper()
		m.is(t, program)
		m.up(t)
		m.previewEmpty(t)
		for i, id := range m.ids {
			live := m.k.get(t, id)
			assert.Equal(t, m.before[i], string(live.GetUID()), id)
			assert.Len(t, m.k.ours(t, id), 1, "one resource owns %s", id)
		}
	}

	t.Run("with the alias of before", func(t *testing.T) {
		t.Parallel()
		m := interrupted(t)
		goesOn(t, m, renamedSet("store", aliasOf("shop"), right))
		goesOn(t, m, renamedSet("store", "[]", right))
	})

	t.Run("under a third name, which knows the second one alone", func(t *testing.T) {
		t.Parallel()
		m := interrupted(t)
		goesOn(t, m, renamedSet("mall", aliasOf("store"), right))
	})

	// Two of the objects come under the second name before the update fails, and the third one stays under the first.
	const refusedLast = "replicas: -1"
	for name, c := range map[string]struct{ failing, last [2]string }{
		"back to the first name, where it fails again": {[2]string{"shop", "store"}, [2]string{"shop", "store"}},
		"over four names": {[2]string{"mall", "store"}, [2]string{"bazaar", "mall"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMoved(t, renamedSet("shop", "[]", right))
			m.is(t, replaceAll(renamedSet("store", aliasOf("shop"), right), "replicas: 0", refusedLast))
			m.upFails(t, "--skip-preview")
			m.is(t, renamedSet(c.failing[0], aliasOf(c.failing[1]), wrong))
			m.upFails(t, "--skip-preview")
			goesOn(t, m, renamedSet(c.last[0], aliasOf(c.last[1]), right))
		})
	}

	t.Run("and then another set has the former name, and keeps what it has", func(t *testing.T) {
		t.Parallel()
		m := interrupted(t)
		store := renamedSet("store", aliasOf("shop"), right)
		goesOn(t, m, store)
		other := shared.Get(t).Namespace(t)
		id := "v1/Secret/" + other + "/key"
		const key = "      - {apiVersion: v1, kind: Secret, metadata: {name: key}}\n"
		shop := replaceAll("  shop:\n    type: k8sconnect:Manifests\n    properties:\n      namespace: OTHER\n      manifests:\n"+key, "OTHER", other)
		goesOn(t, m, store+shop)
		uid := m.k.get(t, id).GetUID()
		goesOn(t, m, store+key+shop)
		assert.Equal(t, uid, m.k.get(t, id).GetUID())
		assert.NotEqual(t, uid, m.k.get(t, "v1/Secret/"+m.space+"/key").GetUID())
	})

	t.Run("also a set of an earlier version, after one update", func(t *testing.T) {
		t.Parallel()
		m := newMoved(t, renamedSet("shop", "[]", right))
		saved := m.run(t, "stack", "export")
		older := regexp.MustCompile(`\s*"childrenOf": \[\s*"[^"]*"\s*\],`).ReplaceAllString(saved, "")
		require.NotEqual(t, saved, older)
		m.run(t, "stack", "import", "--stack="+m.name, "--file="+m.file(t, "older.json", older))
		m.previewEmpty(t)
		goesOn(t, m, renamedSet("shop", "[]", right))
		m.is(t, renamedSet("store", aliasOf("shop"), wrong))
		m.upFails(t, "--skip-preview")
		goesOn(t, m, renamedSet("store", aliasOf("shop"), right))
	})

	t.Run("and meanwhile its former name is taken", func(t *testing.T) {
		t.Parallel()
		m := interrupted(t)
		store := replaceAll(renamedSet("store", aliasOf("shop"), right), "aliases: [{ name: shop }]", "aliases: [{ name: shop }], dependsOn: ['${shop}']")
		shop := replaceAll("  shop:\n    type: k8sconnect:Manifests\n    properties:\n      namespace: OTHER\n      manifests:\n"+
			"      - {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}\n", "OTHER", shared.Get(t).Namespace(t))
		m.is(t, store+shop)
		assert.Contains(t, m.upFails(t, "--skip-preview"), `the name "shop" belongs to a rename that is not complete`)
		goesOn(t, m, renamedSet("store", aliasOf("shop"), right)) // as the message says
		goesOn(t, m, store+shop)
	})

	t.Run("and back, without an alias: refused, until it has one", func(t *testing.T) {
		t.Parallel()
		m := interrupted(t)
		m.is(t, renamedSet("shop", "[]", right))
		assert.Contains(t, m.upFails(t, "--skip-preview"), `give it "store" as an alias`)
		goesOn(t, m, renamedSet("shop", aliasOf("store"), right))
	})

	// Then the provider that compares and applies is not the one that has read, or nothing has been read at all.
	for name, c := range map[string]struct {
		before, after string
		options       []string
	}{
		"where drift is looked for on demand":  {before: "refresh"},
		"while the provider's inputs change":   {after: "preview"},
		"with a refresh that runs the program": {options: []string{"--refresh", "--run-program"}},
		"with an update that runs the program": {options: []string{"--run-program"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMoved(t, renamedSet("shop", "[]", right))
			if c.before != "" {
				m.config(t, "k8sconnect:driftDetection", c.before)
				m.up(t)
			}
			m.is(t, renamedSet("store", aliasOf("shop"), wrong))
			m.upFails(t, "--skip-preview")
			if c.after != "" {
				m.config(t, "k8sconnect:driftDetection", c.after)
			}
			m.is(t, renamedSet("store", aliasOf("shop"), right))
			m.up(t, c.options...)
			goesOn(t, m, renamedSet("store", aliasOf("shop"), right))
		})
	}
}
