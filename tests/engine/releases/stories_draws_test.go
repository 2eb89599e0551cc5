package releases_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
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

func TestAPasswordGoesToNoOtherObject(t *testing.T) { // [D87]
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
		t.Run(name, func(t *testing.T) { story(t) })
	}
}

func TestAPasswordFollowsItsObject(t *testing.T) { // [D87]
	for name, story := range map[string]func(t testing.TB){
		"to another file": func(t testing.TB) {
			l, up := releaseOf(t)
			up(nil, files{"a.yaml": secretOf("redis"), "b.yaml": secretOf("web")})
			redis, web := l.drawn("redis", "password"), l.drawn("web", "password")
			up(nil, files{"c.yaml": secretOf("web"), "d.yaml": secretOf("redis")})
			assert.Equal(t, redis, l.drawn("redis", "password"))
			assert.Equal(t, web, l.drawn("web", "password"))
		},
		"under another name": func(t testing.TB) {
			l, up := releaseOf(t)
			up(nil, files{"secrets.yaml": secretOf("app")})
			app := l.drawn("app", "password")
			up(nil, files{"secrets.yaml": secretOf("shop-app")})
			assert.Equal(t, app, l.drawn("shop-app", "password"))
		},
		"to another file while it is switched off": func(t testing.TB) {
			l, up := releaseOf(t)
			web := secretOf("web")
			up(map[string]any{"redis": true}, files{"a.yaml": when("redis", secretOf("redis")), "web.yaml": web})
			redis := l.drawn("redis", "password")
			up(map[string]any{"redis": false}, files{"b.yaml": when("redis", secretOf("redis")), "web.yaml": web})
			up(map[string]any{"redis": true}, files{"b.yaml": when("redis", secretOf("redis")), "web.yaml": web})
			assert.Equal(t, redis, l.drawn("redis", "password"))
		},
		"in a list without names": func(t testing.TB) {
			l, up := releaseOf(t)
			list := "{{ range .Values.hosts }}\n" + secretOf("{{ .host }}") + "{{ end }}"
			hosts := func(names ...string) map[string]any {
				var all []any
				for _, name := range names {
					all = append(all, map[string]any{"host": name})
				}
				return map[string]any{"hosts": all}
			}
			up(hosts("a", "b"), files{"list.yaml": list})
			a, b := l.drawn("a", "password"), l.drawn("b", "password")
			up(hosts("c", "b", "a"), files{"list.yaml": list})
			assert.Equal(t, a, l.drawn("a", "password"))
			assert.Equal(t, b, l.drawn("b", "password"))
			assert.NotContains(t, []string{a, b}, l.drawn("c", "password"))
			up(hosts("d"), files{"list.yaml": list})
			assert.NotContains(t, []string{a, b}, l.drawn("d", "password"))
			up(hosts("b"), files{"list.yaml": list})
			assert.Equal(t, b, l.drawn("b", "password"))
		},
	} {
		t.Run(name, func(t *testing.T) { story(t) })
	}
}

func TestThePreviewSaysWhatBecomesOfPasswords(t *testing.T) { // [D87]
	l := newLife(t)
	declare := func(version string, values map[string]any, templates files) {
		l.declare(program{"shop": l.release(l.chart("web", version, templates), map[string]any{"values": values})})
	}
	preview := func() string { return l.succeeds(engine.Preview, engine.Options{}).Output }
	redis := map[string]any{"redis": true}
	declare("1.0.0", redis, files{"templates/a.yaml": secretOf("web"), "templates/b.yaml": secretOf("db"), "templates/redis.yaml": when("redis", secretOf("redis"))})
	l.up(engine.Options{})
	assert.NotContains(t, preview(), "andom values", "nothing happens to them")

	declare("1.1.0", map[string]any{"redis": false}, files{"templates/c.yaml": secretOf("web"), "templates/d.yaml": secretOf("queue"), "templates/redis.yaml": when("redis", secretOf("redis"))})
	out := preview()
	assert.Contains(t, out, "Random values stay with what they are for, which other templates draw now: "+
		"web/templates/a.yaml|password@Secret/web|randAlphaNum 16 -> web/templates/c.yaml|password@Secret/web|randAlphaNum 16.")
	assert.Contains(t, out, "They are drawn, although values of before may be theirs under other names: web/templates/d.yaml|password@Secret/queue|randAlphaNum 16.")
	assert.Contains(t, out, "so they are kept for their return: web/templates/b.yaml|password@Secret/db|randAlphaNum 16, web/templates/redis.yaml|password@Secret/redis|randAlphaNum 16.")
	l.up(engine.Options{})
	assert.NotContains(t, preview(), "andom values")
}

func TestARotationOfWhatIsSwitchedOff(t *testing.T) { // [D88]
	l := newLife(t)
	folder := l.chart("web", "1.0.0", files{"templates/redis.yaml": when("redis", secretOf("redis"))})
	declare := func(redis bool, rotate ...string) {
		l.declare(program{"shop": l.release(folder, map[string]any{"values": map[string]any{"redis": redis}, "rotate": rotate})})
	}
	up := func(redis bool, rotate ...string) {
		declare(redis, rotate...)
		l.up(engine.Options{})
	}
	up(true)
	leaked := l.drawn("redis", "password")
	up(false)
	declare(false, "password")
	out := l.succeeds(engine.Preview, engine.Options{}).Output
	assert.Contains(t, out, "they are forgotten, because they were to be drawn again: web/templates/redis.yaml|password@Secret/redis|randAlphaNum 16.")
	assert.NotContains(t, out, "names no value")
	l.up(engine.Options{})
	up(true, "password")
	rotated := l.drawn("redis", "password")
	require.NotEqual(t, leaked, rotated, "the leaked password returns")
	up(false, "password")
	up(true, "password")
	require.Equal(t, rotated, l.drawn("redis", "password"), "it was drawn again once")
}
