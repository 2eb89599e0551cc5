package spelling

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"host", "token", "kubeconfig"}
	for name, want := range map[string]string{
		"hots": "host", "Host": "host", "kubeConfig": "kubeconfig", "tokens": "token", "namespace": "", "": "",
	} {
		assert.Equal(t, want, Nearest(name, known), name)
	}
}

func TestResembles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, wanted string
		want         bool
	}{
		{"metdata", "metadata", true}, {"Metadata", "metadata", true}, {"meta", "metadata", false}, {"data", "metadata", false},
		{"apiversion", "apiVersion", true}, {"apiVerison", "apiVersion", true}, {"version", "apiVersion", false},
		{"Kind", "kind", true}, {"kin", "kind", true}, {"name", "kind", false}, {"spec", "kind", false},
	} {
		assert.Equal(t, c.want, Resembles(c.name, c.wanted), c.name)
	}
}
