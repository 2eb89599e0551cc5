package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// limited writes customTimeouts into a program with one resource.
func (s chartStory) limited(t *testing.T, timeouts string) {
	t.Helper()
	s.program(t, "%s", strings.Replace(s.programText(t), "\noutputs:", "\n    options: {customTimeouts: {"+timeouts+"}}\noutputs:", 1))
}

func TestCustomTimeoutsOfAChartLimitItsHooksAndWaits(t *testing.T) { // [T8] [H6]
	t.Parallel()
	s := newChartStory(t)
	object := "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Release.Name }} }\n"
	files := map[string]string{
		"values.yaml": "kubelet: test\n", "templates/object.yaml": object, "templates/slow.yaml": jobOf("slow", "{{ .Values.kubelet }}", "helm.sh/hook: post-install"),
	}
	s.chart(t, "1.0.0", files)
	s.declare(t, "wait: all")
	s.limited(t, "create: 10s, update: 10s, delete: 10s")
	began := time.Now()
	assert.Contains(t, s.upFails(t), "Job "+s.space+"/shop-slow")
	assert.Less(t, time.Since(began), time.Minute, "ten minutes are the default")
	slow := s.job(t, "shop-slow")
	s.declare(t, "wait: all")
	s.limited(t, "create: 30m, update: 30m, delete: 10s")
	taskStory(s).ends(t, *slow, "{status: {phase: Succeeded}}")
	s.up(t)
	assert.Equal(t, slow.UID, s.job(t, "shop-slow").UID, "it is waited for, and not run again")
	s.previewEmpty(t)

	s.kube.merge(t, "v1/ConfigMap/"+s.space+"/shop", "{metadata: {finalizers: [example.com/hold]}}")
	r := s.exec(t, "destroy", "--yes", "--skip-preview")
	assert.Positive(t, r.code)
	assert.Contains(t, r.out, "example.com/hold")
	assert.Less(t, r.took, time.Minute, "five minutes are the default")
	s.kube.merge(t, "v1/ConfigMap/"+s.space+"/shop", "{metadata: {finalizers: null}}")
	s.destroy(t)
	s.tidy(t, s.kube)
}
