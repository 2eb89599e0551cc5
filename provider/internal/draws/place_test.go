package draws

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAHashIsWhereAllOfItIs(t *testing.T) { // [D87]
	t.Parallel()
	const one, other = "admin:$2a$10$abcdefghijklmnopqrstuv", "admin:$2a$10$zyxwvutsrqponmlkjihgfe"
	hash := answer{value: Value{Text: one}}
	for text, is := range map[string]bool{one: true, "users: " + one: true, other: false, "users: " + other: false} {
		place := hash.placeIn("a.yaml|users|htpasswd", Text{Object: "Secret/a", Field: "data.users", Text: text}, []string{text})
		assert.Equal(t, is, place != "", text)
	}
	random := answer{value: Value{Text: "abcdefghijklmnop"}}
	assert.NotEmpty(t, random.placeIn("a.yaml|p|randAlpha 16", Text{Object: "Secret/a", Field: "data.p"}, []string{"abcdefghijkl"}),
		"a template may truncate a random text")
}

func TestACallIsElsewhereInAnotherFile(t *testing.T) { // [D87]
	t.Parallel()
	k, _ := parseKey("a.yaml>common.password:p@Secret/web|p|randAlpha 16")
	here, there := written{"a.yaml", "common.password", "p@Secret/web"}, written{"b.yaml", "common.password", "p@Secret/web"}
	assert.False(t, (&Source{calls: map[written]bool{here: true}}).hasElsewhere(k), "it is the call that the key comes from")
	assert.True(t, (&Source{calls: map[written]bool{here: true, there: true}}).hasElsewhere(k))
}
