package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// drawnSecret is the template of a Secret whose password is drawn.
func drawnSecret(name string) string {
	return "---\napiVersion: v1\nkind: Secret\nmetadata: { name: " + name + " }\ndata: { password: {{ randAlphaNum 20 | b64enc }} }\n"
}

func TestWhatTheSecondAttackFoundInReleasesFromOutside(t *testing.T) {
	t.Parallel()

	t.Run("two Secrets that are renamed at once do not swap their passwords [D87]", func(t *testing.T) {
		t.Parallel()
		s := newChartStory(t)
		password := func(name string) any { return s.kube.value(t, "v1/Secret/"+s.space+"/"+name, "data", "password") }
		s.chart(t, "1.0.0", map[string]string{"templates/secrets.yaml": drawnSecret("admin") + drawnSecret("guest")})
		s.declare(t, "")
		s.up(t)
		admin, guest := password("admin"), password("guest")
		s.chart(t, "2.0.0", map[string]string{"templates/secrets.yaml": drawnSecret("visitor") + drawnSecret("administrator")})
		s.up(t)
		for _, name := range []string{"visitor", "administrator"} {
			assert.NotContains(t, []any{admin, guest}, password(name), name)
		}
		s.previewEmpty(t)
	})

	t.Run("a Task that has failed does not run where runOn no longer asks for it [D89]", func(t *testing.T) {
		t.Parallel()
		s := newTaskStory(t)
		s.declare(t, "test", "", "TTL", "activeDeadlineSeconds: 1")
		s.upFails(t)
		failed := s.job(t)
		s.declare(t, "kwok", "runOn: [delete]", "TTL", "")
		s.up(t)
		for _, job := range s.jobs(t) {
			assert.Equal(t, failed.UID, job.UID, "the clean-up runs on a living system")
		}
		s.previewEmpty(t)
	})

	t.Run("a hook after the objects finds a workload that needs another hook [D91]", func(t *testing.T) {
		t.Parallel()
		s := newChartStory(t)
		s.chart(t, "1.0.0", map[string]string{
			"templates/web.yaml": `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web, kubelet: kwok } }
    spec: { containers: [{ name: web, image: "web:1", envFrom: [{ configMapRef: { name: settings } }] }] }
`,
			"templates/settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings, annotations: { helm.sh/hook: post-install, helm.sh/hook-weight: \"5\" } }\n",
			"templates/welcome.yaml":  jobOf("welcome", "kwok", "helm.sh/hook: post-install"),
		})
		s.declare(t, "")
		out := s.up(t)
		workload, hook := strings.Index(out, "shop:apps/Deployment.web creating"), strings.Index(out, "shop:batch/Job.shop-welcome:after creating")
		require.Positive(t, workload, out)
		assert.Greater(t, hook, workload, out)
		s.previewEmpty(t)
	})

	t.Run("a release that moves takes what only its hooks have made along [D92]", func(t *testing.T) {
		t.Parallel()
		s := newChartStory(t)
		there := s.cluster.Namespace(t)
		s.chart(t, "1.0.0", map[string]string{
			"templates/web.yaml":     "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: web }\n",
			"templates/account.yaml": accountOf(`helm.sh/hook: pre-install, helm.sh/hook-weight: "-5"`),
			"templates/migrate.yaml": jobOf("migrate", "kwok", `helm.sh/hook: "pre-install,pre-upgrade"`),
		})
		s.declare(t, "")
		s.up(t)
		here := s.uids(t, "v1/ServiceAccount/"+s.space+"/account")
		moved := s
		moved.space = there
		moved.declare(t, "")
		moved.up(t)
		s.kube.get(t, "v1/ServiceAccount/"+there+"/account")
		s.kube.get(t, "v1/ConfigMap/"+there+"/web")
		assert.NotNil(t, moved.job(t, "shop-migrate"), "the release is installed there")
		assert.Equal(t, here, s.uids(t, "v1/ServiceAccount/"+s.space+"/account"), "it outlives the release, as with Helm")
		moved.previewEmpty(t)
	})

	t.Run("a Chart that is renamed keeps its claim [D94]", func(t *testing.T) {
		t.Parallel()
		s := newChartStory(t)
		s.chart(t, "1.0.0", map[string]string{"templates/claim.yaml": `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: "{{ .Release.Name }}-data" }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`})
		program := func(name, options string) {
			s.program(t, "%s", fmt.Sprintf("resources: { %s: { type: k8sconnect:Chart, properties: { chart: ./web, namespace: %s, wait: none }%s } }\n", name, s.space, options))
		}
		program("shop", "")
		s.up(t)
		claim := "v1/PersistentVolumeClaim/" + s.space + "/shop-data"
		before := s.uids(t, claim)
		program("store", ", options: { aliases: [{ name: shop }] }")
		preview := s.preview(t)
		assert.NotContains(t, preview, "to delete")
		assert.NotContains(t, preview, "to replace")
		s.up(t)
		assert.Equal(t, before, s.uids(t, claim))
		s.previewEmpty(t)
	})

	t.Run("a Task that is replaced runs no clean-up [D98]", func(t *testing.T) {
		t.Parallel()
		s := newTaskStory(t)
		s.declare(t, "kwok", "runOn: [delete]")
		s.up(t)
		s.up(t, "--replace", strings.Replace(s.urn("migrate"), "KubeObject", "Task", 1))
		assert.Empty(t, s.jobs(t), "the clean-up runs on a living system")
		s.previewEmpty(t)
	})
}
