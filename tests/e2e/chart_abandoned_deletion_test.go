package e2e

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// interruptedAt destroys the release until the Job of a hook is there, and interrupts it.
func (s chartStory) interruptedAt(t *testing.T, job string) {
	t.Helper()
	c := s.start(t, "destroy", "--yes", "--skip-preview")
	eventually(t, job, func() bool { return s.job(t, job) != nil })
	c.signal(t, syscall.SIGINT)
	require.NotZero(t, c.wait(t).code)
}

func TestAReleaseIsNotInstalledUnderACleanUpThatStillRuns(t *testing.T) { // [H7]
	t.Parallel()
	s := newChartStory(t)
	s.chart(t, "1.0.0", map[string]string{
		"templates/secret.yaml": chartSecret, "templates/hooks.yaml": jobOf("clean", "test", "helm.sh/hook: post-delete"),
	})
	s.declare(t, "")
	s.up(t)
	secret := "v1/Secret/" + s.space + "/shop-auth"
	s.interruptedAt(t, "shop-clean")
	s.kube.gone(t, secret)
	out := s.preview(t)
	assert.Contains(t, out, "A deletion of the release has not come to its end.")
	assert.Contains(t, out, "Job "+s.space+"/shop-clean")

	up := s.startUp(t)
	up.prints(t, "shop:post-delete updating")
	s.kube.gone(t, secret)
	s.podFails(t, "shop-clean")
	require.Zero(t, up.wait(t).code)
	s.kube.get(t, secret)
	assert.Nil(t, s.job(t, "shop-clean"), "the next deletion runs it again")
	s.previewEmpty(t)
}

func TestHooksOfAnAbandonedDeletionRunAgainInTheNext(t *testing.T) { // [H7]
	t.Parallel()
	for _, name := range []string{"the same", "another"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newChartStory(t)
			files := map[string]string{
				"templates/backup.yaml": jobOf("backup", "kwok", "helm.sh/hook: pre-delete"),
				"templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Release.Name }} }\ndata: { size: {{ .Values.size | quote }} }\n",
				"templates/slow.yaml":   jobOf("slow", "test", "helm.sh/hook: pre-delete", `helm.sh/hook-weight: "1"`),
			}
			s.chart(t, "1.0.0", files)
			s.declare(t, "values: { size: 1 }")
			s.up(t)
			s.interruptedAt(t, "shop-slow")
			backup := s.succeeded(t)["shop-backup"]
			require.NotEmpty(t, backup)

			delete(files, "templates/slow.yaml")
			if name == "another" {
				files["templates/backup.yaml"] = strings.Replace(files["templates/backup.yaml"], "hook:1", "hook:2", 1)
			}
			s.chart(t, "1.1.0", files)
			s.declare(t, "values: { size: 2 }")
			s.up(t)
			assert.Nil(t, s.job(t, "shop-slow"), "nobody would look after it")
			s.previewEmpty(t)
			s.destroy(t)
			assert.NotEqual(t, backup, s.succeeded(t)["shop-backup"], "the release has changed since that backup")
		})
	}
}
