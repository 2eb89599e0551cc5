package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/sets"
)

func TestAPeerIsWhatAFolderHasAPluginOf(t *testing.T) {
	folder := func(t *testing.T, files ...string) string {
		dir := t.TempDir()
		for _, file := range files {
			require.NoError(t, os.WriteFile(filepath.Join(dir, file), nil, 0o700))
		}
		return dir
	}
	for _, plugin := range []string{"kubernetes", "k8sconnect"} {
		t.Run(plugin, func(t *testing.T) {
			dir := folder(t, "pulumi-resource-"+plugin, "README.md")
			found, err := peerIn(dir)
			require.NoError(t, err)
			require.Len(t, found, 1)
			assert.Equal(t, plugin, found[0].plugin)
			assert.False(t, found[0].isOurs(), "it has no limits to keep")
			own := cli.Tools{Path: "/built", Home: "/home"}
			tools := found[0].toolsFor(own, "/bench")
			assert.True(t, strings.HasPrefix(tools.Path, dir+string(os.PathListSeparator)), "its plugin is found first")
			assert.NotEqual(t, own.Home, tools.Home)
		})
	}
	t.Run("without a folder there is none", func(t *testing.T) {
		found, err := peerIn("")
		require.NoError(t, err)
		assert.Empty(t, found)
	})
	for name, files := range map[string][]string{
		"no plugin is an error":            {"pulumi-resource-random"},
		"more than one plugin is an error": {"pulumi-resource-kubernetes", "pulumi-resource-k8sconnect"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := peerIn(folder(t, files...))
			assert.ErrorContains(t, err, "pulumi-resource-kubernetes")
		})
	}
}

func TestABuildWithoutManifestsIsToldOfEachObject(t *testing.T) {
	for name, test := range map[string]struct {
		schema, form string
		entrant      entrant
		want         string
		waits        bool
	}{
		"this build":                       {``, formManifests, provider, formManifests, true},
		"this build, otherwise":            {``, "texts", provider, "texts", false},
		"another build":                    {`{"resources":{"k8sconnect:index:Manifests":{}}}`, formManifests, entrant{plugin: "k8sconnect", folder: "/peer"}, formManifests, true},
		"another build without it":         {`{"resources":{"k8sconnect:index:KubeObject":{}}}`, formManifests, entrant{plugin: "k8sconnect", folder: "/peer"}, formObjects, false},
		"another build, with each by text": {``, "texts", entrant{plugin: "k8sconnect", folder: "/peer"}, "texts", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			pulumi := filepath.Join(dir, "pulumi")
			script := "#!/bin/sh\ntest \"$*\" = '--non-interactive --color=never package get-schema /peer/pulumi-resource-k8sconnect' && echo '" + test.schema + "'\n"
			require.NoError(t, os.WriteFile(pulumi, []byte(script), 0o700))
			b := bench{dir: dir, form: test.form}
			b.tools.Pulumi = pulumi
			e, err := test.entrant.inForm(t.Context(), b)
			require.NoError(t, err)
			assert.Equal(t, test.waits, e.waits)
			set := sets.Set{Name: "set", Objects: []sets.Object{{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "set"}}}}
			got, err := e.form.program("k8sconnect", set)
			require.NoError(t, err)
			want, err := forms[test.want].program("k8sconnect", set)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(got))
		})
	}
}

// resourcesOf are the resources of a program.
func resourcesOf(t *testing.T, f form, set sets.Set) map[string]struct {
	Type       string
	Properties map[string]any
	Options    struct{ DependsOn []string }
} {
	t.Helper()
	text, err := f.program("k8sconnect", set)
	require.NoError(t, err)
	var program struct {
		Runtime   string
		Resources map[string]struct {
			Type       string
			Properties map[string]any
			Options    struct{ DependsOn []string }
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &program))
	assert.Equal(t, "yaml", program.Runtime)
	return program.Resources
}

