package e2e

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// refusedSettings are refused by the API server because of a key. A later version of the chart has repairedSettings.
const (
	refusedSettings  = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: { \"not a key\": \"1\" }\n"
	repairedSettings = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: { size: {{ .Values.size | quote }} }\n"
)

func TestAnInstallThatFailedHalfwayGoesOnAsAnInstall(t *testing.T) { // [H6] [H14]
	t.Parallel()
	s := newChartStory(t)
	chart := map[string]string{
		"values.yaml":             "size: 1\n",
		"templates/settings.yaml": refusedSettings,
		"templates/both.yaml":     jobOf("both", "kwok", `helm.sh/hook: "pre-install,pre-upgrade"`),
		"templates/install.yaml":  jobOf("install", "kwok", "helm.sh/hook: pre-install"),
		"templates/upgrade.yaml":  jobOf("upgrade", "kwok", "helm.sh/hook: pre-upgrade"),
		"templates/gone.yaml":     jobOf("gone", "kwok", "helm.sh/hook: post-delete"),
	}
	repaired := maps.Clone(chart)
	maps.Copy(repaired, map[string]string{
		"templates/settings.yaml":  repairedSettings,
		"templates/earlier.yaml":   jobOf("earlier", "kwok", "helm.sh/hook: pre-install"),
		"templates/later.yaml":     jobOf("later", "kwok", "helm.sh/hook: post-install"),
		"templates/upgraded.yaml":  jobOf("upgraded", "kwok", "helm.sh/hook: post-upgrade"),
		"templates/laterboth.yaml": jobOf("laterboth", "kwok", `helm.sh/hook: "post-install,post-upgrade"`),
	})
	willRun := func(t *testing.T) (names []string) {
		for line := range strings.Lines(s.preview(t)) {
			if name, _, runs := strings.Cut(line, " will run:"); runs {
				names = append(names, name[strings.LastIndex(name, "/shop-")+len("/shop-"):])
			}
		}
		return names
	}
	s.chart(t, "1.0.0", chart)
	s.declare(t, "")
	assert.Contains(t, s.upFails(t, "--skip-preview"), "not a key")
	ran := s.succeeded(t)
	require.Len(t, ran, 2)
	require.Contains(t, ran, "shop-both")
	require.Contains(t, ran, "shop-install")

	step(t, "a refresh, the same again, and a part of the release do not end it", func(t *testing.T) {
		s.refresh(t)
		s.upFails(t, "--skip-preview")
		s.chart(t, "1.0.1", repaired)
		s.up(t, "--target", "**shop:post-delete")
		assert.Equal(t, ran, s.succeeded(t))
	})
	step(t, "hooks of installs run that only the repaired chart has; none of upgrades runs, and none that has succeeded", func(t *testing.T) {
		assert.ElementsMatch(t, []string{"earlier", "later", "laterboth"}, willRun(t))
		s.up(t)
		now := s.succeeded(t)
		assert.Len(t, now, 5)
		for name, uid := range ran {
			assert.Equal(t, uid, now[name], name)
		}
		for _, name := range []string{"shop-earlier", "shop-later", "shop-laterboth"} {
			assert.Contains(t, now, name)
		}
		ran = now
		s.previewEmpty(t)
		s.up(t)
		assert.Equal(t, ran, s.succeeded(t))
	})
	step(t, "the next change is an upgrade, also after a refresh", func(t *testing.T) {
		s.refresh(t)
		delete(repaired, "templates/install.yaml")
		repaired["templates/never.yaml"] = jobOf("never", "kwok", "helm.sh/hook: post-install")
		s.chart(t, "1.1.0", repaired)
		s.declare(t, "values: { size: 2 }")
		assert.ElementsMatch(t, []string{"both", "upgrade", "upgraded", "laterboth"}, willRun(t))
		s.up(t)
		now := s.succeeded(t)
		for _, name := range []string{"shop-earlier", "shop-later"} {
			assert.Equal(t, ran[name], now[name], name)
		}
		for _, name := range []string{"shop-both", "shop-laterboth"} {
			assert.NotEqual(t, ran[name], now[name], name)
		}
		assert.NotContains(t, now, "shop-never")
		s.previewEmpty(t)
	})
}

func TestAPlanOfAnInstallIsFollowed(t *testing.T) { // [H6]
	t.Parallel()
	s := newChartStory(t)
	s.env["PULUMI_EXPERIMENTAL"] = "true"
	s.chart(t, "1.0.0", webChart(nil))
	for _, replicas := range []string{"1", "2"} {
		s.declare(t, "values: { replicas: "+replicas+" }")
		s.run(t, "preview", "--save-plan", "plan.json")
		s.run(t, "up", "--yes", "--skip-preview", "--plan", "plan.json")
		s.previewEmpty(t)
	}
	assert.NotContains(t, s.exported(t), "randAlphaNum", "what the record remembers is secret")
}

func TestAReleaseThatIsHalfInstalledIsRefreshedByItsProgram(t *testing.T) { // [H6] [H14]
	t.Parallel()
	s := newChartStory(t)
	chart := map[string]string{
		"templates/settings.yaml": refusedSettings,
		"templates/first.yaml":    jobOf("first", "kwok", `helm.sh/hook: "pre-install,pre-upgrade"`),
		"templates/last.yaml":     jobOf("last", "kwok", "helm.sh/hook: post-install"),
	}
	s.chart(t, "1.0.0", chart)
	s.declare(t, "")
	s.upFails(t, "--skip-preview")
	ran := s.succeeded(t)
	require.Len(t, ran, 1)
	s.refresh(t, "--run-program")
	assert.Equal(t, ran, s.succeeded(t))
	step(t, "and its install still goes on", func(t *testing.T) {
		chart["templates/settings.yaml"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\n"
		s.chart(t, "1.0.1", chart)
		s.up(t)
		now := s.succeeded(t)
		assert.Equal(t, ran["shop-first"], now["shop-first"])
		assert.Contains(t, now, "shop-last")
		s.refresh(t, "--run-program")
		s.previewEmpty(t)
	})
}
