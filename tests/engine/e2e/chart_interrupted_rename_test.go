package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestARenameOfAChartThatFailsGoesOnInPlace(t *testing.T) { // [D144] [H8]
	t.Parallel()
	const right, wrong = "1.1.0", "1.2.0"
	hook := func(name, event, version string) string {
		text := jobOf(name, "kwok", "helm.sh/hook: "+event)
		if version == wrong {
			text = strings.ReplaceAll(text, "\nspec:", "\nspec:\n  completions: -1")
		}
		return text
	}
	type story struct {
		chartStory
		secret string
	}
	begin := func(t *testing.T) story {
		t.Helper()
		s := newChartStory(t)
		return story{s, "v1/Secret/" + s.space + "/shop-auth"}
	}
	// is has a version of the chart, whose hooks are refused where they say so, under a name of the resource.
	is := func(t *testing.T, s story, name, alias string, hooks map[string]string) {
		t.Helper()
		files, version := map[string]string{"templates/auth.yaml": chartSecret}, right
		for event, is := range hooks {
			event, another := strings.CutSuffix(event, ", another")
			files[fmt.Sprintf("templates/%s-%t.yaml", event, another)] = hook(fmt.Sprintf("%s-%t", event, another), event, is)
			version = max(version, is)
		}
		s.chart(t, version, files)
		s.program(t, "resources:\n  "+name+": { type: k8sconnect:Chart, properties: { chart: ./web, namespace: %s }, options: { aliases: "+alias+" } }\n", s.space)
	}
	goesOn := func(t *testing.T, s story, uid any) {
		t.Helper()
		s.up(t)
		s.previewEmpty(t)
		assert.Equal(t, uid, s.kube.get(t, s.secret).GetUID(), "with its password")
		s.destroy(t)
		s.kube.gone(t, s.secret)
	}
	const first, second = "[{ name: shop }]", "[{ name: store }]"

	for name, last := range map[string][2]string{
		"under the new name": {"store", first},
		"under a third name, which knows the second one alone": {"mall", second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := begin(t)
			is(t, s, "shop", "[]", map[string]string{"pre-upgrade": right})
			s.up(t)
			uid := s.kube.get(t, s.secret).GetUID()
			is(t, s, "store", first, map[string]string{"pre-upgrade": wrong})
			s.upFails(t, "--skip-preview")
			is(t, s, last[0], last[1], map[string]string{"pre-upgrade": right})
			goesOn(t, s, uid)
		})
	}

	t.Run("while its install is open", func(t *testing.T) {
		t.Parallel()
		s := begin(t)
		is(t, s, "shop", "[]", map[string]string{"pre-install": right, "post-install": wrong})
		s.upFails(t, "--skip-preview")
		uid := s.kube.get(t, s.secret).GetUID()
		is(t, s, "store", first, map[string]string{"pre-install": right, "pre-install, another": wrong, "post-install": right})
		s.upFails(t, "--skip-preview")
		is(t, s, "store", first, map[string]string{"pre-install": right, "pre-install, another": right, "post-install": right})
		goesOn(t, s, uid)
	})

	t.Run("and its delete hook does not run on the living release", func(t *testing.T) {
		t.Parallel()
		s := begin(t)
		is(t, s, "shop", "[]", map[string]string{"pre-delete": right, "post-upgrade": right})
		s.up(t)
		uid := s.kube.get(t, s.secret).GetUID()
		is(t, s, "store", first, map[string]string{"pre-delete": right, "post-upgrade": wrong})
		s.upFails(t, "--skip-preview")
		is(t, s, "store", first, map[string]string{"pre-delete": right, "post-upgrade": right})
		s.config(t, "k8sconnect:driftDetection", "preview") // so that the provider which goes on is not the one that has read
		s.up(t)
		s.kube.gone(t, "batch/v1/Job/"+s.space+"/shop-pre-delete-false")
		goesOn(t, s, uid)
	})

	t.Run("and back, where the chart does not render, and its delete hook does not run either", func(t *testing.T) {
		t.Parallel()
		s := begin(t)
		hooks := func(pre string) map[string]string { return map[string]string{"post-delete": right, "pre-upgrade": pre} }
		is(t, s, "shop", "[]", hooks(right))
		s.up(t)
		uid := s.kube.get(t, s.secret).GetUID()
		is(t, s, "store", first, hooks(wrong))
		s.upFails(t, "--skip-preview")
		is(t, s, "shop", second, hooks(right))
		s.chart(t, "1.3.0", map[string]string{"templates/auth.yaml": "{{ fail \"no\" }}"})
		s.upFails(t, "--skip-preview")
		is(t, s, "shop", second, hooks(right))
		s.up(t)
		s.kube.gone(t, "batch/v1/Job/"+s.space+"/shop-post-delete-false")
		goesOn(t, s, uid)
	})
}
