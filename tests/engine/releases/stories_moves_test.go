package releases_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine/defects"
)

// withKeptHooks are templates of a release with an account for its hook of installs, and a Secret that no upgrade changes.
func withKeptHooks(image, word string) files {
	return files{
		"templates/account.yaml": plain("ServiceAccount", "migrate", "", on("pre-install"), weighing(-5)),
		"templates/secret.yaml":  plain("ConfigMap", "first", "word: "+word, on("pre-install"), weighing(-5)),
		"templates/migrate.yaml": hookOf("migrate", image, "migrate", on("pre-install")),
		"templates/web.yaml":     plain("ConfigMap", "web", `a: "1"`),
	}
}

// [D92]
func TestAReleaseThatMovesTakesItsKeptHooksAlong(t *testing.T) {
	l := newLife(t)
	declare := func(version, space, image, word string) {
		l.declare(program{"shop": l.release(l.chart("web", version, withKeptHooks(image, word)), map[string]any{"namespace": space})})
	}
	settled := func() { l.up(engine.Options{PreviewFirst: true, PreviewOnly: true, ExpectNoChanges: true}) }
	declare("1.0.0", l.space, "hook:1", "one")
	l.up(engine.Options{})
	require.Contains(t, existedAt(t, l.runs(0), "migrate").existed, "ServiceAccount/migrate")
	here := l.get("ConfigMap/first").GetUID()

	there := l.cluster.Namespace(t)
	declare("1.0.0", there, "hook:1", "one")
	l.up(engine.Options{})
	assert.Contains(t, existedAt(t, played.ran(there, 0), "migrate").existed, "ServiceAccount/migrate", "the account of the hook is missing")
	for _, id := range []string{"ServiceAccount/migrate", "ConfigMap/first"} {
		assert.Contains(t, l.live(there), id, "the kept hook is missing after the update")
		assert.Contains(t, l.live(l.space), id, "it outlives the release, as with Helm")
	}
	settled()

	// What no upgrade has stays as it was installed.
	declare("1.1.0", there, "hook:1", "two")
	l.up(engine.Options{})
	assert.Equal(t, "one", dataOf(l.live(there)["ConfigMap/first"])["word"])
	settled()

	// Back again.
	declare("1.1.0", l.space, "hook:1", "two")
	l.up(engine.Options{})
	assert.Equal(t, here, l.get("ConfigMap/first").GetUID())
	settled()
}

// [D92]
func TestAMoveThatIsTakenBackTakesItsKeptHooksBack(t *testing.T) {
	l := newLife(t)
	declare := func(space, image string) {
		l.declare(program{"shop": l.release(l.chart("web", "1.0.0", withKeptHooks(image, "one")), map[string]any{"namespace": space})})
	}
	declare(l.space, "hook:1")
	l.up(engine.Options{})
	here := l.get("ConfigMap/first").GetUID()
	there := l.cluster.Namespace(t)
	declare(there, "fails:1")
	l.fails(engine.Up, engine.Options{})
	require.Contains(t, l.live(there), "ConfigMap/first")
	declare(l.space, "hook:1")
	l.up(engine.Options{})
	l.up(engine.Options{PreviewFirst: true, PreviewOnly: true, ExpectNoChanges: true})
	for _, r := range l.state().Checkpoint.Latest.Resources {
		outputs, _ := r["outputs"].(map[string]any)
		if ref, is := outputs["resourceRef"].(map[string]any); is {
			assert.Equal(t, l.space, ref["namespace"], "%s is in the other namespace", r["urn"])
		}
	}
	assert.Equal(t, here, l.get("ConfigMap/first").GetUID())
}

// movedInPart moves a release to another namespace in an update whose hook fails: the state keeps the objects of the first
// namespace, which are still to be deleted. It returns how to declare the chart there.
func movedInPart(l *life) func(name string, from ...string) {
	elsewhere := l.cluster.Namespace(l.TB)
	declare := func(namespace, hook, name string, from ...string) {
		folder := l.chart("web", "1.0.0", files{
			"templates/web.yaml":   plain("ConfigMap", "web", `a: "1"`),
			"templates/begin.yaml": hookOf("begin", hook, "", on("post-install")),
		})
		r := l.release(folder, map[string]any{"releaseName": "shop", "namespace": namespace})
		if len(from) > 0 {
			r = formerly(from[0], r)
		}
		l.declare(program{name: r})
	}
	declare(l.space, "hook:1", "shop")
	l.up(engine.Options{})
	declare(elsewhere, "fails:1", "shop")
	l.fails(engine.Up, engine.Options{})
	return func(name string, from ...string) { declare(elsewhere, "hook:1", name, from...) }
}

// Pulumi gives each resource in the state of a renamed component its new URN, and forgets the alias of an object that is in the
// state twice: the one that replaces and the one that is still to be deleted.
func TestAReleaseIsRenamedBeforeTheObjectsOfItsLastPlaceAreDeleted(t *testing.T) {
	defects.Open(t, "[D162]", "comes after it", func(t testing.TB) {
		l := newLife(t)
		moved := movedInPart(l)
		moved("store", "shop")
		l.up(engine.Options{})
	})
}

func TestAReleaseIsRenamedOnceTheObjectsOfItsLastPlaceAreDeleted(t *testing.T) { // [D162]
	l := newLife(t)
	moved := movedInPart(l)
	moved("store", "shop")
	preview := l.fails(engine.Up, engine.Options{PreviewFirst: true})
	assert.Contains(t, preview.Output, "comes after it")
	moved("shop")
	l.up(engine.Options{})
	assert.NotContains(t, l.live(l.space), "ConfigMap/web")
	moved("store", "shop")
	l.up(engine.Options{})
	l.up(engine.Options{PreviewFirst: true, PreviewOnly: true, ExpectNoChanges: true})
}
