package lives_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"
)

const rev2 = `{metadata: {labels: {rev: "2"}}}`

// unchangedObject runs an up that may not make the object anew.
func (p *place) unchangedObject(program ...declared) {
	p.Helper()
	last := program[len(program)-1]
	was := p.uid(last.kind(), last.object())
	result := p.tryUp(program...)
	require.NoError(p, result.Err, "the change is refused: %s", result.Output)
	require.Equal(p, was, p.uid(last.kind(), last.object()), "the object is another one: %s", result.Output)
}

// TestIgnoredFieldsDoNotReplace tells that a field that the program ignores is nothing to replace an object for, and nothing
// to refuse a change for.
func TestIgnoredFieldsDoNotReplace(t *testing.T) {
	t.Run("a Job that was admitted", func(t *testing.T) {
		story(t, "[D49]", "plain", func(p *place) {
			job, ignored := queued("work"), ignoring("spec.suspend", "spec.template.spec.nodeSelector")
			p.up(object("job", job, ignored))
			p.admit("work")
			p.unchangedObject(object("job", changed(job, rev2), ignored))
		})
	})
	t.Run("the fields are ignored because they have changed", func(t *testing.T) {
		story(t, "[D49]", "plain", func(p *place) {
			job := queued("work")
			p.up(object("job", job))
			p.admit("work")
			p.unchangedObject(object("job", job, ignoring("spec.suspend", "spec.template.spec.nodeSelector")))
		})
	})
	t.Run("a claim that has grown", func(t *testing.T) {
		story(t, "[D49]", "plain", func(p *place) {
			claim, ignored := claimOf("data"), ignoring("spec.resources.requests.storage")
			p.up(object("claim", claim, ignored))
			p.bind("data")
			p.edit("PersistentVolumeClaim", "data", `{spec: {resources: {requests: {storage: 2Gi}}}}`)
			p.unchangedObject(object("claim", changed(claim, rev2), ignored))
		})
	})
	t.Run("an object of a custom kind that has grown", func(t *testing.T) {
		story(t, "[D49]", "plain", func(p *place) {
			fleet := custom("Sized", "fleet")
			p.up(object("fleet", fleet))
			p.edit("Sized", "fleet", `{spec: {size: 3}}`)
			p.unchangedObject(object("fleet", fleet, ignoring("spec.size")))
		})
	})
	t.Run("a policy against scaling down", func(t *testing.T) {
		story(t, "[D49]", "no-scaling-down", func(p *place) {
			web, ignored := deployment("web"), ignoring("spec.replicas")
			p.up(object("web", web, ignored))
			p.edit("Deployment", "web", `{spec: {replicas: 4}}`)
			p.unchangedObject(object("web", changed(web, rev2), ignored))
		})
	})
}

// TestIgnoredFieldsInOtherSpellings tells that what is ignored is what is written, and nothing else.
func TestIgnoredFieldsInOtherSpellings(t *testing.T) {
	t.Run("a text of a Secret", func(t *testing.T) {
		story(t, "[D51]", "plain", func(p *place) {
			secret, ignored := parse(`
apiVersion: v1
kind: Secret
metadata: {name: keys, labels: {rev: "1"}}
stringData: {password: first}
`), ignoring("stringData.password")
			p.up(object("keys", secret, ignored))
			p.edit("Secret", "keys", `{data: {password: c2Vjb25k}}`)
			p.up(object("keys", changed(secret, rev2), ignored))
			require.Equal(p, m{"password": "c2Vjb25k"}, p.live("Secret", "keys").Object["data"], "the rotated password is gone")
		})
	})
	t.Run("a port by two keys", func(t *testing.T) {
		story(t, "[D52]", "plain", func(p *place) {
			dns, ignored := parse(`
apiVersion: v1
kind: Service
metadata: {name: dns}
spec:
  ports:
  - {name: tcp, port: 53, targetPort: 5353}
  - {name: udp, port: 53, targetPort: 5353, protocol: UDP}
`), ignoring("spec.ports[port=53,protocol=UDP].targetPort")
			p.up(object("dns", dns, ignored))
			p.up(object("dns", changed(dns, `{spec: {ports: [{name: tcp, port: 53, targetPort: 5354}, {name: udp, port: 53, targetPort: 5353, protocol: UDP}]}}`), ignored))
			ports := p.live("Service", "dns").Object["spec"].(m)["ports"].([]any)
			require.EqualValues(p, 5354, ports[0].(m)["targetPort"], "the change of the other port is not made")
		})
	})
	t.Run("what names the object", func(t *testing.T) {
		story(t, "[D62]", "plain", func(p *place) {
			settings, ignored := configMap("settings"), ignoring("metadata")
			p.up(object("settings", settings, ignored))
			p.unchangedObject(object("settings", changed(settings, `{data: {a: "2"}}`), ignored))
		})
	})
	t.Run("a path that is secret", func(t *testing.T) {
		story(t, "[D57]", "plain", func(p *place) {
			path := resource.MakeSecret(resource.NewProperty("data.hush-7291"))
			result := p.up(object("settings", configMap("settings"), input("ignoreFields", []any{path})))
			require.NotContains(p, p.savedState()+result.Output, "hush-7291", "the secret path can be read")
		})
	})
}
