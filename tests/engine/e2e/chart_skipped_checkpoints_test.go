package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"
)

// twentySettings are the ConfigMaps of a chart, settings-0 and so on, with a value of the program.
const twentySettings = `{{- range $i := until 20 }}
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings-{{ $i }} }
data: { round: {{ $.Values.round | default "one" | quote }} }
{{- end }}
`

// killedAfter runs an update, and kills the CLI and the provider once so many ConfigMaps have been written.
func (s chartStory) killedAfter(t *testing.T, proxy *faulty, writes int64) {
	t.Helper()
	enough := make(chan struct{})
	var written atomic.Int64
	proxy.strike(func(r *http.Request) bool {
		return strings.Contains(r.URL.Path, "/configmaps/settings-") && r.Method != http.MethodGet && r.URL.Query().Get("dryRun") == ""
	}, func(*faulty, *http.Response) error {
		if written.Add(1) == writes {
			close(enough)
		}
		return nil
	})
	running := s.start(t, "up", "--yes", "--skip-preview")
	select {
	case <-enough:
	case <-time.After(patience):
		t.Fatalf("the writes did not come: %v", running.wait(t))
	}
	s.kill(t, running)
	require.Equal(t, -1, running.wait(t).code)
	proxy.heal()
	s.run(t, "cancel", "--yes")
}

// uidsOfSettings are those of the settings that are there.
func (s chartStory) uidsOfSettings(t *testing.T) map[string]any {
	t.Helper()
	uids := map[string]any{}
	for i := range 20 {
		id := fmt.Sprintf("v1/ConfigMap/%s/settings-%d", s.space, i)
		if found := s.kube.find(t, id); found != nil {
			uids[id] = found.GetUID()
		}
	}
	return uids
}

func TestAChartWithoutCheckpoints(t *testing.T) { // [O87] [H9]
	t.Parallel()
	const skip = "PULUMI_SKIP_CHECKPOINTS"
	story := func(t *testing.T) (chartStory, *faulty) {
		t.Helper()
		s := newChartStory(t)
		proxy := newFaulty(t, s.cluster)
		s.connectAs(t, proxy.User)
		return s, proxy
	}
	t.Run("that draws nothing continues after a kill, with the same objects", func(t *testing.T) {
		t.Parallel()
		s, proxy := story(t)
		s.env[skip] = "true"
		s.chart(t, "1.0.0", map[string]string{
			"templates/settings.yaml": twentySettings,
			"templates/migrate.yaml":  jobOf("migrate", "kwok", `helm.sh/hook: "pre-install,pre-upgrade"`),
		})
		s.declare(t, "")
		run := func() types.UID {
			require.Len(t, s.succeeded(t), 1)
			return s.job(t, "shop-migrate").GetUID()
		}
		for _, killedAt := range []int64{1, 10} {
			s.killedAfter(t, proxy, killedAt)
			require.Empty(t, s.export(t).resources, "nothing is saved")
		}
		made, before := s.uidsOfSettings(t), run()
		require.NotEmpty(t, made)
		s.up(t)
		assert.NotEqual(t, before, run(), "nothing remembers that the hook has run")
		all := s.uidsOfSettings(t)
		assert.Len(t, all, 20)
		assert.Subset(t, all, made)

		s.declare(t, "values: { round: two }")
		s.killedAfter(t, proxy, 10)
		s.up(t)
		s.previewEmpty(t)
		assert.Equal(t, all, s.uidsOfSettings(t))
		s.destroy(t)
		assert.Empty(t, s.uidsOfSettings(t))
	})
	t.Run("that has to draw fails before it makes anything, and keeps what it has drawn", func(t *testing.T) {
		t.Parallel()
		s, proxy := story(t)
		secret := "v1/Secret/" + s.space + "/auth"
		s.chart(t, "1.0.0", map[string]string{
			"templates/settings.yaml": twentySettings,
			"templates/auth.yaml":     "apiVersion: v1\nkind: Secret\nmetadata: { name: auth }\nstringData: { password: {{ randAlphaNum 16 }} }\n",
		})
		s.declare(t, "")
		s.env[skip] = "true"
		for _, fails := range []func(testing.TB, ...string) string{s.previewFails, s.upFails} {
			out := fails(t)
			assert.Contains(t, out, "the chart draws random values, and with PULUMI_SKIP_CHECKPOINTS they would be lost if the CLI is killed: web/templates/auth.yaml|password@Secret/auth")
			assert.Contains(t, out, "Next: run the command once without PULUMI_SKIP_CHECKPOINTS")
		}
		assert.Empty(t, s.uidsOfSettings(t))
		s.kube.gone(t, secret)

		delete(s.env, skip)
		s.up(t)
		drawn, uids := s.kube.value(t, secret, "data", "password"), s.uidsOfSettings(t)

		s.env[skip] = "true"
		s.declare(t, "values: { round: two }")
		s.killedAfter(t, proxy, 10)
		s.up(t)
		s.previewEmpty(t)
		assert.Equal(t, drawn, s.kube.value(t, secret, "data", "password"))
		assert.Equal(t, uids, s.uidsOfSettings(t))

		s.declare(t, "values: { round: three }\nrotate: [password]")
		assert.Contains(t, s.upFails(t), "the chart draws random values")
		assert.Equal(t, drawn, s.kube.value(t, secret, "data", "password"))
		assert.Equal(t, "two", s.kube.value(t, "v1/ConfigMap/"+s.space+"/settings-0", "data", "round"))
		delete(s.env, skip)
		s.up(t)
		assert.NotEqual(t, drawn, s.kube.value(t, secret, "data", "password"))
		s.previewEmpty(t)
	})
}
