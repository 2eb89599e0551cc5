package releases_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine/defects"
)

// secretOf is the template of a Secret with a password that is drawn.
func secretOf(name string) string {
	return fmt.Sprintf("---\napiVersion: v1\nkind: Secret\nmetadata: { name: %s }\nstringData:\n  password: {{ randAlphaNum 16 | quote }}\n", name)
}

// when is a template for where a value is true.
func when(value, text string) string {
	return fmt.Sprintf("{{ if .Values.%s }}\n%s{{ end }}\n", value, text)
}

// releaseOf has a release with these templates brought up, and returns the function that brings up other ones.
func releaseOf(t testing.TB) (l *life, up func(values map[string]any, templates files)) {
	t.Helper()
	l = newLife(t)
	version := 0
	return l, func(values map[string]any, templates files) {
		t.Helper()
		version++
		all := files{}
		for name, text := range templates {
			all["templates/"+name] = text
		}
		folder := l.chart("web", fmt.Sprintf("1.%d.0", version), all)
		l.declare(program{"shop": l.release(folder, map[string]any{"values": values})})
		l.up(engine.Options{})
	}
}

func TestAPasswordGoesToNoOtherObject(t *testing.T) {
	for name, story := range map[string]func(t testing.TB){
		"two are renamed at once": func(t testing.TB) {
			l, up := releaseOf(t)
			up(nil, files{"secrets.yaml": secretOf("admin") + secretOf("guest")})
			admin, guest := l.drawn("admin", "password"), l.drawn("guest", "password")
			up(nil, files{"secrets.yaml": secretOf("visitor") + secretOf("administrator")})
			assert.NotEqual(t, guest, l.drawn("visitor", "password"), "the first one has the password of the second")
			assert.NotEqual(t, admin, l.drawn("administrator", "password"), "the second one has the password of the first")
		},
		"one is removed and another one added": func(t testing.TB) {
			l, up := releaseOf(t)
			up(nil, files{"old.yaml": secretOf("redis"), "other.yaml": secretOf("web")})
			redis := l.drawn("redis", "password")
			up(nil, files{"new.yaml": secretOf("postgres"), "other.yaml": secretOf("web")})
			assert.NotEqual(t, redis, l.drawn("postgres", "password"), "the new one has the password of the removed one")
		},
		"one is switched off and another one on": func(t testing.TB) {
			l, up := releaseOf(t)
			templates := files{"redis.yaml": when("redis", secretOf("redis")), "postgres.yaml": when("postgres", secretOf("postgres"))}
			up(map[string]any{"redis": true, "postgres": false}, templates)
			redis := l.drawn("redis", "password")
			up(map[string]any{"redis": false, "postgres": true}, templates)
			postgres := l.drawn("postgres", "password")
			up(map[string]any{"redis": true, "postgres": true}, templates)
			assert.NotEqual(t, redis, postgres, "postgres has the password of redis")
			assert.Equal(t, redis, l.drawn("redis", "password"), "the password of redis does not come back")
		},
		"one is renamed and another one added": func(t testing.TB) {
			l, up := releaseOf(t)
			up(nil, files{"secrets.yaml": secretOf("app")})
			app := l.drawn("app", "password")
			up(nil, files{"secrets.yaml": secretOf("admin") + secretOf("shop-app")})
			assert.NotEqual(t, app, l.drawn("admin", "password"), "the new one has the password of the renamed one")
		},
	} {
		t.Run(name, func(t *testing.T) { defects.Open(t, "[D87]", "password of", story) })
	}
}

func TestARotationOfWhatIsSwitchedOff(t *testing.T) {
	defects.Open(t, "[D88]", "the leaked password returns", func(t testing.TB) {
		l := newLife(t)
		folder := l.chart("web", "1.0.0", files{"templates/redis.yaml": when("redis", secretOf("redis"))})
		up := func(redis bool, rotate ...string) {
			l.declare(program{"shop": l.release(folder, map[string]any{"values": map[string]any{"redis": redis}, "rotate": rotate})})
			l.up(engine.Options{})
		}
		up(true)
		leaked := l.drawn("redis", "password")
		up(false)
		up(false, "password")
		up(true, "password")
		require.NotEqual(t, leaked, l.drawn("redis", "password"), "the leaked password returns")
	})
}
