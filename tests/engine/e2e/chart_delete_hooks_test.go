package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAReleaseHasResourcesForTheDeleteHooksThatItHasOnceHad(t *testing.T) { // [H7]
	t.Parallel()
	const deletions = "k8sconnect:index:ReleaseHooks"
	settings := "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: { version: {{ .Chart.Version | quote }} }\n"
	without := map[string]string{"templates/settings.yaml": settings}
	with := map[string]string{
		"templates/settings.yaml": settings,
		"templates/first.yaml":    jobOf("first", "kwok", "helm.sh/hook: pre-delete"),
		"templates/last.yaml":     jobOf("last", "kwok", "helm.sh/hook: post-delete"),
	}
	begin := func(t *testing.T, chart map[string]string) (chartStory, func(version string, chart map[string]string)) {
		t.Helper()
		s := newChartStory(t)
		s.chart(t, "1.0.0", chart)
		s.declare(t, "")
		s.up(t)
		return s, func(version string, chart map[string]string) {
			t.Helper()
			s.chart(t, version, chart)
			s.up(t)
			s.previewEmpty(t)
			assert.Equal(t, version, s.kube.value(t, "v1/ConfigMap/"+s.space+"/settings", "data", "version"))
			assert.Empty(t, s.succeeded(t), "no clean-up runs on a release that lives on")
		}
	}
	t.Run("a release without any has none, and keeps those of a later version until it is deleted", func(t *testing.T) {
		t.Parallel()
		s, upgrade := begin(t, without)
		assert.Len(t, s.export(t).all, 2+1+1+2, "the stack, the provider, the Chart, its object, and two records")
		s.previewEmpty(t)

		s.chart(t, "2.0.0", with)
		assert.Contains(t, s.preview(t), "+ k8sconnect:index:ReleaseHooks: (create)")
		upgrade("2.0.0", with)
		both := []string{"shop:post-delete", "shop:pre-delete"}
		assert.Equal(t, both, s.export(t).named(deletions))
		for _, version := range []string{"3.0.0", "3.1.0"} {
			upgrade(version, without)
			assert.Equal(t, both, s.export(t).named(deletions), "deleting one would run what it has run last")
		}
		upgrade("4.0.0", with)
		s.destroy(t)
		assert.Len(t, s.succeeded(t), 2)
	})
	t.Run("a release that has always had one kind has no resource for the other", func(t *testing.T) {
		t.Parallel()
		s, _ := begin(t, map[string]string{"templates/settings.yaml": settings, "templates/last.yaml": with["templates/last.yaml"]})
		assert.Equal(t, []string{"shop:post-delete"}, s.export(t).named(deletions))
		s.declare(t, "hooks: skip")
		s.up(t)
		assert.Equal(t, []string{"shop:post-delete"}, s.export(t).named(deletions))
		s.previewEmpty(t)
		s.declare(t, "")
		s.up(t)
		s.destroy(t)
		assert.Len(t, s.succeeded(t), 1)
	})
	t.Run("hooks that a part of an update has brought do not run when the next update takes them back", func(t *testing.T) {
		t.Parallel()
		s, upgrade := begin(t, without)
		s.chart(t, "2.0.0", with)
		s.up(t, "--target", "**shop:post-delete")
		assert.Equal(t, []string{"shop:post-delete"}, s.export(t).named(deletions))
		upgrade("1.0.0", without)
		assert.Empty(t, s.export(t).named(deletions))
	})
	t.Run("nor do they when the Chart is renamed in that update", func(t *testing.T) {
		t.Parallel()
		s, _ := begin(t, without)
		s.chart(t, "2.0.0", with)
		s.up(t, "--target", "**shop:post-delete")
		s.chart(t, "1.0.0", without)
		s.program(t, "resources:\n  store: { type: k8sconnect:Chart, properties: { chart: ./web, namespace: %s }, options: { aliases: [{ name: shop }] } }\n", s.space)
		s.up(t)
		assert.Empty(t, s.export(t).named(deletions))
		assert.Empty(t, s.succeeded(t))
		s.previewEmpty(t)
	})
}
