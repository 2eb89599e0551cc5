package releases_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
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

func TestAHookAfterTheObjectsFindsWorkloadsThatNeedAKeptHook(t *testing.T) { // [D91]
	for name, weight := range map[string]int{"that comes before it": -5, "that comes after it": 5} {
		t.Run(name, func(t *testing.T) {
			l, up := releaseOf(t)
			chart := func(image string) files {
				return files{
					"web.yaml":      strings.Replace(workload("web", "settings"), "web:1", image, 1),
					"settings.yaml": plain("ConfigMap", "settings", `a: "1"`, on("post-install,post-upgrade"), weighing(weight)),
					"welcome.yaml":  hookOf("welcome", "hook:1", "", on("post-install,post-upgrade")),
				}
			}
			for _, image := range []string{"web:1", "web:2"} {
				up(nil, chart(image))
				found := existedAt(t, l.runs(0), "welcome").existed["Deployment/web"]
				require.NotNil(t, found, "the hook runs before the workload")
				assert.Equal(t, image, imageOf(found), "the hook runs before the workload is updated")
			}
		})
	}
}

func TestAHookAfterTheObjectsFindsWhatAWebhookOfAKeptHookSees(t *testing.T) { // [D91]
	l, up := releaseOf(t)
	up(nil, files{
		"web.yaml": plain("ConfigMap", "web", `a: "1"`),
		"webhook.yaml": "---\napiVersion: v1\nkind: Service\nmetadata: { name: webhook }\nspec: { ports: [{ port: 443 }] }\n" + fmt.Sprintf(`---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: %[1]s, annotations: { helm.sh/hook: "post-install" } }
webhooks:
  - name: web.%[1]s.example
    clientConfig: { service: { name: webhook, namespace: %[1]s } }
    namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: %[1]s } }
    rules: [{ apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps] }]
    sideEffects: None
    admissionReviewVersions: [v1]
`, l.space),
		"welcome.yaml": hookOf("welcome", "hook:1", "", on("post-install")),
	})
	assert.Contains(t, existedAt(t, l.runs(0), "welcome").existed, "ConfigMap/web", "the hook runs before the objects")
}

// imageOf is the image of the first container of a Deployment.
func imageOf(live *unstructured.Unstructured) any {
	containers, _, _ := unstructured.NestedSlice(live.Object, "spec", "template", "spec", "containers")
	return containers[0].(map[string]any)["image"]
}

func TestAHookOfUpgradesRunsBeforeTheOperatorOfAKeptHookIsUpdated(t *testing.T) { // [D101]
	l, up := releaseOf(t)
	group := l.space + ".example"
	for _, image := range []string{"web:1", "web:2"} {
		up(nil, files{
			"definition.yaml": fmt.Sprintf(`---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: shops.%[1]s }
spec:
  group: %[1]s
  names: { kind: Shop, plural: shops }
  scope: Namespaced
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } } }]
`, group),
			"operator.yaml": plain("ServiceAccount", "operator", "") + fmt.Sprintf(`---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: operator }
rules: [{ apiGroups: [%q], resources: [shops], verbs: ["*"] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: operator }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: operator }
subjects: [{ kind: ServiceAccount, name: operator }]
`, group) + strings.NewReplacer("web:1", image, "spec: { containers", "spec: { serviceAccountName: operator, containers").Replace(workload("operator", "none")),
			"shop.yaml": fmt.Sprintf("---\napiVersion: %s/v1\nkind: Shop\nmetadata: { name: shop, annotations: { %s, %s } }\n",
				group, on("pre-install,pre-upgrade"), weighing(-5)),
			"migrate.yaml": hookOf("migrate", "hook:1", "", on("pre-install,pre-upgrade")),
		})
	}
	found := existedAt(t, l.runs(0), "migrate").existed["Deployment/operator"]
	require.NotNil(t, found)
	assert.Equal(t, "web:1", imageOf(found), "the Deployment is updated before the hook runs")
	assert.NotContains(t, existedAt(t, l.runs(0)[:1], "migrate").existed, "Deployment/operator", "nor is it there before the hook of the install")
}

func TestAFailedHookOfInstallsThatBecomesOneOfUpgrades(t *testing.T) { // [D90]
	l := newLife(t)
	declare := func(version, hook string) {
		folder := l.chart("web", version, files{"templates/web.yaml": plain("ConfigMap", "web", "a: "+version), "templates/migrate.yaml": hook})
		l.declare(program{"shop": l.release(folder, nil)})
	}
	declare("1.0.0", hookOf("migrate", "fails:1", "", on("pre-install")))
	l.fails(engine.Up, engine.Options{})
	before := len(l.runs(0))
	declare("1.0.1", hookOf("migrate", "hook:1", "", on("pre-upgrade")))
	l.up(engine.Options{})
	assert.Empty(t, jobs(l.runs(before)), "a hook of upgrades runs in an install")
	l.up(engine.Options{ExpectNoChanges: true})
	declare("1.0.2", hookOf("migrate", "hook:1", "", on("pre-upgrade")))
	l.up(engine.Options{})
	assert.Equal(t, []string{"migrate"}, jobs(l.runs(before)), "the next change is an upgrade")
}

