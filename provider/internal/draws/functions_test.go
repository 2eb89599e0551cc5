package draws_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/Masterminds/sprig/v3"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
)

// notInTemplates are functions that Helm removes or replaces.
var notInTemplates = []string{"env", "expandenv", "getHostByName"}

func isRewritten(name string) bool {
	return strings.Contains(draws.Rewrite("a", "{{ "+name+" }}"), "kc_"+name+" ")
}

// Functions that a later version of sprig brings must not be overlooked.
func TestEveryFunctionWhoseResultDiffersDraws(t *testing.T) {
	t.Parallel()
	t.Run("those that sprig says differ", func(t *testing.T) {
		t.Parallel()
		for name := range sprig.TxtFuncMap() {
			if _, same := sprig.HermeticTxtFuncMap()[name]; same || slices.Contains(notInTemplates, name) {
				continue
			}
			if strings.EqualFold(strings.ReplaceAll(name, "_", ""), "dateModify") {
				continue // it moves the date that it is given
			}
			require.True(t, isRewritten(name), name)
		}
	})
	t.Run("those that differ when they are called twice", func(t *testing.T) {
		t.Parallel()
		differ := 0
		for name, function := range sprig.TxtFuncMap() {
			if slices.Contains(notInTemplates, name) {
				continue
			}
			for _, text := range []string{"abcdefghijklmnop", "ecdsa", testKey(t)} {
				first, ok := called(function, text)
				second, _ := called(function, text)
				if ok && fmt.Sprint(first) != fmt.Sprint(second) {
					differ++
					require.True(t, isRewritten(name), name)
				}
			}
		}
		require.Greater(t, differ, 12)
	})
	t.Run("derived, not drawn", func(t *testing.T) {
		t.Parallel()
		for _, name := range []string{"derivePassword", "buildCustomCert", "decryptAES", "sha256sum", "toDate", "unixEpoch", "date_modify"} {
			require.False(t, isRewritten(name), name)
		}
	})
}

func testKey(t *testing.T) string {
	texts, _ := run(t, files{"a": `{{ genPrivateKey "ecdsa" }}`}, nil, draws.Options{})
	return texts["a"]
}

// called calls a function with arguments that have its types, and says whether it could.
func called(function any, text string) (result any, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	call := reflect.ValueOf(function)
	var args []reflect.Value
	for i := range call.Type().NumIn() {
		in := call.Type().In(i)
		arg := reflect.Zero(in)
		switch in.Kind() {
		case reflect.String:
			arg = reflect.ValueOf(text)
		case reflect.Int:
			arg = reflect.ValueOf(20 + i*1000)
		case reflect.Interface:
			if in.NumMethod() == 0 {
				arg = reflect.ValueOf(&text).Elem()
			}
		case reflect.Struct:
			if in.NumField() == 2 && in.Field(0).Name == "Cert" {
				results := reflect.ValueOf(sprig.TxtFuncMap()["genCA"]).Call([]reflect.Value{reflect.ValueOf("x"), reflect.ValueOf(1)})
				arg = results[0]
			}
		}
		if call.Type().IsVariadic() && i == call.Type().NumIn()-1 {
			break
		}
		args = append(args, arg)
	}
	results := call.Call(args)
	return results[0].Interface(), len(results) == 1 || results[1].IsNil()
}
