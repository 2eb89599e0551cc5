package provider_test

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/pkg/v3/codegen"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider"
)

// given is the schema that the provider gives out.
func given(t *testing.T) schema.PackageSpec {
	t.Helper()
	built, err := provider.New(provider.NewConfiguration(provider.Version))
	require.NoError(t, err)
	spec, err := p.GetSchema(t.Context(), provider.Name, provider.Version, built)
	require.NoError(t, err)
	return spec
}

// The plugin gives out the file, so it must be what the code says.
func TestThePluginGivesOutTheSchemaOfTheCode(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../schema.json")
	require.NoError(t, err)
	served, err := provider.Server(nil, string(file))
	require.NoError(t, err)
	resp, err := served.GetSchema(t.Context(), &pulumirpc.GetSchemaRequest{})
	require.NoError(t, err)
	want, err := json.Marshal(given(t))
	require.NoError(t, err)
	assert.JSONEq(t, string(want), resp.GetSchema())
	assert.Contains(t, resp.GetSchema(), `"version":"`+provider.Version+`"`)
}

// descriptions are all that a schema can have, by what they describe.
func descriptions(spec schema.PackageSpec) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		more := true
		give := func(place, text string) { more = more && yield(place, text) }
		properties := func(place string, properties map[string]schema.PropertySpec) {
			for name, property := range properties {
				give(place+"."+name, property.Description)
			}
		}
		resource := func(token string, spec schema.ResourceSpec) {
			give(token, spec.Description)
			properties(token+" output", spec.Properties)
			properties(token+" input", spec.InputProperties)
		}
		give("package", spec.Description)
		properties("config", spec.Config.Variables)
		resource("provider", *spec.Provider)
		for token, spec := range spec.Resources {
			resource(token, spec)
		}
		for token, spec := range spec.Types {
			give(token, spec.Description)
			properties(token, spec.Properties)
			for _, value := range spec.Enum {
				give(fmt.Sprint(token, " value ", value.Value), value.Description)
			}
		}
		for token, spec := range spec.Functions {
			give(token, spec.Description)
			if spec.Inputs != nil {
				properties(token+" argument", spec.Inputs.Properties)
			}
			if spec.ReturnType != nil && spec.ReturnType.ObjectTypeSpec != nil {
				properties(token+" result", spec.ReturnType.ObjectTypeSpec.Properties)
			}
			if spec.Outputs != nil {
				properties(token+" result", spec.Outputs.Properties)
			}
		}
	}
}

func TestEverythingInTheSchemaIsDescribed(t *testing.T) {
	places := map[string]bool{}
	for place, text := range descriptions(given(t)) {
		places[place] = true
		// A sentence, or a sentence and an example.
		assert.Regexp(t, `^(?s)[A-Z].{4,}[.}\n]$`, text, "the description of %s", place)
	}
	// Each of the kinds of places is among them.
	for _, place := range []string{
		"package", "provider", "provider input.token", "config.namespace", "k8sconnect:index:Wait",
		"k8sconnect:index:KubeObject input.manifest", "k8sconnect:index:KubeObject output.resourceRef",
		"k8sconnect:index:WaitFor", "k8sconnect:index:WaitFor.timeout",
		"k8sconnect:index:getObject", "k8sconnect:index:getObject argument.optional", "k8sconnect:index:getObject result.uid",
	} {
		assert.Contains(t, places, place)
	}
}

func TestThePackageSaysWhoseItIs(t *testing.T) {
	spec := given(t)
	for name, value := range map[string]string{
		"displayName": spec.DisplayName, "publisher": spec.Publisher, "license": spec.License, "homepage": spec.Homepage,
		"repository": spec.Repository, "logoUrl": spec.LogoURL, "pluginDownloadURL": spec.PluginDownloadURL,
	} {
		assert.NotEmpty(t, value, name)
	}
	assert.Subset(t, spec.Keywords, []string{"kubernetes", "category/infrastructure", "kind/native"})
	assert.ElementsMatch(t, []string{"go", "nodejs", "python", "java", "csharp"}, slices.Collect(maps.Keys(spec.Language)))

	// The picture is a file of this repository.
	file, found := strings.CutPrefix(spec.LogoURL, "https://raw.githubusercontent.com/k8sconnect/pulumi-k8sconnect/main/")
	assert.True(t, found, spec.LogoURL)
	assert.FileExists(t, "../"+file)
}

