package lives_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDriftDoesNotReplace tells that a change that the API server accepts is made in place, whatever else of the object cannot
// be changed back, because somebody has changed it or admission has when the object was made.
func TestDriftDoesNotReplace(t *testing.T) {
	for name, c := range map[string]struct {
		world    string
		manifest func(name string) m
		ignored  []string
		meddle   func(p *place)
		change   string
	}{
		"a Job that was admitted": {
			manifest: queued, meddle: func(p *place) { p.admit("it") },
		},
		"a Job that was admitted, of which a part is ignored": {
			manifest: queued, ignored: []string{"spec.suspend"}, meddle: func(p *place) { p.admit("it") },
		},
		"a Pod that has to end earlier": {
			manifest: func(name string) m { return changed(pod(name), `{spec: {automountServiceAccountToken: false}}`) },
			meddle:   func(p *place) { p.edit("Pod", "it", `{spec: {activeDeadlineSeconds: 60}}`) },
		},
		"a Pod with a token that has to end earlier": {
			manifest: pod, meddle: func(p *place) { p.edit("Pod", "it", `{spec: {activeDeadlineSeconds: 60}}`) },
		},
		"a Pod whose gate was lifted": {
			manifest: func(name string) m {
				return changed(pod(name), `{spec: {schedulingGates: [{name: example.com/quota}]}}`)
			},
			meddle: func(p *place) { p.edit("Pod", "it", `{spec: {schedulingGates: null}}`) },
		},
		"a Pod of a class that says where it runs": {
			manifest: func(name string) m {
				return changed(pod(name), `{spec: {runtimeClassName: sandboxed, nodeSelector: {disk: ssd}, tolerations: [{key: a, operator: Exists}]}}`)
			},
		},
		"a Job whose image admission rewrites when it is made": {
			world: "mirror-at-create", manifest: queued,
		},
		"a StatefulSet whose claims admission completes when it is made": {
			world: "claims-completed", manifest: statefulSet,
			change: `{spec: {template: {spec: {containers: [{name: main, image: example.com/db:2}]}}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			world := c.world
			if world == "" {
				world = "plain"
			}
			story(t, "[D50]", world, func(p *place) {
				manifest, change := c.manifest("it"), c.change
				if change == "" {
					change = rev2
				}
				var options []with
				if c.ignored != nil {
					options = append(options, ignoring(c.ignored...))
				}
				p.up(object("it", manifest, options...))
				if c.meddle != nil {
					c.meddle(p)
				}
				p.unchangedObject(object("it", changed(manifest, change), options...))
			})
		})
	}
}

// TestDriftThatCannotBePutRight tells what an up says that has nothing to change.
func TestDriftThatCannotBePutRight(t *testing.T) {
	story(t, "[D61]", "plain", func(p *place) {
		p.up(object("it", pod("it")))
		p.edit("Pod", "it", `{spec: {activeDeadlineSeconds: 60}}`)
		result := p.tryUp()
		require.NoError(p, result.Err, "the program is blamed: %s", result.Output)
	})
}

// TestAClaimThatOthersGrowTwice tells that what has grown again stays again.
func TestAClaimThatOthersGrowTwice(t *testing.T) {
	story(t, "[D61]", "plain", func(p *place) {
		p.up(object("data", claimOf("data")))
		p.bind("data")
		for _, size := range []string{"2Gi", "4Gi"} {
			p.edit("PersistentVolumeClaim", "data", `{spec: {resources: {requests: {storage: `+size+`}}}}`)
			result := p.tryUp()
			require.NoError(p, result.Err, "the program is blamed: %s", result.Output)
		}
	})
}

// TestWhatOthersPutIntoAnEmptyField tells that what the program leaves empty is not its own when others fill it.
func TestWhatOthersPutIntoAnEmptyField(t *testing.T) {
	user := func(user string) string {
		return `{spec: {template: {spec: {securityContext: {runAsUser: ` + user + `}}}}}`
	}
	story(t, "[D61]", "plain", func(p *place) {
		web := changed(deployment("web"), `{spec: {template: {spec: {securityContext: {}}}}}`)
		p.up(object("web", web))
		p.edit("Deployment", "web", user("5"))
		p.unchangedObject(object("web", changed(web, rev2)))
		p.edit("Deployment", "web", user("6"))
		result := p.tryUp()
		require.NoError(p, result.Err, result.Output)
		require.Zero(p, result.Changes["update"], "what others have changed again is taken for the program's: %s", result.Output)
		found, _ := get(p.live("Deployment", "web").Object, at("spec.template.spec.securityContext.runAsUser"))
		require.EqualValues(p, 6, found)
	})
}

// TestAnIgnoredFieldThatOthersChangeTwice tells the same of a field that the program ignores.
func TestAnIgnoredFieldThatOthersChangeTwice(t *testing.T) {
	story(t, "[D61]", "plain", func(p *place) {
		data := object("data", claimOf("data"), ignoring("spec.resources.requests.storage"))
		p.up(data)
		p.bind("data")
		for _, size := range []string{"2Gi", "4Gi"} {
			p.edit("PersistentVolumeClaim", "data", `{spec: {resources: {requests: {storage: `+size+`}}}}`)
			p.up(object("data", changed(claimOf("data"), `{metadata: {labels: {rev: "`+size+`"}}}`), ignoring("spec.resources.requests.storage")))
			result := p.tryUp()
			require.NoError(p, result.Err, result.Output)
			require.Zero(p, result.Changes["update"], result.Output)
		}
	})
}

// TestWhatIsDropped tells that a value that admission has dropped is not forgotten.
func TestWhatIsDropped(t *testing.T) {
	t.Run("it is said", func(t *testing.T) {
		story(t, "[D56]", "gated", func(p *place) {
			result := p.up(object("settings", changed(configMap("settings"), `{data: {gated: "on"}}`)))
			require.Contains(p, result.Output, "gated", "nothing says that data.gated was not kept")
		})
	})
	t.Run("it is applied when the gate is open", func(t *testing.T) {
		story(t, "[D56]", "gated", func(p *place) {
			settings := changed(configMap("settings"), `{data: {gated: "on"}}`)
			p.up(object("settings", settings))
			p.leave()
			p.up()
			require.Equal(p, m{"a": "1", "gated": "on"}, p.live("ConfigMap", "settings").Object["data"], "the value is still not there")
		})
	})
}

// TestAnAggregatedRoleKeepsItsRules tells that rules that a controller fills are nobody else's business.
func TestAnAggregatedRoleKeepsItsRules(t *testing.T) {
	story(t, "[D55]", "plain", func(p *place) {
		part := p.namespace + "-part"
		role := parsef(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: %[1]s-all, labels: {rev: "1"}}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {into: %[1]s}}]}
rules: []
`, p.namespace)
		filled := func() bool {
			rules, _ := p.live("ClusterRole", p.namespace+"-all").Object["rules"].([]any)
			return len(rules) > 0
		}
		p.up(object("role", role), object("part", parsef(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: %s, labels: {into: %s}}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
`, part, p.namespace)))
		defer p.do("destroy", options())
		p.eventually("the role is filled", filled)
		result := p.do("preview", options())
		require.NotContains(p, result.Output, "1 to update", "the role has lost its rules: %s", result.Output)
	})
}
