package object_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/verbs"
)

// padding makes the ConfigMap too big to be a tree of properties.
var padding = strings.Repeat("0123456789abcdef", manifest.MaxWeight/3/16+1)

// big is a program whose manifest is too big to be a tree, if it is a ConfigMap.
func big(now property.Map) property.Map {
	text := now.Get("yaml")
	if text.IsString() {
		return now.Set("yaml", property.New(strings.Replace(text.AsString(), ", data: {", ", data: {pad: '"+padding+"', ", 1)))
	}
	object := now.Get("manifest")
	if !object.IsMap() || !object.AsMap().Get("data").IsMap() {
		return now
	}
	data := object.AsMap().Get("data").AsMap().Set("pad", property.New(padding))
	return now.Set("manifest", property.New(object.AsMap().Set("data", property.New(data))))
}

// bigLive is the ConfigMap with the padding, if it has any data. It is ours.
func bigLive(text string) string {
	var object m
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		panic(err)
	}
	data := object["data"].(m)
	if len(data) > 0 {
		data["pad"] = padding
	}
	for _, entry := range object["metadata"].(m)["managedFields"].([]any) {
		if entry := entry.(m); entry["manager"] == ours {
			entry["fieldsV1"].(m)["f:data"].(m)["f:pad"] = m{}
		}
	}
	padded, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return string(padded)
}

// madeBig is [made] of a ConfigMap that is too big to be a tree.
func madeBig(t testing.TB, more ...m) (*verbs.Server, *verbs.Resource) {
	t.Helper()
	server := verbs.NewServer(t)
	server.Says("PATCH "+thePath, verbs.JSON(201, bigLive(applied)))
	server.Says("GET "+thePath, verbs.JSON(200, bigLive(applied)))
	web := verbs.New(t, "KubeObject", process(server))
	require.NoError(t, web.Create(big(program(configMap(), more...))))
	require.True(t, web.Inputs.Get("yaml").IsString(), "the manifest is not text")
	server.Asked()
	return server, web.In(t, process(server))
}

// asText returns what a diff of a tree shows if the state has the manifest as text, and the program has it as text or
// as a tree.
func asText(t testing.TB, web *verbs.Resource, now property.Map, tree kinds) kinds {
	t.Helper()
	checked, failures := web.In(t, process(verbs.NewServer(t))).Check(now)
	require.Empty(t, failures)
	text := kinds{}
	for path, kind := range tree {
		rest, ofManifest := strings.CutPrefix(path, "manifest")
		switch {
		case !ofManifest:
			text[path] = kind
			continue
		case !checked.Get("yaml").IsString():
			path = "__appliedFields"
		case rest == "":
			path = "yaml.manifest"
		default:
			path = "yaml" + rest
		}
		text[path] = "update of the inputs"
		if strings.Contains(kind, "replace") {
			text[path] = "update&replace of the inputs"
		}
	}
	return text
}
