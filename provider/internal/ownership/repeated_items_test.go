package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestItemsThatAListHasMoreThanOnceAreFound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, tree, fields string
		want               []string
	}{
		{
			"by one key, at any depth", `{containers: [{name: web, env: [{name: A, value: "1"}, {name: B}, {name: A, value: "2"}]}, {name: api, env: [{name: A}]}]}`,
			`{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:env":{".":{},"k:{\"name\":\"A\"}":{},"k:{\"name\":\"B\"}":{".":{},"f:name":{}}}},` +
				`"k:{\"name\":\"api\"}":{"f:env":{"k:{\"name\":\"A\"}":{".":{},"f:name":{}}}}}}`,
			[]string{"containers[name=web].env[name=A]"},
		},
		{
			"by several keys, of which one may differ", `{ports: [{port: 80, protocol: TCP}, {port: 80, protocol: UDP}, {port: 53, protocol: UDP}, {port: 53, protocol: UDP}]}`,
			`{"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{}},"k:{\"port\":80,\"protocol\":\"UDP\"}":{".":{}},"k:{\"port\":53,\"protocol\":\"UDP\"}":{".":{}}}}`,
			[]string{"ports[port=53,protocol=UDP]"},
		},
		{
			"in a set", `{finalizers: [a.b/c, a.b/d, a.b/c]}`, `{"f:finalizers":{".":{},"v:\"a.b/c\"":{},"v:\"a.b/d\"":{}}}`,
			[]string{`finalizers[="a.b/c"]`},
		},
		{"in no list that is owned as a whole", `{args: [a, a], list: [{name: a}, {name: a}]}`, `{"f:args":{},"f:list":{}}`, nil},
		{"in no list that is not there", `{}`, `{"f:finalizers":{"v:\"a.b/c\"":{}},"f:env":{"k:{\"name\":\"A\"}":{}}}`, nil},
	} {
		t.Run(test.name+" [D19]", func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, Repeated(object(t, test.tree), fields(t, test.fields)))
		})
	}
}
