package verbs

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pulumi/pulumi-go-provider/middleware"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/checkout"
)

// First is a resource as the first version has saved it in the namespace shop, and its program.
func First(t testing.TB, name string, provider middleware.CustomResource) (*Resource, property.Map) {
	t.Helper()
	text, err := checkout.Read("tests", "engine", "rpc", "testdata", "first-states.json")
	if err != nil {
		t.Fatal(err)
	}
	var states map[string]struct {
		ID                       string
		URN                      resource.URN
		Inputs, Outputs, Program json.RawMessage
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(text, "NAMESPACE", "shop")), &states); err != nil {
		t.Fatal(err)
	}
	first := states[name]
	r := New(t, "", provider)
	r.URN, r.ID, r.Inputs, r.Outputs = first.URN, first.ID, recorded(t, first.Inputs), recorded(t, first.Outputs)
	return r, recorded(t, first.Program)
}

func recorded(t testing.TB, text json.RawMessage) property.Map {
	t.Helper()
	var v structpb.Struct
	if err := protojson.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	properties, err := plugin.UnmarshalProperties(&v, plugin.MarshalOptions{KeepSecrets: true, KeepUnknowns: true})
	if err != nil {
		t.Fatal(err)
	}
	return resource.FromResourcePropertyMap(properties)
}
