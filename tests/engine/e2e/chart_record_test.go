package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatWasDrawnIsRememberedAsLongAsAnythingIsThere(t *testing.T) { // [H8]
	t.Parallel()
	for name, c := range map[string]struct {
		kubelet string
		loses   func(t *testing.T, s chartStory)
	}{
		"a destroy that goes on after a clean-up that fails": {"test", func(t *testing.T, s chartStory) {
			c := s.start(t, "destroy", "--yes", "--skip-preview", "--continue-on-error")
			s.podFails(t, "shop-clean")
			require.NotZero(t, c.wait(t).code)
		}},
		"an update without the chart that goes on": {"test", func(t *testing.T, s chartStory) {
			s.program(t, "")
			c := s.start(t, "up", "--yes", "--skip-preview", "--continue-on-error")
			s.podFails(t, "shop-clean")
			require.NotZero(t, c.wait(t).code)
			s.declare(t, "")
		}},
		"a destroy that leaves the Secret out": {"kwok", func(t *testing.T, s chartStory) {
			s.succeed(t, "destroy", "--yes", "--skip-preview", "--exclude", "**shop:Secret.shop-auth")
		}},
		"a destroy that leaves what is protected": {"kwok", func(t *testing.T, s chartStory) {
			s.succeed(t, "state", "protect", s.urnOf(t, "::shop:Secret.shop-auth"), "--yes")
			s.exec(t, "destroy", "--yes", "--skip-preview", "--exclude-protected")
		}},
		"a destroy of the record alone": {"kwok", func(t *testing.T, s chartStory) {
			r := s.exec(t, "destroy", "--yes", "--skip-preview", "--target", s.urnOf(t, "ChartRecord::shop"))
			assert.NotZero(t, r.code, r.out)
		}},
		"a record that is taken out of the state": {"kwok", func(t *testing.T, s chartStory) {
			r := s.exec(t, "state", "delete", "--yes", s.urnOf(t, "ChartRecord::shop"))
			assert.NotZero(t, r.code, r.out)
		}},
		"a record that is replaced": {"kwok", func(t *testing.T, s chartStory) {
			record := s.urnOf(t, "ChartRecord::shop")
			assert.NotContains(t, s.succeed(t, "preview", "--diff", "--replace", record).out, "will be drawn")
			s.succeed(t, "up", "--yes", "--skip-preview", "--replace", record)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newChartStory(t)
			s.chart(t, "1.0.0", map[string]string{
				"templates/secret.yaml": chartSecret, "templates/clean.yaml": jobOf("clean", c.kubelet, "helm.sh/hook: pre-delete"),
			})
			s.declare(t, "")
			s.up(t)
			first := s.password(t)
			c.loses(t, s)
			require.Equal(t, first, s.password(t))
			s.up(t)
			assert.Equal(t, first, s.password(t))
			s.previewEmpty(t)
		})
	}
}

// podFails has the pod of a Job fail.
func (s chartStory) podFails(t *testing.T, job string) {
	t.Helper()
	s.kube.status(t, s.kube.thePod(t, s.space, "batch.kubernetes.io/job-name="+job), `
status:
  phase: Failed
  containerStatuses:
  - {name: clean, image: "hook:1", imageID: "", ready: false, started: false, restartCount: 0, state: {terminated: {exitCode: 3, reason: Error}}}
`)
}

// urnOf is the URN that ends so.
func (s chartStory) urnOf(t *testing.T, end string) string {
	t.Helper()
	for _, r := range s.export(t).all {
		if strings.HasSuffix(r.URN, end) {
			return r.URN
		}
	}
	require.Failf(t, "not in the state", "%s", end)
	return ""
}

// password is the one that the chart has drawn.
func (s chartStory) password(t *testing.T) any {
	t.Helper()
	return s.kube.value(t, "v1/Secret/"+s.space+"/shop-auth", "data", "password")
}
