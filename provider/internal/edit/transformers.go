package edit

import (
	"encoding/json"

	"sigs.k8s.io/kustomize/api/builtins" //nolint:staticcheck // it will move in its v1; there is no other way to the transformers today
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"
)

func factory() *resmap.Factory {
	return resmap.NewFactory(provider.NewDefaultDepProvider().GetResourceFactory())
}

// patching returns the transformer that applies the text of a patch. It gets no loader, so it cannot load files.
func patching(text string, target *types.Selector) (resmap.Transformer, error) {
	plugin := &builtins.PatchTransformerPlugin{}
	config, err := json.Marshal(map[string]string{"patch": text})
	if err == nil {
		err = plugin.Config(resmap.NewPluginHelpers(nil, nil, factory(), nil), config)
	}
	plugin.Target = target
	return plugin, err
}
