package releases_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine/defects"
)

// hookOf is the template of a hook that runs, with a word of its image before the colon: it succeeds, fails: or waits:.
func hookOf(name, image, account string, annotations ...string) string {
	if account != "" {
		account = "serviceAccountName: " + account + ", "
	}
	return fmt.Sprintf("---\napiVersion: batch/v1\nkind: Job\nmetadata: { name: %s, annotations: { %s } }\n"+
		"spec: { backoffLimit: 0, template: { spec: { %srestartPolicy: Never, containers: [{ name: main, image: %q }] } } }\n",
		name, strings.Join(annotations, ", "), account, image)
}

func on(events string) string { return fmt.Sprintf("helm.sh/hook: %q", events) }

func weighing(weight int) string { return fmt.Sprintf("helm.sh/hook-weight: \"%d\"", weight) }

func deletedWhen(policies string) string {
	return fmt.Sprintf("helm.sh/hook-delete-policy: %q", policies)
}

// plain is the template of an object that is but a name, with what its data have, such as "a: b".
func plain(kind, name, data string, annotations ...string) string {
	text := fmt.Sprintf("---\napiVersion: v1\nkind: %s\nmetadata: { name: %s, annotations: { %s } }\n", kind, name, strings.Join(annotations, ", "))
	if data != "" {
		text += "data: { " + data + " }\n"
	}
	return text
}

// workload is the template of a Deployment that has the data of a ConfigMap in its environment.
func workload(name, configMap string) string {
	return fmt.Sprintf(`---
apiVersion: apps/v1
kind: Deployment
metadata: { name: %[1]s }
spec:
  replicas: 1
  selector: { matchLabels: { app: %[1]s } }
  template:
    metadata: { labels: { app: %[1]s } }
    spec: { containers: [{ name: main, image: "web:1", envFrom: [{ configMapRef: { name: %[2]s } }] }] }
`, name, configMap)
}

// existedAt are the objects that were there when a Job ran for the last time.
func existedAt(t testing.TB, runs []run, job string) run {
	t.Helper()
	for _, r := range slices.Backward(runs) {
		if r.job == job {
			return r
		}
	}
	require.Fail(t, "the hook has not run", "%s: %v", job, jobs(runs))
	return run{}
}

func TestAHookAfterTheObjectsWaitsForWorkloadsThatNeedAKeptHook(t *testing.T) {
	defects.Open(t, "[D91]", "the hook runs before the workload", func(t testing.TB) {
		l, up := releaseOf(t)
		up(nil, files{
			"web.yaml":      workload("web", "settings"),
			"settings.yaml": plain("ConfigMap", "settings", `a: "1"`, on("post-install,post-upgrade"), weighing(-5)),
			"welcome.yaml":  hookOf("welcome", "hook:1", "", on("post-install")),
		})
		assert.Contains(t, existedAt(t, l.runs(0), "welcome").existed, "Deployment/web", "the hook runs before the workload")
	})
}

func TestHooksOfOneEventShareAnObject(t *testing.T) {
	defects.Open(t, "[D93]", "another claim", func(t testing.TB) {
		l, up := releaseOf(t)
		up(nil, files{
			"data.yaml":   plain("ServiceAccount", "data", "", on("pre-install"), weighing(-5), deletedWhen("hook-succeeded")),
			"first.yaml":  hookOf("first", "hook:1", "", on("pre-install"), weighing(1)),
			"second.yaml": hookOf("second", "hook:1", "", on("pre-install"), weighing(2)),
		})
		first, second := existedAt(t, l.runs(0), "first").existed["ServiceAccount/data"], existedAt(t, l.runs(0), "second").existed["ServiceAccount/data"]
		require.NotNil(t, first)
		require.NotNil(t, second)
		assert.Equal(t, first.GetUID(), second.GetUID(), "the second hook finds another claim than the first one has filled")
	})
}

func TestAFailedHookOfInstallsThatBecomesOneOfUpgrades(t *testing.T) {
	defects.Open(t, "[D90]", "a hook of upgrades runs in an install", func(t testing.TB) {
		l := newLife(t)
		declare := func(version, hook string) {
			folder := l.chart("web", version, files{"templates/web.yaml": plain("ConfigMap", "web", `a: "1"`), "templates/migrate.yaml": hook})
			l.declare(program{"shop": l.release(folder, nil)})
		}
		declare("1.0.0", hookOf("migrate", "fails:1", "", on("pre-install")))
		l.fails(engine.Up, engine.Options{})
		before := len(l.runs(0))
		declare("1.0.1", hookOf("migrate", "hook:1", "", on("pre-upgrade")))
		l.up(engine.Options{})
		assert.Empty(t, jobs(l.runs(before)), "a hook of upgrades runs in an install")
	})
}

func TestTheHookOfAnInstalledReleaseIsMissingInTheState(t *testing.T) {
	defects.Open(t, "[D99]", "the install hook runs again", func(t testing.TB) {
		l, up := releaseOf(t)
		chart := files{"web.yaml": plain("ConfigMap", "web", `a: "1"`), "migrate.yaml": hookOf("migrate", "hook:1", "", on("pre-install"), deletedWhen("hook-succeeded"))}
		up(nil, chart)
		played.expire(l.space)
		l.forget(l.urn("shop:batch/Job.migrate"))
		before := len(l.runs(0))
		up(nil, chart)
		assert.Empty(t, jobs(l.runs(before)), "the install hook runs again")
	})
}

func TestAnUpgradeThatHasBegunEnds(t *testing.T) {
	defects.Open(t, "[D100]", "nothing ends the maintenance", func(t testing.TB) {
		l := newLife(t)
		declare := func(version, image string) {
			folder := l.chart("web", version, files{
				"templates/web.yaml":    plain("ConfigMap", "web", "a: "+version),
				"templates/begin.yaml":  hookOf("begin", "hook:1", "", on("pre-upgrade"), weighing(1)),
				"templates/middle.yaml": hookOf("middle", image, "", on("pre-upgrade"), weighing(2)),
				"templates/end.yaml":    hookOf("end", "hook:1", "", on("post-upgrade")),
			})
			l.declare(program{"shop": l.release(folder, nil)})
		}
		declare("1.0.0", "hook:1")
		l.up(engine.Options{})
		declare("1.0.1", "fails:1")
		l.fails(engine.Up, engine.Options{})
		require.Contains(t, jobs(l.runs(0)), "begin")
		declare("1.0.0", "hook:1")
		l.up(engine.Options{})
		ran := jobs(l.runs(0))
		assert.Equal(t, "end", ran[len(ran)-1], "nothing ends the maintenance that the upgrade has begun: %v", ran)
	})
}
