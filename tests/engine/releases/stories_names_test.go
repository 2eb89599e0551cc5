package releases_test

import (
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/display"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

const claim = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: {{ .Release.Name }}-data }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`

// formerly is a resource with the alias of its former name.
func formerly(name string, r resource) resource {
	r.Options = map[string]any{"aliases": []any{map[string]any{"name": name}}}
	return r
}

// [D94]
func TestAChartThatIsRenamedKeepsItsClaim(t *testing.T) {
	l := newLife(t)
	folder := l.chart("web", "1.0.0", files{"templates/claim.yaml": claim})
	l.declare(program{"shop": l.release(folder, nil)})
	l.up(engine.Options{})
	before := l.get("PersistentVolumeClaim/shop-data").GetUID()
	l.declare(program{"store": formerly("shop", l.release(folder, nil))})
	l.up(engine.Options{})
	after := l.live(l.space)["PersistentVolumeClaim/shop-data"]
	require.NotNil(t, after, "the claim is another one: it is gone")
	assert.Equal(t, before, after.GetUID(), "the claim is another one")
}

// named are templates whose objects are called as the release.
var named = files{
	"templates/web.yaml":     plain("ConfigMap", "{{ .Release.Name }}-web", `a: {{ .Values.a | default "1" | quote }}`),
	"templates/secret.yaml":  plain("Secret", "{{ .Release.Name }}-secret", "password: {{ randAlphaNum 20 | b64enc }}"),
	"templates/migrate.yaml": hookOf("{{ .Release.Name }}-migrate", "hook:1", "", on("pre-install")),
}

// [D77]
func TestAChartThatIsRenamedKeepsTheNameOfItsRelease(t *testing.T) {
	l := newLife(t)
	folder := l.chart("web", "1.0.0", named)
	l.declare(program{"shop": l.release(folder, nil)})
	l.up(engine.Options{})
	uid, password, runs := l.get("ConfigMap/shop-web").GetUID(), l.drawn("shop-secret", "password"), len(l.runs(0))

	l.declare(program{"store": formerly("shop", l.release(folder, nil))})
	preview := l.succeeds(engine.Preview, engine.Options{})
	for _, op := range []display.StepOp{deploy.OpCreate, deploy.OpDelete, deploy.OpReplace} {
		assert.Zero(t, preview.Changes[op], "%s:\n%s", op, preview.Output)
	}
	l.up(engine.Options{})
	l.succeeds(engine.Preview, engine.Options{ExpectNoChanges: true})

	l.declare(program{"store": l.release(folder, map[string]any{"values": map[string]any{"a": "2"}})})
	up := l.up(engine.Options{})
	assert.NotContains(t, up.Output, "releaseName", "a rename needs no advice")
	assert.Equal(t, uid, l.get("ConfigMap/shop-web").GetUID())
	assert.Equal(t, "2", dataOf(l.get("ConfigMap/shop-web"))["a"])
	assert.Equal(t, password, l.drawn("shop-secret", "password"))
	assert.Len(t, l.runs(0), runs, "a hook of installs has run again")

	l.declare(program{"store": l.release(folder, map[string]any{"releaseName": "store"})})
	l.up(engine.Options{})
	assert.NotContains(t, l.live(l.space), "ConfigMap/shop-web", "only a program that says so renames a release")
	assert.Contains(t, l.live(l.space), "ConfigMap/store-web")
}

// [D77]
func TestAReleaseKeepsANameThatTheProgramGivesNoMore(t *testing.T) {
	l := newLife(t)
	folder := l.chart("web", "1.0.0", named)
	l.declare(program{"shop": l.release(folder, map[string]any{"releaseName": "backend"})})
	l.up(engine.Options{})
	uid := l.get("ConfigMap/backend-web").GetUID()
	l.declare(program{"shop": l.release(folder, nil)})
	for _, kind := range []engine.Kind{engine.Preview, engine.Up, engine.Up} {
		assert.Contains(t, l.succeeds(kind, engine.Options{}).Output, `The release keeps its name "backend"`)
	}
	assert.Equal(t, uid, l.get("ConfigMap/backend-web").GetUID())
	l.declare(program{"shop": l.release(folder, map[string]any{"releaseName": "backend"})})
	assert.NotContains(t, l.up(engine.Options{}).Output, "keeps its name")
}

// [D77]
func TestANewChartDoesNotTakeTheNameThatARenamedOneKeeps(t *testing.T) {
	l := newLife(t)
	folder := l.chart("web", "1.0.0", named)
	l.declare(program{"shop": l.release(folder, nil)})
	l.up(engine.Options{})
	l.declare(program{"store": formerly("shop", l.release(folder, nil))})
	l.up(engine.Options{})
	other := l.chart("other", "1.0.0", files{"templates/other.yaml": plain("ConfigMap", "{{ .Release.Name }}-other", `a: "1"`)})
	l.declare(program{"store": l.release(folder, nil), "shop": l.release(other, nil)})
	for _, kind := range []engine.Kind{engine.Preview, engine.Up} {
		out := l.fails(kind, engine.Options{PreviewFirst: kind == engine.Up}).Output
		assert.Contains(t, out, `The Chart "store" is the release "shop": it was renamed, and its release keeps the name`)
	}
	assert.NotContains(t, l.live(l.space), "ConfigMap/shop-other")
	l.declare(program{"store": l.release(folder, nil), "shop": l.release(other, map[string]any{"releaseName": "shop-2"})})
	l.up(engine.Options{})
	assert.Contains(t, l.live(l.space), "ConfigMap/shop-2-other")
}

// [D77]
func TestChartsThatSwapNamesAreNotRenamed(t *testing.T) {
	l := newLife(t)
	one := l.chart("one", "1.0.0", files{"templates/one.yaml": plain("ConfigMap", "{{ .Release.Name }}-one", `a: "1"`)})
	other := l.chart("other", "1.0.0", files{"templates/other.yaml": plain("ConfigMap", "{{ .Release.Name }}-other", `a: "1"`)})
	l.declare(program{"a": l.release(one, nil), "b": l.release(other, nil)})
	l.up(engine.Options{})
	l.declare(program{"b": formerly("a", l.release(one, nil)), "a": formerly("b", l.release(other, nil))})
	l.up(engine.Options{})
	live := l.live(l.space)
	for id, there := range map[string]bool{"ConfigMap/a-one": false, "ConfigMap/b-one": true, "ConfigMap/a-other": true, "ConfigMap/b-other": false} {
		assert.Equal(t, there, live[id] != nil, "each resource keeps its release, and gets the other chart: %s", id)
	}
}

// [D77]
func TestAChainOfRenamesTakesAnUpdateForEach(t *testing.T) {
	l := newLife(t)
	one := l.chart("one", "1.0.0", files{"templates/one.yaml": plain("ConfigMap", "{{ .Release.Name }}-one", `a: "1"`)})
	other := l.chart("other", "1.0.0", files{"templates/other.yaml": plain("ConfigMap", "{{ .Release.Name }}-other", `a: "1"`)})
	l.declare(program{"a": l.release(one, nil), "b": l.release(other, nil)})
	l.up(engine.Options{})
	first, second := l.get("ConfigMap/a-one").GetUID(), l.get("ConfigMap/b-other").GetUID()
	l.declare(program{"a": l.release(one, nil), "c": formerly("b", l.release(other, nil))})
	l.up(engine.Options{})
	l.declare(program{"b": formerly("a", l.release(one, nil)), "c": l.release(other, nil)})
	l.up(engine.Options{})
	assert.Equal(t, first, l.get("ConfigMap/a-one").GetUID())
	assert.Equal(t, second, l.get("ConfigMap/b-other").GetUID())
}

// [D95]
func TestARenameThatGetsItsAliasLaterGoesBackFirst(t *testing.T) {
	web := plain("ConfigMap", "web", `a: "1"`)
	for kind, of := range map[string]func(l *life) resource{
		"Chart": func(l *life) resource {
			return l.release(l.chart("web", "1.0.0", files{"templates/web.yaml": web}), map[string]any{"releaseName": "shop"})
		},
		"Chart with hooks": func(l *life) resource {
			hook := hookOf("migrate", "hook:1", "", on("pre-install"))
			return l.release(l.chart("web", "1.0.0", files{"templates/web.yaml": web, "templates/migrate.yaml": hook}), map[string]any{"releaseName": "shop"})
		},
		"Manifests": func(l *life) resource { return l.set(web) },
	} {
		t.Run(kind, func(t *testing.T) {
			l := newLife(t)
			renamed := of(l)
			l.declare(program{"shop": renamed})
			l.up(engine.Options{})
			uid, runs := l.get("ConfigMap/web").GetUID(), len(l.runs(0))
			l.declare(program{"store": renamed})
			l.fails(engine.Up, engine.Options{})
			if kind != "Chart with hooks" { // It has been refused before it had a record.
				// The alias alone comes too late, and the error says what to do.
				l.declare(program{"store": formerly("shop", renamed)})
				out := strings.Join(strings.Fields(l.fails(engine.Up, engine.Options{}).Output), " ")
				assert.Contains(t, out, "was renamed, give it the old name again and run `pulumi up`; then rename it, with the old name as an alias")
				l.declare(program{"shop": renamed})
				l.up(engine.Options{})
			}
			l.declare(program{"store": formerly("shop", renamed)})
			l.up(engine.Options{})
			l.up(engine.Options{PreviewFirst: true, PreviewOnly: true, ExpectNoChanges: true})
			assert.Equal(t, uid, l.get("ConfigMap/web").GetUID())
			assert.Len(t, l.runs(0), runs, "a hook of installs has run again")
			l.succeeds(engine.Destroy, engine.Options{})
			assert.NotContains(t, l.live(l.space), "ConfigMap/web")
		})
	}
}

// set is a Manifests of this text.
func (l *life) set(text string) resource {
	return resource{Type: "k8sconnect:Manifests", Properties: map[string]any{"content": text, "namespace": l.space}}
}

func TestDefinitionsThatAreSkippedLater(t *testing.T) { // [D97]
	l := newLife(t)
	folder := l.chart("web", "1.0.0", files{
		"crds/boxes.yaml": `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: boxes.releases.example.com }
spec:
  group: releases.example.com
  scope: Namespaced
  names: { kind: Box, plural: boxes }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
`,
		"templates/box.yaml": "apiVersion: releases.example.com/v1\nkind: Box\nmetadata: { name: box }\n",
	})
	of := func(crds string) resource {
		r := l.release(folder, map[string]any{"crds": crds})
		r.Options = map[string]any{"customTimeouts": map[string]any{"delete": "2s"}}
		return r
	}
	l.declare(program{"shop": of("include")})
	l.up(engine.Options{})
	l.declare(program{"shop": of("skip")})
	l.up(engine.Options{})
}
