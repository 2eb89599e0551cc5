package tracked

import (
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/reference"
)

func TestADeletionFollowsTheProgramThatAsksForIt(t *testing.T) { // [D102]
	state := func(uid string) property.Map {
		return property.NewMap(map[string]property.Value{KeyResourceRef: reference.Object{UID: uid}.Encode()})
	}
	inputs := func(how property.Value, other string) property.Map {
		all := map[string]property.Value{"other": property.New(other)}
		if !how.IsNull() {
			all["how"] = how
		}
		return property.NewMap(all)
	}
	saved := inputs(property.New("before"), "old")
	for name, test := range map[string]struct {
		says property.Map
		uid  string
		want property.Map
	}{
		"what it says counts, and nothing else of it":      {inputs(property.New("now"), "new"), "1", inputs(property.New("now"), "old")},
		"what it no longer says does not count any more":   {inputs(property.New(property.Null), "new"), "1", inputs(property.New(property.Null), "old")},
		"a secret counts, too":                             {inputs(property.New("now").WithSecret(true), "new"), "1", inputs(property.New("now"), "old")},
		"what is not known yet is what it was":             {inputs(property.New(property.Computed), "new"), "1", saved},
		"what it says about another object does not count": {inputs(property.New("now"), "new"), "2", saved},
	} {
		t.Run(name, func(t *testing.T) {
			d := DeletionInputs{Notes: new(Memory).For("KubeObject"), Keys: []string{"how"}}
			assert.Equal(t, saved, d.Of(p.DeleteRequest{Urn: "u", OldInputs: saved, Properties: state("1")}), "without a program")
			d.Note(p.DiffRequest{Urn: "new", Inputs: test.says, State: state(test.uid)})
			assert.Equal(t, test.want, d.Of(p.DeleteRequest{Urn: "former", OldInputs: saved, Properties: state("1")}), "the engine deletes under the former URN")
		})
	}
	t.Run("of a resource that is only checked", func(t *testing.T) {
		d := DeletionInputs{Notes: new(Memory).For("KubeObject"), Keys: []string{"how"}}
		said, later := inputs(property.New("now"), "new"), p.DeleteRequest{Urn: "u", OldInputs: saved, Properties: state("1")}
		d.Checked(p.CheckRequest{Urn: "u", Inputs: said})
		assert.Equal(t, inputs(property.New("now"), "old"), d.Of(later), "what it says counts")
		assert.Equal(t, saved, d.Of(p.DeleteRequest{Urn: "other", OldInputs: saved}))
		d.Checked(p.CheckRequest{Urn: "u", Inputs: inputs(property.New(property.Computed), "new")})
		assert.Equal(t, saved, d.Of(later), "what is not known yet is what it was")
		d.Checked(p.CheckRequest{Urn: "u", Inputs: said})
		d.Forget("u")
		assert.Equal(t, saved, d.Of(later), "another command has begun")
	})
}