func TestTheHookOfAnInstalledReleaseIsMissingInTheState(t *testing.T) { // [D99]
	l, up := releaseOf(t)
	chart := func(a string) files {
		return files{
			"web.yaml":     plain("ConfigMap", "web", "a: "+a),
			"migrate.yaml": hookOf("migrate", "hook:1", "", on("pre-install"), deletedWhen("hook-succeeded")),
			"upgrade.yaml": hookOf("upgrade", "hook:1", "", on("pre-upgrade"), deletedWhen("hook-succeeded")),
		}
	}
	up(nil, chart("one"))
	lose := func() {
		played.expire(l.space)
		l.forget(l.urn("shop:batch/Job.migrate"))
		l.forget(l.urn("shop:batch/Job.upgrade"))
	}
	lose()
	before := len(l.runs(0))
	up(nil, chart("one"))
	assert.Empty(t, jobs(l.runs(before)), "the install hook runs again")
	lose()
	up(nil, chart("two"))
	assert.Equal(t, []string{"upgrade"}, jobs(l.runs(before)), "an upgrade runs its own hooks")
}

// maintained is a life whose release has a hook that begins an upgrade, one in the middle and one that ends it.
func maintained(t testing.TB) (l *life, declare func(version, middle string)) {
	l = newLife(t)
	return l, func(version, middle string) {
		folder := l.chart("web", version, files{
			"templates/web.yaml":    plain("ConfigMap", "web", "a: "+version),
			"templates/begin.yaml":  hookOf("begin", "hook:1", "", on("pre-upgrade"), weighing(1)),
			"templates/middle.yaml": hookOf("middle", middle, "", on("pre-upgrade"), weighing(2)),
			"templates/end.yaml":    hookOf("end", "hook:1", "", on("post-upgrade")),
		})
		l.declare(program{"shop": l.release(folder, nil)})
	}
}

func TestAnUpgradeThatHasBegunEnds(t *testing.T) { // [D100]
	l, declare := maintained(t)
	declare("1.0.0", "hook:1")
	l.up(engine.Options{})
	declare("1.0.1", "fails:1")
	l.fails(engine.Up, engine.Options{})
	assert.Equal(t, []string{"begin", "middle (failed)"}, jobs(l.runs(0)))
	t.Run("where it is repaired", func(t *testing.T) {
		l.fails(engine.Up, engine.Options{})
		assert.Equal(t, []string{"middle (failed)"}, jobs(l.runs(2)), "what has succeeded in it does not run again")
	})
	t.Run("where the program goes back", func(t *testing.T) {
		declare("1.0.0", "hook:1")
		l.up(engine.Options{})
		assert.Equal(t, []string{"begin", "middle", "end"}, jobs(l.runs(3)), "nothing ends the maintenance that the upgrade has begun")
		l.up(engine.Options{ExpectNoChanges: true})
	})
	t.Run("and the next one begins", func(t *testing.T) {
		declare("1.0.1", "hook:1")
		out := l.succeeds(engine.Preview, engine.Options{}).Output
		for _, job := range []string{"begin", "middle", "end"} {
			assert.Contains(t, out, "/"+job+" will run")
		}
		l.up(engine.Options{})
		declare("1.0.0", "hook:1")
		l.up(engine.Options{})
		assert.Equal(t, []string{"begin", "middle", "end", "begin", "middle", "end"}, jobs(l.runs(6)), "there and back are two upgrades")
		l.up(engine.Options{ExpectNoChanges: true})
		assert.Len(t, l.runs(0), 12)
	})
}

func TestAnUpgradeThatIsLimitedToAHookGoesOn(t *testing.T) { // [D100]
	l, declare := maintained(t)
	declare("1.0.0", "hook:1")
	l.up(engine.Options{})
	declare("1.0.1", "hook:1")
	record := l.urn("ChartRecord::shop")
	l.up(engine.Options{Targets: []string{record, l.urn(":batch/Job.begin")}})
	assert.Equal(t, []string{"begin"}, jobs(l.runs(0)))
	l.up(engine.Options{})
	assert.Equal(t, []string{"begin", "middle", "end"}, jobs(l.runs(0)), "it was not over")
	l.up(engine.Options{ExpectNoChanges: true})
}
