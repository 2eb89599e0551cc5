package functions

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/sources"
)

// watchNetwork serves a manifest on loopback and puts a program called git first on the PATH. It returns the address
// of the server, and what counts the requests and the runs of the program.
func watchNetwork(t *testing.T) (address string, used func() (requests, clones int)) {
	t.Helper()
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		_, _ = w.Write([]byte(web))
	}))
	t.Cleanup(server.Close)
	bin := t.TempDir()
	log := filepath.Join(bin, "log")
	require.NoError(t, os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\necho \"$@\" >> "+log+"\nexit 1\n"), 0o700))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return server.URL, func() (int, int) {
		runs, err := os.ReadFile(log)
		if err != nil {
			require.ErrorIs(t, err, os.ErrNotExist)
		}
		return int(requests.Load()), strings.Count(string(runs), "\n")
	}
}

func TestNothingIsFetchedHoweverItIsSpelled(t *testing.T) {
	address, used := watchNetwork(t)
	one := func(text string) map[string]string { return map[string]string{"kustomization.yaml": text} }
	plugin := func(text string) map[string]string {
		return map[string]string{"kustomization.yaml": "resources: [a.yaml]\ntransformers: [t.yaml]", "t.yaml": text}
	}
	const patchPlugin = "kind: PatchTransformer\nmetadata: {name: t}\ntarget: {kind: Deployment}\n"
	for name, files := range map[string]map[string]string{
		"Resources":                  one(`Resources: ["URL/a.yaml"]`),
		"RESOURCES":                  one(`RESOURCES: ["URL/a.yaml"]`),
		"resources with a long s":    one(`reſourceſ: ["URL/a.yaml"]`),
		"a key in escapes":           one(`"\u0052esources": ["URL/a.yaml"]`),
		"a key behind an alias":      one("namePrefix: &k Resources\n? *k\n: ['URL/a.yaml']"),
		"a second key":               one("resources: [a.yaml]\nResources: ['URL/a.yaml']"),
		"Bases":                      one(`Bases: ["URL/a.yaml"]`),
		"Components":                 one("resources: [a.yaml]\nComponents: ['github.com/org/repo']"),
		"a repository":               one(`Resources: ["git@h.invalid:org/repo"]`),
		"a repository with a break":  one(`resources: ["github.com/org/repo\n"]`),
		"a repository with dotted I": one(`resources: ["gİthub.com/org/repo"]`),
		"a repository of generators": one("resources: [a.yaml]\nGenerators: ['github.com/org/repo']"),
		"CRDs":                       one("resources: [a.yaml]\nCRDs: ['URL/a.yaml']"),
		"Configurations":             one("resources: [a.yaml]\nConfigurations: ['URL/a.yaml']"),
		"OpenAPI":                    one("resources: [a.yaml]\nOpenAPI: {path: 'URL/a.yaml'}"),
		"a patch's Path":             one("resources: [a.yaml]\nPatches: [{Path: 'URL/a.yaml', target: {kind: Deployment}}]"),
		"PatchesStrategicMerge":      one("resources: [a.yaml]\nPatchesStrategicMerge: ['URL/a.yaml']"),
		"a replacement's Path":       one("resources: [a.yaml]\nReplacements: [{Path: 'URL/a.yaml'}]"),
		"Files of a generator":       one("ConfigMapGenerator: [{name: s, Files: ['URL/a.yaml']}]"),
		"a key and Files":            one("SecretGenerator: [{name: s, FILES: ['k=URL/a.yaml']}]"),
		"Envs of a generator":        one("ConfigMapGenerator: [{name: s, Envs: ['URL/a.env']}]"),
		"Env of a generator":         one("ConfigMapGenerator: [{name: s, ENV: 'URL/a.env'}]"),
		"a plugin's Path":            plugin("apiVersion: builtin\nPath: URL/a.yaml\n" + patchPlugin),
		"a plugin of a tagged version": plugin(
			"apiVersion: !!str builtin\npath: URL/a.yaml\n" + patchPlugin),
		"a plugin of a version in escapes": plugin(
			"\"apiV\\u0065rsion\": \"built\\u0069n\"\npath: URL/a.yaml\n" + patchPlugin),
		"a plugin in one line": one("resources: [a.yaml]\ntransformers: ['{apiVersion: builtin, kind: PatchTransformer, " +
			"metadata: {name: t}, target: {kind: Deployment}, path: \"URL/a.yaml\"}']"),
		"a plugin whose path a patch puts in": {
			"kustomization.yaml":   "resources: [a.yaml]\ntransformers: [t]",
			"t/kustomization.yaml": "resources: [t.yaml]\npatches:\n- target: {kind: PatchTransformer}\n  patch: '[{\"op\": \"add\", \"path\": \"/path\", \"value\": \"URL/a.yaml\"}]'",
			"t/t.yaml":             "apiVersion: builtin\n" + patchPlugin,
		},
		"a plugin that a patch makes one": {
			"kustomization.yaml":   "resources: [a.yaml]\ntransformers: [t]",
			"t/kustomization.yaml": "resources: [t.yaml]\npatches:\n- target: {kind: PatchTransformer}\n  patch: '[{\"op\": \"replace\", \"path\": \"/apiVersion\", \"value\": \"builtin\"}]'",
			"t/t.yaml":             "apiVersion: a.b/v1\npath: URL/a.yaml\n" + patchPlugin,
		},
	} {
		t.Run(name+" is refused [D13]", func(t *testing.T) {
			files["a.yaml"] = web
			for path, text := range files {
				files[path] = strings.ReplaceAll(text, "URL", address)
			}
			write(t, files)
			reason := strings.Join(refused(t, sources.Kustomization, property.New(".")), "\n")
			assert.Contains(t, strings.Join(strings.Fields(reason), " "), "nothing is fetched from the network")
			requests, clones := used()
			assert.Zero(t, requests, "requests")
			assert.Zero(t, clones, "runs of git")
		})
	}
	t.Run("a kustomization behind a link is refused [D13]", func(t *testing.T) {
		write(t, map[string]string{"a.yaml": web, "k.txt": "resources: ['" + address + "/a.yaml', 'github.com/org/repo']"})
		require.NoError(t, os.Symlink("k.txt", "kustomization.yaml"))
		reason := strings.Join(refused(t, sources.Kustomization, property.New(".")), "\n")
		assert.Contains(t, reason, "names github.com/org/repo")
		requests, clones := used()
		assert.Zero(t, requests, "requests")
		assert.Zero(t, clones, "runs of git")
	})
	t.Run("a name that is no file or folder is not tried as a repository [D13]", func(t *testing.T) {
		write(t, map[string]string{"a.yaml": web, "kustomization.yaml": "resources: [a.yaml]\nComponents: [none]"})
		reason := strings.Join(refused(t, sources.Kustomization, property.New(".")), "\n")
		assert.Contains(t, strings.Join(strings.Fields(reason), " "), "kustomization.yaml names none, and there is no such file or folder")
	})
	t.Run("a password in an address is not shown [D13]", func(t *testing.T) {
		write(t, map[string]string{
			"kustomization.yaml":   "resources: [a.yaml]\ntransformers: [t]",
			"t/kustomization.yaml": "resources: [t.yaml]\npatches:\n- target: {kind: PatchTransformer}\n  patch: '[{\"op\": \"replace\", \"path\": \"/apiVersion\", \"value\": \"builtin\"}]'",
			"t/t.yaml":             "apiVersion: a.b/v1\npath: https://me:hush@h.invalid/a.yaml\n" + patchPlugin,
			"a.yaml":               web,
		})
		assert.NotContains(t, strings.Join(refused(t, sources.Kustomization, property.New(".")), "\n"), "hush")
	})
	t.Run("others use the same transport as before [D13]", func(t *testing.T) {
		before, _ := used()
		resp, err := http.Get(address)
		require.NoError(t, err)
		defer resp.Body.Close()
		after, _ := used()
		assert.Equal(t, before+1, after)
	})
}

func TestAKustomizationIsBuiltInAnyCaseOfItsKeys(t *testing.T) {
	write(t, map[string]string{
		"prod/kustomization.yaml": "Resources: [../base]\nCommonLabels: {home: 'https://example.com/'}\nConfigMapGenerator: [{name: c, Literals: ['u=https://example.com/']}]",
		"base/k.txt":              "resources: [a.yaml, folder]\npatches: [{PATCH: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, annotations: {u: \"https://h.invalid\"}}}'}]",
		"base/a.yaml":             web,
		// The names in a linked kustomization are those of the folder where the link is.
		"base/folder/kustomization.yaml": "namePrefix: x-\nresources: [b.yaml]\ntransformers: ['{apiVersion: builtin, kind: PrefixTransformer, metadata: {name: p}, prefix: y-, fieldSpecs: [{path: metadata/name}]}']",
		"base/folder/b.yaml":             strings.ReplaceAll(web, "name: web", "name: api"),
	})
	require.NoError(t, os.Symlink("k.txt", "base/kustomization.yaml"))
	resp := call(t, sources.Kustomization, property.New("prod"))
	require.Empty(t, resp.Failures)
	assert.Equal(t, 3, resp.Return.Get(keyManifests).AsMap().Len(), "[D13]")
}
