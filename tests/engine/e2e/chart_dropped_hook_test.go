package e2e

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAHookOfDeletionsThatAVersionDropsAndALaterOneBringsBack(t *testing.T) { // [H6] [H7]
	t.Parallel()
	s := newChartStory(t)
	account := "v1/ConfigMap/" + s.space + "/account"
	with := map[string]string{
		"templates/account.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: account, annotations: { helm.sh/hook: \"pre-install,pre-delete\" } }\ndata: { version: {{ .Chart.Version | quote }} }\n",
		"templates/cleanup.yaml": jobOf("cleanup", "kwok", "helm.sh/hook: pre-delete", `helm.sh/hook-weight: "1"`),
		"templates/object.yaml":  "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: object }\ndata: { version: {{ .Chart.Version | quote }} }\n",
	}
	with["templates/seed.yaml"] = jobOf("seed", "kwok", "helm.sh/hook: pre-install")
	without := maps.Clone(with)
	delete(without, "templates/account.yaml")
	delete(without, "templates/seed.yaml")
	s.chart(t, "1.0.0", with)
	s.declare(t, "")
	s.up(t)
	first := s.uids(t, account)
	s.previewEmpty(t)
	step(t, "it stays when a version drops it", func(t *testing.T) {
		s.chart(t, "2.0.0", without)
		s.up(t)
		assert.Equal(t, first, s.uids(t, account))
		s.previewEmpty(t)
	})
	step(t, "it is found again when a version brings it back", func(t *testing.T) {
		s.chart(t, "3.0.0", with)
		assert.NotContains(t, s.preview(t), "will run")
		s.up(t)
		assert.Equal(t, first, s.uids(t, account))
		assert.Equal(t, "3.0.0", s.kube.value(t, account, "data", "version"))
		assert.NotContains(t, s.succeeded(t), "shop-seed", "no hook of installs runs again")
		s.previewEmpty(t)
	})
	step(t, "it stays at the end, and the hook that needs it runs", func(t *testing.T) {
		s.destroy(t)
		assert.Contains(t, s.succeeded(t), "shop-cleanup")
		assert.Equal(t, first, s.uids(t, account))
		assert.Empty(t, s.export(t).resources)
	})
}

func TestADeleteHookThatTheAPIServerRefuses(t *testing.T) { // [D76] [H7]
	t.Parallel()
	s := newChartStory(t)
	s.chart(t, "1.0.0", webChart(map[string]string{
		"templates/hook-cleanup.yaml": strings.ReplaceAll(jobOf("cleanup", "kwok", "helm.sh/hook: pre-delete"), "\nspec:", "\nspec:\n  completions: -1"),
	}))
	s.declare(t, "")
	const foretold = "a destroy would fail, because the API server refuses it: cannot create Job"
	step(t, "is a warning of the preview, and no update fails by it", func(t *testing.T) {
		assert.Contains(t, s.preview(t), foretold)
		s.up(t)
		s.previewEmpty(t)
	})
	step(t, "fails the destroy before anything is deleted", func(t *testing.T) {
		assert.Contains(t, s.runFails(t, "destroy", "--yes", "--skip-preview"), "completions")
		s.kube.get(t, "v1/Secret/"+s.space+"/shop-auth")
	})
	step(t, "and a version that corrects it runs it", func(t *testing.T) {
		s.chart(t, "1.0.1", webChart(nil))
		assert.NotContains(t, s.preview(t), foretold)
		s.up(t)
		s.destroy(t)
		assert.Contains(t, s.succeeded(t), "shop-cleanup")
	})
}
