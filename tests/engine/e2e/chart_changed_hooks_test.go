package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// accountOf is the template of an account with these annotations.
func accountOf(annotations string) string {
	return "apiVersion: v1\nkind: ServiceAccount\nmetadata: { name: account, annotations: { " + annotations + " } }\n"
}

// changedHooks is a release whose chart changes one template.
func changedHooks(t *testing.T, files map[string]string) (s chartStory, change func(version, name, text string)) {
	t.Helper()
	s = newChartStory(t)
	change = func(version, name, text string) {
		files[name] = text
		s.chart(t, version, files)
	}
	s.chart(t, "1.0.0", files)
	s.declare(t, "")
	s.up(t)
	s.previewEmpty(t)
	return s, change
}

const keptForBoth = `helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-weight: "-1"`

func TestAVersionDeletesWhatAHookOfTheFormerOneHasLeft(t *testing.T) { // [H6]
	t.Parallel()
	const goes = keptForBoth + `, helm.sh/hook-delete-policy: "before-hook-creation,hook-succeeded"`
	s, change := changedHooks(t, map[string]string{
		"templates/account.yaml": accountOf(keptForBoth),
		"templates/migrate.yaml": jobOf("migrate", "kwok", `helm.sh/hook: "pre-install,pre-upgrade"`),
	})
	account := "v1/ServiceAccount/" + s.space + "/account"
	s.kube.get(t, account)
	change("2.0.0", "templates/account.yaml", accountOf(goes))
	s.preview(t)
	s.kube.get(t, account)
	s.up(t)
	s.kube.gone(t, account)
	s.previewEmpty(t)
	step(t, "and the next one keeps it again", func(t *testing.T) {
		change("3.0.0", "templates/account.yaml", accountOf(keptForBoth))
		s.up(t)
		s.kube.get(t, account)
		s.previewEmpty(t)
		s.destroy(t)
		s.kube.get(t, account)
		assert.Empty(t, s.export(t).resources)
	})
}

func TestAHookOfInstallsAndDeletionsBecomesOneOfDeletionsAlone(t *testing.T) { // [H6] [H7]
	t.Parallel()
	s, change := changedHooks(t, map[string]string{
		"templates/account.yaml": accountOf(`helm.sh/hook: "pre-install,pre-delete"`),
		"templates/cleanup.yaml": jobOf("cleanup", "kwok", "helm.sh/hook: pre-delete", `helm.sh/hook-weight: "1"`),
	})
	account := "v1/ServiceAccount/" + s.space + "/account"
	first := s.uids(t, account)
	change("2.0.0", "templates/account.yaml", accountOf("helm.sh/hook: pre-delete"))
	s.up(t)
	assert.Equal(t, first, s.uids(t, account))
	s.previewEmpty(t)
	s.destroy(t)
	assert.NotEqual(t, first, s.uids(t, account), "it was made for the hooks, as Helm does")
	assert.Contains(t, s.succeeded(t), "shop-cleanup")
	assert.Empty(t, s.export(t).resources)
}

func TestAnObjectBecomesAHook(t *testing.T) { // [H6]
	t.Parallel()
	const both = `helm.sh/hook: "post-install,post-upgrade"`
	plain := func(kubelet string) string {
		return strings.Replace(jobOf("migrate", kubelet), "  annotations: {  }\n", "", 1)
	}
	t.Run("a Job that has ended makes room", func(t *testing.T) {
		t.Parallel()
		s, change := changedHooks(t, map[string]string{"templates/migrate.yaml": plain("kwok")})
		eventually(t, "it ends", func() bool { return s.succeeded(t)["shop-migrate"] != "" })
		first := s.succeeded(t)["shop-migrate"]
		change("2.0.0", "templates/migrate.yaml", jobOf("migrate", "kwok", both))
		s.preview(t)
		assert.Equal(t, first, s.succeeded(t)["shop-migrate"])
		s.up(t)
		assert.NotEmpty(t, s.succeeded(t)["shop-migrate"])
		assert.NotEqual(t, first, s.succeeded(t)["shop-migrate"], "the object that the release had does not take the hook's with it")
		s.previewEmpty(t)
		s.destroy(t)
		assert.Nil(t, s.job(t, "shop-migrate"))
	})
	t.Run("one that runs is left alone", func(t *testing.T) {
		t.Parallel()
		s, change := changedHooks(t, map[string]string{"templates/migrate.yaml": plain("test")})
		first := s.job(t, "shop-migrate").UID
		change("2.0.0", "templates/migrate.yaml", jobOf("migrate", "kwok", both))
		assert.Contains(t, s.upFails(t), "Job "+s.space+"/shop-migrate, an object of the release, has not ended. It was not touched.")
		assert.Equal(t, first, s.job(t, "shop-migrate").UID)
	})
	t.Run("one that holds data too", func(t *testing.T) {
		t.Parallel()
		const claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: { name: data, annotations: { ANNOTATIONS } }\n" +
			"spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }\n"
		s, change := changedHooks(t, map[string]string{
			"templates/data.yaml":    replaceAll(claim, "ANNOTATIONS", ""),
			"templates/migrate.yaml": jobOf("migrate", "kwok", `helm.sh/hook: "pre-install,pre-upgrade"`),
		})
		first := s.uids(t, "v1/PersistentVolumeClaim/"+s.space+"/data")
		change("2.0.0", "templates/data.yaml", replaceAll(claim, "ANNOTATIONS", keptForBoth+", helm.sh/hook-delete-policy: hook-succeeded"))
		s.upFails(t)
		assert.Equal(t, first, s.uids(t, "v1/PersistentVolumeClaim/"+s.space+"/data"))
	})
}
