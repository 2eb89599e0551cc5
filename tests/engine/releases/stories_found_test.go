package releases_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine/defects"
)

// The stories of this file are what the search has found.

func TestAnObjectOfAHookOfUpgradesAloneGoesWithTheJobs(t *testing.T) {
	defects.Open(t, "[D140]", "stays after the upgrade", func(t testing.TB) {
		l, up := releaseOf(t)
		account := plain("ServiceAccount", "account", "", on("pre-upgrade"), weighing(-5))
		up(nil, files{"web.yaml": plain("ConfigMap", "web", `a: "1"`)})
		up(nil, files{"web.yaml": plain("ConfigMap", "web", `a: "2"`), "account.yaml": account, "migrate.yaml": hookOf("migrate", "hook:1", "", on("pre-upgrade"))})
		require.Contains(t, existedAt(t, l.runs(0), "migrate").existed, "ServiceAccount/account")
		assert.NotContains(t, l.live(l.space), "ServiceAccount/account", "it stays after the upgrade, as it would not if the first version had it")
	})
}

func TestAFailedUpgradeThatContinuesOnErrorLeavesAState(t *testing.T) {
	defects.Open(t, "[D141]", "snapshot integrity failure", func(t testing.TB) {
		l := newLife(t)
		declare := func(version, image, dropped string) {
			folder := l.chart("web", version, files{
				"templates/web.yaml":     plain("ConfigMap", "web", "a: "+version),
				"templates/migrate.yaml": hookOf("migrate", image, "", on("pre-upgrade")),
				"templates/dropped.yaml": dropped,
				"templates/cleanup.yaml": hookOf("cleanup", "hook:1", "", on("pre-delete")),
			})
			l.declare(program{"shop": l.release(folder, nil)})
		}
		declare("1.0.0", "hook:1", plain("ConfigMap", "dropped", ""))
		l.up(engine.Options{})
		declare("1.0.1", "fails:1", "")
		l.fails(engine.Up, engine.Options{ContinueOnError: true})
		declare("1.0.1", "hook:1", "")
		l.up(engine.Options{})
	})
}

func TestAReleaseIsInstalledAgainAfterADeleteHookHasMadeAnObject(t *testing.T) {
	defects.Open(t, "[D143]", "[ManagedElsewhere]", func(t testing.TB) {
		l, up := releaseOf(t)
		web := plain("ConfigMap", "web", `a: "1"`)
		up(nil, files{"web.yaml": web})
		later := files{"web.yaml": web, "account.yaml": plain("ServiceAccount", "account", "", on("pre-install,pre-delete"))}
		up(nil, later)
		l.succeeds(engine.Destroy, engine.Options{})
		up(nil, later)
	})
}

func TestAReleaseThatReturnsUnderAnotherNameFindsItsHooks(t *testing.T) {
	defects.Open(t, "[D144]", "[ManagedElsewhere]", func(t testing.TB) {
		l := newLife(t)
		folder := l.chart("web", "1.0.0", files{"templates/account.yaml": plain("ServiceAccount", "account", "", on("pre-install,pre-upgrade"))})
		in := func(namespace string) resource {
			return l.release(folder, map[string]any{"releaseName": "shop", "namespace": namespace})
		}
		for _, namespace := range []string{l.space, l.cluster.Namespace(t)} {
			l.declare(program{"shop": in(namespace)})
			l.up(engine.Options{})
		}
		l.declare(program{"store": formerly("shop", in(l.space))})
		l.up(engine.Options{})
	})
}

// keptAccount lets a hook's account leave the chart, which keeps it in the cluster, and come back. It returns how to declare the chart with it.
func keptAccount(l *life) func(name string, from ...string) {
	config := files{"templates/web.yaml": plain("ConfigMap", "web", `a: "1"`)}
	account := config.with(files{"templates/account.yaml": plain("ServiceAccount", "account", "", on("pre-install,pre-upgrade"))})
	declare := func(version string, content files, name string, from ...string) {
		r := l.release(l.chart("web", version, content), map[string]any{"releaseName": "shop"})
		if len(from) > 0 {
			r = formerly(from[0], r)
		}
		l.declare(program{name: r})
	}
	declare("1.0.0", account, "shop")
	l.up(engine.Options{})
	declare("2.0.0", config, "shop")
	l.up(engine.Options{})
	return func(name string, from ...string) { declare("3.0.0", account, name, from...) }
}

