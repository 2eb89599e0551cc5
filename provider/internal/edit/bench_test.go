package edit_test

import (
	"strconv"
	"testing"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/edit"
)

func BenchmarkApply(b *testing.B) {
	for _, count := range []int{1, 1000} {
		var set []edit.Object
		for i := range count {
			content := parsed(b, web)
			content["metadata"].(map[string]any)["name"] = "web-" + strconv.Itoa(i)
			set = append(set, edit.Object{Key: strconv.Itoa(i), Content: content})
		}
		for name, edits := range map[string]edit.Edits{
			"labels": {Labels: map[string]string{"a": "b"}},
			"image":  {Images: []edit.Image{{Name: "envoy", NewTag: "2"}}},
			"merge":  {Patches: []edit.Patch{{Target: &edit.Target{Kind: "Deployment"}, Patch: "kind: x\nmetadata: {name: x}\nspec: {replicas: 3}"}}},
			"json":   {Patches: []edit.Patch{{Target: &edit.Target{Kind: "Deployment"}, Patch: `[{"op":"add","path":"/spec/replicas","value":3}]`}}},
			"select": {Patches: []edit.Patch{{Target: &edit.Target{Name: "web-0"}, Patch: `[{"op":"add","path":"/spec/replicas","value":3}]`}}},
		} {
			b.Run(name+"/"+strconv.Itoa(count), func(b *testing.B) {
				for b.Loop() {
					if _, mistakes := edits.Apply(set); len(mistakes) > 0 {
						b.Fatal(mistakes)
					}
				}
			})
		}
	}
}