func TestAProgramHasEveryObjectOfASet(t *testing.T) {
	set := sets.KubePrometheus()
	t.Run("as a resource each, behind its namespace and its definition", func(t *testing.T) {
		resources := resourcesOf(t, asObjects, set)
		assert.Len(t, resources, len(set.Objects))
		for name, r := range resources {
			assert.Equal(t, "k8sconnect:KubeObject", r.Type)
			for _, first := range r.Options.DependsOn {
				assert.Contains(t, resources, strings.Trim(first, "${}"), name)
			}
		}
		assert.Empty(t, resources["Namespace-monitoring"].Options.DependsOn)
		assert.Equal(t, []string{"${Namespace-monitoring}", "${CustomResourceDefinition-prometheuses-monitoring-coreos-com}"},
			resources["Prometheus-monitoring-k8s"].Options.DependsOn)
	})
	t.Run("as a text each", func(t *testing.T) {
		resources := resourcesOf(t, asTexts, set)
		assert.Len(t, resources, len(set.Objects))
		var object sets.Object
		require.NoError(t, yaml.Unmarshal([]byte(resources["Prometheus-monitoring-k8s"].Properties["yaml"].(string)), &object))
		assert.Equal(t, "Prometheus/monitoring/k8s", sets.Identity(object))
		assert.NotEmpty(t, resources["Prometheus-monitoring-k8s"].Options.DependsOn)
	})
	for typ, form := range map[string]form{"k8sconnect:Manifests": asManifests, "kubernetes:yaml/v2:ConfigGroup": asConfigGroup} {
		t.Run("in one file for the component "+typ, func(t *testing.T) {
			p := project{plugin: "k8sconnect", form: form, set: func(string) sets.Set { return set }, dir: t.TempDir()}
			require.NoError(t, p.write(first))
			resources := resourcesOf(t, form, set)
			require.Len(t, resources, 1)
			assert.Equal(t, typ, resources[set.Name].Type)
			assert.Equal(t, []any{manifestsFile}, resources[set.Name].Properties["files"])
			text, err := os.ReadFile(filepath.Join(p.dir, manifestsFile))
			require.NoError(t, err)
			assert.Len(t, strings.Split(string(text), "\n---\n"), len(set.Objects))
		})
	}
	t.Run("and two of one name are an error", func(t *testing.T) {
		set := sets.Set{Objects: append(set.Objects[:1:1], set.Objects[0])}
		_, err := asObjects("k8sconnect", set)
		assert.ErrorContains(t, err, "Namespace-monitoring")
	})
}

func TestAStateKnowsObjectsOfBothProviders(t *testing.T) {
	objects, err := objectsIn([]byte(`{"deployment": {"resources": [
		{"type": "pulumi:pulumi:Stack"},
		{"type": "k8sconnect:index:KubeObject", "inputs": {"manifest": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "n"}}}},
		{"type": "kubernetes:core/v1:ConfigMap", "inputs": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b", "namespace": "n"}}},
		{"type": "kubernetes:yaml/v2:ConfigGroup", "inputs": {"yaml": "…"}}]}}`))
	require.NoError(t, err)
	assert.Equal(t, map[string]bool{"ConfigMap/n/a": true, "ConfigMap/n/b": true}, objects)
}

func TestAKilledRunLosesNothingOrFails(t *testing.T) {
	good := aftermath{made: 66, unknown: 66, kept: 66, there: killedObjects}
	assert.Empty(t, good.lost(), "what the state does not know is found")
	for text, change := range map[string]func(a *aftermath){
		"the next up failed":  func(a *aftermath) { a.up = errors.New("exit status 255") },
		"6 of 66 objects are": func(a *aftermath) { a.kept = 60 },
		"199 of 200 objects":  func(a *aftermath) { a.there = 199 },
		"the destroy failed":  func(a *aftermath) { a.destroy = errors.New("exit status 255") },
		"1 objects are left":  func(a *aftermath) { a.left = 1 },
	} {
		a := good
		change(&a)
		assert.Contains(t, a.lost(), text)
	}
}

func TestRequestsAreCountedByObject(t *testing.T) {
	request := func(verb, uri string) cluster.Request { return cluster.Request{Verb: verb, URI: uri} }
	const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	c := count(cluster.Requests{
		request("get", "/api/v1"), request("get", "/apis"), request("get", "/apis/apiextensions.k8s.io/v1"), request("get", "/api/v1/namespaces/kube-system"),
		request("get", definitions+"/a.example.com"), request("delete", definitions+"/a.example.com"),
		request("watch", definitions+"?fieldSelector=metadata.name%3Da.example.com&watch=true"),
		request("get", "/api/v1/namespaces/n"), request("get", "/api/v1/namespaces/n/configmaps/c"),
	})
	assert.Equal(t, counts{total: 4, most: 2, watches: 1, mostWatches: 1, discoveries: 1}, c)
}

func TestOnlyThePartsThatAreNamedAreMeasured(t *testing.T) {
	assert.ErrorContains(t, run(t.Context(), choice{only: []string{"sets", "everything"}, form: "objects"}), `there is no part "everything", only steps, sets, `)
	assert.ErrorContains(t, run(t.Context(), choice{form: "charts"}), `there is no form "charts"`)
	assert.ErrorContains(t, run(t.Context(), choice{form: "objects", checkpoints: []string{"yes"}}), `checkpoints are on or off, not "yes"`)
}

func TestTheOfficialProviderIsAlsoToldToLookForDrift(t *testing.T) {
	names := func(e entrant) (names []string) {
		for _, s := range e.steps(stepCreate, stepUnchanged) {
			names = append(names, s.name)
		}
		return names
	}
	assert.Equal(t, []string{stepCreate, stepUnchanged}, names(provider))
	assert.Equal(t, []string{stepCreate, stepUnchanged, stepUnchanged + " --refresh"}, names(entrant{plugin: "kubernetes"}))
	assert.NotContains(t, provider.steps(stepUnchanged)[0].command, "--refresh")
}