func TestAHookObjectThatComesBackBelongsToARenamedRelease(t *testing.T) {
	defects.Open(t, "[D144]", "[ManagedElsewhere]", func(t testing.TB) {
		l := newLife(t)
		back := keptAccount(l)
		back("store", "shop")
		l.up(engine.Options{})
	})
}

func TestARenamedReleaseGetsAHookObjectByItsFormerName(t *testing.T) { // [D144]
	l := newLife(t)
	back := keptAccount(l)
	kept := l.get("ServiceAccount/account").GetUID()
	back("store", "shop")
	l.fails(engine.Up, engine.Options{})
	back("shop", "store")
	l.up(engine.Options{})
	back("store", "shop")
	l.up(engine.Options{})
	assert.Equal(t, kept, l.get("ServiceAccount/account").GetUID())
	l.up(engine.Options{PreviewFirst: true, PreviewOnly: true, ExpectNoChanges: true})
}

func TestARenameThatIsCutShortGoesOn(t *testing.T) { // [D144]
	l := newLife(t)
	declare := func(name, image string) {
		folder := l.chart("web", "1.0.0", files{
			"templates/web.yaml":     plain("ConfigMap", "web", `a: "1"`),
			"templates/migrate.yaml": hookOf("migrate", image, "", on("pre-upgrade")),
		})
		release := l.release(folder, map[string]any{"releaseName": "shop"})
		if name != "shop" {
			release = formerly("shop", release)
		}
		l.declare(program{name: release})
	}
	declare("shop", "hook:1")
	l.up(engine.Options{})
	declare("store", "fails:1")
	l.fails(engine.Up, engine.Options{})
	declare("store", "hook:1")
	l.up(engine.Options{})
}

func TestARenameThatIsKilledAndThenTakenDown(t *testing.T) {
	defects.Open(t, "[D145]", "is left", func(t testing.TB) {
		l := newLife(t)
		object := resource{Type: "k8sconnect:KubeObject", Properties: map[string]any{"manifest": manifest(plain("ConfigMap", "web", `a: "1"`), l.space)}}
		l.declare(program{"shop": object})
		l.up(engine.Options{})
		l.declare(program{"store": formerly("shop", object)})
		var running atomic.Pointer[engine.Operation]
		l.Intercept(func(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
			reply, err := handle(ctx, request)
			if o := running.Load(); o != nil && strings.HasSuffix(info.FullMethod, "/Update") {
				o.Kill()
			}
			return reply, err
		})
		o := l.Start(l.Context(), engine.Up, engine.Options{})
		running.Store(o)
		require.ErrorIs(t, o.Wait().Err, engine.ErrKilled)
		l.Intercept(nil)
		require.NoError(t, l.Unlock(l.Context()))
		out := l.succeeds(engine.Destroy, engine.Options{}).Output
		assert.NotContains(t, l.live(l.space), "ConfigMap/web", "the object is left:\n%s", out)
	})
}

func TestARenameWhileHooksAreSkippedTakesTheirObjectsAlong(t *testing.T) {
	defects.Open(t, "[D146]", "[ManagedElsewhere]", func(t testing.TB) {
		l := newLife(t)
		folder := l.chart("web", "1.0.0", files{
			"templates/web.yaml":     plain("ConfigMap", "web", `a: "1"`),
			"templates/account.yaml": plain("ServiceAccount", "account", "", on("pre-install"), weighing(-5)),
		})
		l.declare(program{"shop": l.release(folder, nil)})
		l.up(engine.Options{})
		l.declare(program{"store": formerly("shop", l.release(folder, map[string]any{"releaseName": "shop", "hooks": "skip"}))})
		l.up(engine.Options{})
		l.declare(program{"store": formerly("shop", l.release(folder, map[string]any{"releaseName": "shop"}))})
		l.up(engine.Options{})
	})
}

