package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const passing = `helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-weight: "-5", helm.sh/hook-delete-policy: "before-hook-creation,hook-succeeded"`

func TestAnObjectOfTheReleaseIsAlsoThereForItsHooks(t *testing.T) { // [H6]
	t.Parallel()
	files := map[string]string{
		"templates/account.yaml": accountOf(""),
		"templates/migrate.yaml": jobOf("migrate", "kwok", `helm.sh/hook: "pre-install,pre-upgrade"`),
	}
	s, change := changedHooks(t, files)
	account := "v1/ServiceAccount/" + s.space + "/account"
	before := s.uids(t, account)
	change("2.0.0", "templates/hook-account.yaml", accountOf(passing))
	s.preview(t)
	s.up(t)
	assert.Equal(t, before, s.uids(t, account), "the hook finds it, and does not make room")
	s.previewEmpty(t)

	step(t, "from the first version on", func(t *testing.T) {
		s.destroy(t)
		s.kube.gone(t, account)
		s.up(t)
		s.kube.get(t, account)
		s.previewEmpty(t)
	})
	step(t, "but what a hook runs is no object of the release", func(t *testing.T) {
		change("3.0.0", "templates/plain.yaml", "apiVersion: batch/v1\nkind: Job\nmetadata: { name: shop-migrate }\n"+
			"spec: { template: { spec: { restartPolicy: Never, containers: [{ name: main, image: other }] } } }\n")
		out := s.upFails(t)
		assert.Contains(t, out, "is a hook in web/templates/migrate.yaml and an object of the release in web/templates/plain.yaml")
		s.kube.get(t, account)
	})
}

func TestWhatAHookNeedsComesWithAllThatItNeeds(t *testing.T) { // [H6]
	t.Parallel()
	s := newChartStory(t)
	inside := func(template, namespace string) string {
		return strings.Replace(template, "metadata: { ", "metadata: { namespace: "+namespace+", ", 1)
	}
	own := s.space + "-own"
	s.chart(t, "1.0.0", map[string]string{
		"templates/namespace.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: { name: " + own + " }\n",
		"templates/kept.yaml":      inside(accountOf(`helm.sh/hook: "pre-install", helm.sh/hook-weight: "-5"`), own),
		"templates/migrate.yaml":   jobOf("migrate", "kwok", `helm.sh/hook: "pre-install"`),
	})
	s.declare(t, "")
	out := s.up(t)
	hook := strings.Index(out, "shop:batch/Job.shop-migrate creating")
	for _, needed := range []string{"shop:Namespace." + own + " created", "shop:ServiceAccount." + own + ".account created"} {
		at := strings.Index(out, needed)
		assert.Positive(t, at, "%s\n%s", needed, out)
		assert.Less(t, at, hook, needed)
	}
	s.previewEmpty(t)
}

func TestAHookOfInstallsDoesNotRunInAnUpgradeThatGivesItAnotherStage(t *testing.T) { // [H6]
	t.Parallel()
	s, change := changedHooks(t, map[string]string{
		"templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\n",
		"templates/setup.yaml":  jobOf("setup", "kwok", `helm.sh/hook: "pre-install"`),
	})
	first := s.succeeded(t)["shop-setup"]
	assert.NotEmpty(t, first)
	release := s.kube.value(t, "batch/v1/Job/"+s.space+"/shop-setup", "metadata", "annotations", "k8sconnect.io/release")
	assert.Regexp(t, "^.+/test/"+s.space+"/shop$", release, "hooks of another stack are those of others")
	change("2.0.0", "templates/setup.yaml", jobOf("setup", "kwok", `helm.sh/hook: "post-install"`))
	s.up(t)
	if after := s.succeeded(t)["shop-setup"]; after != "" {
		assert.Equal(t, first, after, "it has run once")
	}
	s.previewEmpty(t)
}

func TestAHookNeedsAnObjectWhoseValuesAreNotKnownInThePreview(t *testing.T) { // [D93] [H8] [H10]
	t.Parallel()
	s := newChartStory(t)
	s.chart(t, "1.0.0", map[string]string{
		"templates/secret.yaml": "apiVersion: v1\nkind: Secret\nmetadata: { name: token, annotations: { " + passing + " } }\n" +
			"stringData: { drawn: {{ randAlphaNum 16 }}, given: {{ .Values.given | default \"none\" }} }\n",
		"templates/first.yaml":  jobOf("first", "kwok", `helm.sh/hook: "pre-install,pre-upgrade"`),
		"templates/second.yaml": jobOf("second", "kwok", `helm.sh/hook: "pre-install,pre-upgrade"`),
	})
	s.declare(t, "")
	out := s.preview(t)
	assert.Contains(t, out, "Job "+s.space+"/shop-first will run: it is new.")
	assert.Contains(t, out, "Job "+s.space+"/shop-second will run: it is new.")
	s.up(t)
	ran := s.succeeded(t)
	assert.Len(t, ran, 2)
	s.kube.gone(t, "v1/Secret/"+s.space+"/token")
	s.previewEmpty(t)

	step(t, "nor in that of an upgrade", func(t *testing.T) {
		s.declare(t, "values: { given: \"${settings.resourceRef.uid}\" }")
		s.file(t, "Pulumi.yaml", "name: "+s.project+"\nruntime: yaml\n"+strings.Replace(s.programText(t), "resources:\n", "resources:\n  settings:\n    type: k8sconnect:KubeObject\n"+
			"    properties: { manifest: { apiVersion: v1, kind: ConfigMap, metadata: { name: settings, namespace: "+s.space+" } } }\n", 1))
		s.preview(t)
		s.up(t)
		after := s.succeeded(t)
		for _, name := range []string{"shop-first", "shop-second"} {
			assert.NotEqual(t, ran[name], after[name], name)
		}
		s.kube.gone(t, "v1/Secret/"+s.space+"/token")
		s.previewEmpty(t)
	})
}
