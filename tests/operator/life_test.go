package operator

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// greeting makes one ConfigMap, whose text is configured, and says so.
const greeting = `name: greeting
runtime: yaml
config:
  text: {type: string}
resources:
  greeting:
    type: k8sconnect:KubeObject
    properties:
      manifest:
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: greeting}
        data: {text: "${text}"}
outputs:
  text: ${text}
  name: ${greeting.resourceRef.name}
`

func TestLife(t *testing.T) {
	t.Parallel()
	s := with(t)
	s.program(greeting)
	e := s.create("shop", fields{"config": fields{"text": "hello"}})

	first := e.ready()
	t.Run("[X1] outputs are in the status and in the Secret, and the object is there", func(t *testing.T) {
		assert.Equal(t, "hello", first.Outputs["text"])
		made := s.configMap("greeting")
		require.NotNil(t, made)
		assert.Equal(t, map[string]string{"text": "hello"}, made.Data)
		require.NotNil(t, s.secret("shop-outputs"), "who waits for Ready finds the outputs")
		assert.Equal(t, "hello", string(s.secret("shop-outputs").Data["text"]))
		assert.Equal(t, "greeting", string(s.secret("shop-outputs").Data["name"]))
	})
	t.Run("[X3] [X5] a changed configuration is one update in place", func(t *testing.T) {
		before := s.configMap("greeting")
		e.change(fields{"config": fields{"text": "good evening"}})
		second := e.ready()
		after := s.configMap("greeting")
		assert.Equal(t, "good evening", after.Data["text"])
		assert.Equal(t, before.UID, after.UID)
		assert.Equal(t, first.Serial+1, second.Serial)
	})
	t.Run("[X11] [X12] deletion destroys, and takes the outputs along", func(t *testing.T) {
		e.delete()
		assert.Nil(t, s.configMap("greeting"))
		s.eventually(func() bool { return s.secret("shop-outputs") == nil }, "the outputs are gone")
		assert.Nil(t, s.secret("shop-state"))
		assert.Nil(t, s.secret("shop-passphrase"))
	})
}