func TestARenameThatIsCutShortRunsNoHookOfInstalls(t *testing.T) { // [D144]
	l := newLife(t)
	release := func(image string) resource {
		folder := l.chart("web", "1.0.0", files{"templates/begin.yaml": hookOf("begin", image, "", on("pre-install,pre-delete"))})
		return l.release(folder, map[string]any{"releaseName": "shop"})
	}
	l.declare(program{"shop": release("hook:0")})
	l.up(engine.Options{})
	before := len(l.runs(0))
	renamed := formerly("shop", release("hook:1"))
	l.declare(program{"store": renamed, "chore": l.task("chore", "fails:0", "create")})
	// The chore fails before the rename is over.
	failed := make(chan struct{})
	l.Intercept(func(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		about, _ := request.(interface{ GetUrn() string })
		switch isChore := about != nil && strings.HasSuffix(about.GetUrn(), "::chore"); {
		case isChore && strings.HasSuffix(info.FullMethod, "/Create"):
			defer close(failed)
		case !isChore && strings.HasSuffix(info.FullMethod, "/Update"):
			<-failed
		}
		return handle(ctx, request)
	})
	l.fails(engine.Up, engine.Options{})
	l.Intercept(nil)
	l.declare(program{"store": renamed})
	l.up(engine.Options{})
	assert.NotContains(t, jobs(l.runs(before)), "begin", "the hook of installs runs again")
}

func TestARenameThatIsKilledBeforeItsFirstObjectKeepsAll(t *testing.T) { // [D144] [H9]
	for drift, next := range map[string]engine.Options{"preview": {}, "refresh": {Refresh: true}} {
		t.Run("with drift detection in each "+drift, func(t *testing.T) {
			l := newLife(t)
			release := func(name string) program {
				r := l.release(l.chart("web", "1.0.0", files{
					"templates/claim.yaml": claim,
					"templates/auth.yaml":  "apiVersion: v1\nkind: Secret\nmetadata: { name: \"{{ .Release.Name }}-auth\" }\nstringData: { password: {{ randAlphaNum 16 }} }\n",
				}), nil)
				if name != "shop" {
					r = formerly("shop", r)
				}
				return program{name: r, "default": {
					Type: "pulumi:providers:k8sconnect", Properties: map[string]any{"driftDetection": drift}, DefaultProvider: true,
				}}
			}
			l.declare(release("shop"))
			l.up(engine.Options{})
			secret, data := l.get("Secret/shop-auth").GetUID(), l.get("PersistentVolumeClaim/shop-data").GetUID()

			l.declare(release("store"))
			l.killedBefore("/Update", "KubeObject::")
			l.up(next)
			assert.Equal(t, secret, l.get("Secret/shop-auth").GetUID())
			assert.Equal(t, data, l.get("PersistentVolumeClaim/shop-data").GetUID())
			l.up(engine.Options{PreviewFirst: true, PreviewOnly: true, ExpectNoChanges: true})
			l.succeeds(engine.Destroy, engine.Options{})
		})
	}
}

func TestANameThatIsUsedAgainBelongsToTheNewChart(t *testing.T) { // [D144]
	l := newLife(t)
	other := l.cluster.Namespace(t)
	declare := func(version string, content files) {
		old, young := l.chart("web", version, content), l.chart("web2", version, content)
		l.declare(program{
			"store": formerly("shop", l.release(old, nil)), "shop": l.release(young, map[string]any{"namespace": other}),
		})
	}
	one := files{"templates/one.yaml": plain("ConfigMap", "one", `a: "1"`)}
	l.declare(program{"shop": l.release(l.chart("web", "1.0.0", one), nil)})
	l.up(engine.Options{})
	l.declare(program{"store": formerly("shop", l.release(l.chart("web", "1.0.0", one), nil))})
	l.up(engine.Options{})
	declare("1.0.0", one)
	l.up(engine.Options{})

	declare("2.0.0", one.with(files{"templates/two.yaml": plain("ConfigMap", "two", `a: "2"`)}))
	l.up(engine.Options{Targets: []string{"**::shop:**"}})
	made := l.live(other)["ConfigMap/two"]
	require.NotNil(t, made)
	for _, limited := range []engine.Options{{Targets: []string{"**::shop:**"}}, {Excludes: []string{"**::store**"}}, {}} {
		limited.PreviewFirst = true
		l.up(limited)
		assert.Equal(t, made.GetUID(), l.live(other)["ConfigMap/two"].GetUID())
	}
	l.get("ConfigMap/two")
	l.up(engine.Options{PreviewFirst: true, PreviewOnly: true, ExpectNoChanges: true})
}