// Editors complete the words, and a program that has a word as a string compiles as before.
func TestPoliciesAreEnumsThatTakeStringsToo(t *testing.T) {
	spec := given(t)
	object, patch := spec.Resources["k8sconnect:index:KubeObject"], spec.Resources["k8sconnect:index:Patch"]
	for name, c := range map[string]struct {
		input schema.PropertySpec
		words []any
	}{
		"ConflictPolicy":      {object.InputProperties["conflictPolicy"], []any{"force", "fail"}},
		"OnImmutable":         {object.InputProperties["onImmutable"], []any{"replace", "fail"}},
		"DeletionPropagation": {object.InputProperties["deletionPropagation"], []any{"Background", "Foreground", "Orphan"}},
		"OnDestroy":           {patch.InputProperties["onDestroy"], []any{"leave", "remove", "restore"}},
		"DriftDetection":      {spec.Provider.InputProperties["driftDetection"], []any{"preview", "refresh"}},
	} {
		t.Run(name+" [E5]", func(t *testing.T) {
			token := "k8sconnect:index:" + name
			assert.Equal(t, schema.TypeSpec{Type: "string", OneOf: []schema.TypeSpec{{Type: "string"}, {Ref: "#/types/" + token}}}, c.input.TypeSpec)
			var words []any
			for _, value := range spec.Types[token].Enum {
				words = append(words, value.Value)
			}
			assert.Equal(t, c.words, words)
		})
	}
	// What is read is a string. The packages would take an enum in the configuration for JSON.
	assert.Equal(t, schema.TypeSpec{Type: "string"}, spec.Config.Variables["driftDetection"].TypeSpec)
	assert.Equal(t, schema.TypeSpec{Type: "string"}, spec.Provider.Properties["driftDetection"].TypeSpec)
}

var (
	fence = regexp.MustCompile("(?m)^```([a-z]+)$")
	title = regexp.MustCompile(`(?m)^### \S`)
)

// Every resource and function has its examples in all languages, in the form from which the generators keep
// only the package's own language.
func TestEveryResourceAndFunctionHasExamplesInFiveLanguages(t *testing.T) {
	spec := given(t)
	texts := map[string]string{}
	for token, resource := range spec.Resources {
		texts[token] = resource.Description
	}
	for token, function := range spec.Functions {
		texts[token] = function.Description
	}
	require.Len(t, texts, 10)
	for token, text := range texts {
		t.Run(token, func(t *testing.T) {
			intro, examples, found := strings.Cut(text, "\n\n{{% examples %}}\n## Example Usage\n\n{{% example %}}\n")
			require.True(t, found)
			require.True(t, strings.HasSuffix(examples, "\n```\n{{% /example %}}\n{{% /examples %}}\n"))
			assert.NotContains(t, intro, "{{%")
			for example := range strings.SplitSeq(examples, "{{% example %}}\n") {
				assert.Regexp(t, title, example)
				var languages []string
				for _, open := range fence.FindAllStringSubmatch(example, -1) {
					languages = append(languages, open[1])
				}
				assert.Equal(t, []string{"typescript", "python", "go", "java", "yaml"}, languages)
			}
			for _, language := range []string{"typescript", "python", "go", "java"} {
				left := codegen.FilterExamples(text, language)
				assert.Contains(t, left, "```"+language+"\n")
				assert.NotContains(t, left, "{{%")
				for _, open := range fence.FindAllStringSubmatch(left, -1) {
					assert.Contains(t, []string{language, "sh"}, open[1])
				}
			}
		})
	}
}
