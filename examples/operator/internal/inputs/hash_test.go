package inputs_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
)

func hashOf(value string) string {
	return inputs.Hash("program", map[string]json.RawMessage{"key": json.RawMessage(value)}, nil, "")
}

func TestValuesThatAProgramCanTellApartHaveOtherHashes(t *testing.T) { // [X47]
	for _, pair := range [][2]string{
		{`9007199254740993`, `9007199254740992`},
		{`[{"a": 12345678901234567890}]`, `[{"a": 12345678901234567891}]`},
		{`0.12345678901234567891`, `0.12345678901234567892`},
		{`1e400`, `1e401`},
		{`1e-999999999`, `1e-999999998`},
		{`1`, `"1"`},
	} {
		assert.NotEqual(t, hashOf(pair[0]), hashOf(pair[1]), pair)
	}
	for _, pair := range [][2]string{
		{`1`, `1.0`}, {`1000`, `1e3`}, {`{"a": 1, "b": [0.1]}`, `{"b":[0.1],"a":1}`}, {`9007199254740992`, `9007199254740992.0`},
	} {
		assert.Equal(t, hashOf(pair[0]), hashOf(pair[1]), pair)
	}
}

// An upgrade of the operator runs no program again: these are hashes that an earlier one has written.
func TestHashesStayAsTheyWere(t *testing.T) {
	secrets := map[string]inputs.Value{"token": {Secret: "shop", Key: "token", ResourceVersion: "7"}}
	config := map[string]json.RawMessage{"a": json.RawMessage(`{"b": [1, 2.50, 1e3, "x", true, null]}`)}
	assert.Equal(t, "6ddd015c934aad9afb94092fa8b7f78a", inputs.Hash("program", config, secrets, "s3://bucket"))
}

func TestADigestDependsOnTheSecretAndTheValue(t *testing.T) { // [X54]
	digest := inputs.Digest("uid", []byte("value"))
	assert.Equal(t, digest, inputs.Digest("uid", []byte("value")))
	assert.NotEqual(t, digest, inputs.Digest("uid", []byte("other")))
	assert.NotEqual(t, digest, inputs.Digest("other", []byte("value")), "nobody can try values without knowing the uid")
}

func TestTheHashOfAnImageIsThatOfItsContent(t *testing.T) {
	one := inputs.HashImage("registry.example.com/webapp:1.4@sha256:aa")
	assert.Equal(t, one, inputs.HashImage("mirror.example.com/webapp@sha256:aa"))
	assert.NotEqual(t, one, inputs.HashImage("registry.example.com/webapp:1.4@sha256:bb"))
}
