// Package argocdtest runs health checks as Argo CD does, for tests.
package argocdtest

import (
	"os"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Health is what Argo CD says of an object with the health check for these kinds, such as "platform.example.com/Environment", in a patch of its
// ConfigMap. It does not ask the check about what is being deleted.
func Health(t require.TestingT, file, kinds string, object *unstructured.Unstructured) (status, message string) {
	if object.GetDeletionTimestamp() != nil {
		return "Progressing", "Pending deletion"
	}
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var patch struct {
		Data map[string]string `json:"data"`
	}
	require.NoError(t, yaml.UnmarshalStrict(content, &patch))
	var customizations map[string]map[string]string
	require.NoError(t, yaml.Unmarshal([]byte(patch.Data["resource.customizations"]), &customizations))
	script := customizations[kinds]["health.lua"]
	require.NotEmpty(t, script)
	state := lua.NewState()
	defer state.Close()
	state.SetGlobal("obj", value(state, object.Object))
	require.NoError(t, state.DoString(script))
	health, is := state.Get(-1).(*lua.LTable)
	require.True(t, is, "it returns no table")
	return lua.LVAsString(health.RawGetString("status")), lua.LVAsString(health.RawGetString("message"))
}

// value is a value of JSON in Lua, where a number is a float and null is nothing.
func value(state *lua.LState, of any) lua.LValue {
	switch of := of.(type) {
	case string:
		return lua.LString(of)
	case bool:
		return lua.LBool(of)
	case int64:
		return lua.LNumber(of)
	case float64:
		return lua.LNumber(of)
	case []any:
		list := state.NewTable()
		for _, item := range of {
			list.Append(value(state, item))
		}
		return list
	case map[string]any:
		object := state.NewTable()
		for key, item := range of {
			object.RawSetString(key, value(state, item))
		}
		return object
	}
	return lua.LNil
}
