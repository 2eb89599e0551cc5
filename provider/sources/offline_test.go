package sources

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// FuzzKustomization compares our reading of files with the library's: the files that we hand out contain no name that the library
// would clone or fetch.
func FuzzKustomization(f *testing.F) {
	f.Add("resources: [a.yaml]\nReſources: ['https://h.invalid']")
	f.Add("Components: [\"github.com/a/b\\n\"]\n---\nbases: [.]")
	f.Add("&a \"\\u0062ases\": [git::x]\nGENERATORS: ['{a: b}', a.yaml]")
	f.Add("CRDS: [http:a]\nconfigMapGenerator: [{eNv: 'https://x'}, {<<: {files: [k=http://x]}}]")
	f.Fuzz(func(t *testing.T, text string) {
		disk := filesys.MakeFsInMemory()
		require.NoError(t, disk.WriteFile("/k/kustomization.yaml", []byte(text)))
		require.NoError(t, disk.WriteFile("/k/a.yaml", []byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")))
		offline := newOffline(disk)
		_, _, err := offline.CleanedAbs("/k/kustomization.yaml")
		require.NoError(t, err)
		content, err := offline.ReadFile("/k/kustomization.yaml")
		var read types.Kustomization
		if err != nil || read.Unmarshal(content) != nil {
			return
		}
		read.FixKustomization()
		var names []string
		for _, list := range [][]string{
			read.Resources, read.Components, read.Crds, read.Configurations, read.Generators, read.Transformers, read.Validators,
			{read.OpenAPI["path"]},
		} {
			names = append(names, list...)
		}
		for _, generator := range read.ConfigMapGenerator {
			names = append(append(names, generator.FileSources...), generator.EnvSources...)
		}
		for _, patch := range read.Patches {
			names = append(names, patch.Path)
		}
		for _, name := range names {
			_, file, _ := strings.Cut(name, "=")
			require.Empty(t, remoteReason(name), "%q", text)
			if !strings.ContainsAny(name, "\n:{[") { // else it may be an inline configuration
				require.Empty(t, remoteReason(file), "%q", text)
			}
		}
	})
}
