package tracked_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/connect"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

func TestAnOriginIsWhatWasWritten(t *testing.T) {
	t.Parallel()
	at := connect.Target{Server: "https://a:6443", CA: "0123456789abcdef"}
	for name, c := range map[string]struct {
		origin      tracked.Origin
		shown, name string
	}{
		"one with an id":        {tracked.Origin{ID: "u-1", Target: at}, "https://a:6443 (cluster u-1)", "u-1"},
		"one without an id":     {tracked.Origin{Target: at}, "https://a:6443 (certificate authority 0123456789ab)", "address-cd540b37fe194be5"},
		"one with an address":   {tracked.Origin{Target: connect.Target{Server: "https://a"}}, "https://a", "address-40de2b01b7cd37f1"},
		"one that is not known": {},
	} {
		t.Run(name+" [D8]", func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.origin, tracked.DecodeOrigin(c.origin.Encode()))
			assert.Equal(t, c.shown, c.origin.String())
			assert.Equal(t, c.name, c.origin.Key())
		})
	}
}

func TestAnOriginOfAnotherVersionIsNotKnown(t *testing.T) {
	t.Parallel()
	for _, v := range []property.Value{
		{}, property.New("text"), property.New(5.0), property.New(map[string]property.Value{"id": property.New(true)}),
	} {
		assert.True(t, tracked.DecodeOrigin(v).IsZero(), v)
	}
}
