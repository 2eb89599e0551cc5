package fieldtags_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/fieldtags"
)

type Inner struct {
	Deep string `pulumi:"deep"`
}

type inputs struct {
	Inner

	Text   string            `pulumi:"text"`
	Flag   *bool             `pulumi:"flag,optional"`
	Secret *Inner            `pulumi:"secret,optional" provider:"secret"`
	Map    map[string]string `pulumi:"map,optional"`
	Plain  string
}

func TestInputsAreReadOffTheTagsOfAStruct(t *testing.T) {
	fields := fieldtags.Of(reflect.TypeFor[inputs]())
	assert.Equal(t, fieldtags.Fields{
		{Name: "text", Type: reflect.TypeFor[string]()},
		{Name: "flag", Type: reflect.TypeFor[bool](), Optional: true},
		{Name: "secret", Type: reflect.TypeFor[Inner](), Optional: true, Secret: true},
		{Name: "map", Type: reflect.TypeFor[map[string]string](), Optional: true},
	}, fields)
	assert.Equal(t, []string{"text", "flag", "secret", "map"}, fieldtags.Names[inputs]())
	_, found := fields.Get("deep")
	assert.False(t, found, "what is embedded has inputs of its own")
}
