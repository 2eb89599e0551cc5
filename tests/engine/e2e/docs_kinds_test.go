package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/connection"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/converter"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/checkout"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// docsStack is a stack whose objects go to a namespace of their own where they name none.
func docsStack(t *testing.T, c *cluster.Cluster) (_ *stack, _ *kube, space string) {
	t.Helper()
	k, space := kubeOf(t, c), c.Namespace(t)
	s := newStackIn(t, k, c.KubeconfigFile())
	s.config(t, "k8sconnect:namespace", space)
	return s, k, space
}

// provePrograms is for pages of programs that are only previewed.
func provePrograms(t *testing.T, p page) {
	p.prove(t, proofs{aProgram: previewed})
}

// previewed previews a program.
func previewed(t *testing.T, f fence) {
	s, _, space := docsStack(t, shared.Get(t))
	s.program(t, "%s", strings.ReplaceAll(programOf(t, f.code), "namespace: default", "namespace: "+space))
	assert.Contains(t, s.preview(t), "to create")
}

// configured checks the configuration of the provider in the file of a stack.
func configured(t *testing.T, f fence) {
	var file struct {
		Config      map[string]any
		Environment []string
	}
	require.NoError(t, yaml.UnmarshalStrict([]byte(f.code), &file))
	if len(file.Config) == 0 {
		assert.NotEmpty(t, file.Environment)
		return
	}
	checkConfig(t, file.Config)
}

// escEnvironment checks what an environment of Pulumi ESC hands over: the configuration, and a
// kubeconfig.
func escEnvironment(t *testing.T, f fence) {
	var file struct {
		Values struct {
			Cluster      map[string]any // which the others refer to
			PulumiConfig map[string]any
			Files        map[string]string
		}
	}
	require.NoError(t, yaml.UnmarshalStrict([]byte(f.code), &file))
	require.Equal(t, len(file.Values.PulumiConfig) > 0, len(file.Values.Files) == 0)
	if len(file.Values.PulumiConfig) > 0 {
		checkConfig(t, file.Values.PulumiConfig)
	}
	for name, content := range file.Values.Files {
		assert.Equal(t, "KUBECONFIG", name)
		config, err := clientcmd.Load([]byte(content))
		require.NoError(t, err)
		assert.NoError(t, clientcmd.Validate(*config))
	}
}

// checkConfig has the provider check a configuration. Values that are references, or that are cut
// short on the page by an ellipsis, are unknown to it.
func checkConfig(t *testing.T, config map[string]any) {
	t.Helper()
	inputs := map[string]property.Value{}
	for key, value := range config {
		name, ours := strings.CutPrefix(key, "k8sconnect:")
		require.True(t, ours, key)
		requireConfigKey(t, name)
		switch value := value.(type) {
		case string:
			inputs[name] = property.New(value)
			if strings.Contains(value, "…") || strings.Contains(value, "${") {
				inputs[name] = property.New(property.Computed)
			}
		default:
			text, err := json.Marshal(value) // as the engine hands over what is no text
			require.NoError(t, err)
			inputs[name] = property.New(string(text))
		}
	}
	checked, err := provider.NewConfiguration("docs").Check(t.Context(), p.CheckRequest{Inputs: property.NewMap(inputs)})
	require.NoError(t, err)
	assert.Empty(t, checked.Failures)
}

// configKeys are the keys that the schema has, without their prefix.
var configKeys = sync.OnceValue(func() map[string]any {
	schema, err := os.ReadFile(filepath.Join("..", "..", "..", "schema.json"))
	if err != nil {
		panic(err)
	}
	keys, _ := at(parse(schema), "config", "variables").(map[string]any)
	return keys
})

func requireConfigKey(t *testing.T, path string) {
	t.Helper()
	name, _, _ := strings.Cut(path, ".")
	require.Contains(t, configKeys(), name, "the provider has no such configuration")
}

// commands checks the lines of a block: that the subcommands and flags exist, the targets of make,
// and the keys that are configured. Nothing is run.
func commands(t *testing.T, f fence) {
	code := strings.ReplaceAll(f.code, "\\\n", " ")
	for line := range strings.Lines(code) {
		if comment := strings.Index(line, "# "); comment >= 0 {
			line = line[:comment]
		}
		for command := range strings.SplitSeq(line, " && ") {
			if words := words(t, command); len(words) > 0 {
				checkCommand(t, words)
			}
		}
	}
}

var (
	word       = regexp.MustCompile(`'[^']*'|"[^"]*"|[^\s'"]+`)
	usage      = regexp.MustCompile(`(?m)^Usage:\n\s+(\S.*)$`)
	assignment = regexp.MustCompile(`^(KUBECONFIG|PULUMI_SKIP_CHECKPOINTS|` + connection.ForgetVariable + `)=\S+$`)
)

func words(t *testing.T, line string) []string {
	t.Helper()
	return word.FindAllString(line, -1)
}

func checkCommand(t *testing.T, words []string) {
	t.Helper()
	switch words[0] {
	case "pulumi", "kubectl":
		checkFlags(t, words)
	case "make":
		makefile, err := checkout.Makefile()
		require.NoError(t, err)
		for _, target := range words[1:] {
			assert.Contains(t, makefile, "\n"+target+":", "there is no such target")
		}
	case "git":
		require.Equal(t, []string{"git", "clone", repository(t)}, words)
	case "cd":
		require.Equal(t, []string{"cd", filepath.Base(repository(t))}, words)
	case "export":
		require.Regexp(t, assignment, strings.Join(words[1:], " "))
	default:
		require.Fail(t, "nothing proves this command", words[0])
	}
}

func repository(t *testing.T) string {
	t.Helper()
	schema, err := os.ReadFile(filepath.Join("..", "..", "..", "schema.json"))
	require.NoError(t, err)
	url, _ := at(parse(schema), "repository").(string)
	return url
}

// checkFlags asks a program for its help on a subcommand.
func checkFlags(t *testing.T, words []string) {
	t.Helper()
	var subcommands, flags []string
	if i := slices.Index(words, "--"); i > 0 && slices.Contains(words, "k8sconnect") {
		for _, w := range words[i+1:] {
			if i == slices.Index(words, w)-1 || strings.HasPrefix(w, "-") {
				assert.Contains(t, converter.Usage, w+" ", "the converter does not know it")
			}
		}
		words = words[:i]
	}
	for _, w := range words[1:] {
		if strings.HasPrefix(w, "-") {
			name, _, _ := strings.Cut(w, "=")
			flags = append(flags, name)
		} else if regexp.MustCompile(`^[a-z][a-z-]*$`).MatchString(w) && len(flags) == 0 {
			subcommands = append(subcommands, w)
		}
	}
	path, text := help(t, words[0], subcommands)
	require.NotEmpty(t, path, "there is no such command: %v", words)
	for _, flag := range flags {
		assert.Regexp(t, `(?m)(^|[\s,\[])`+regexp.QuoteMeta(flag)+`([\s,=\]]|$)`, text, "%v", words)
	}
	if strings.HasPrefix(path, "pulumi config set") {
		for _, w := range words {
			if key, ours := strings.CutPrefix(w, "k8sconnect:"); ours {
				requireConfigKey(t, key)
			}
		}
	}
}

// help is the help on the command that is named by the first of the words, and what it is called.
// There is none if a word names no subcommand where one is wanted.
func help(t *testing.T, program string, words []string) (path, text string) {
	t.Helper()
	binary, err := cluster.Tool(program)
	require.NoError(t, err)
	ask := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), binary, args...)
		cmd.Env = []string{"HOME=" + tools.Home, "PULUMI_HOME=" + tools.Home, "PULUMI_SKIP_UPDATE_CHECK=true"}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	text = ask(append(words, "--help")...)
	synopsis := usage.FindStringSubmatch(text)
	require.NotNil(t, synopsis, text)
	named := strings.Fields(synopsis[1])
	depth := 0
	for depth < len(words) && depth+1 < len(named) && named[depth+1] == words[depth] {
		depth++
	}
	if depth == 0 || strings.Contains(text, "Available Commands:") && depth < len(words) {
		return "", ""
	}
	if program == "kubectl" {
		text += ask("options")
	}
	return strings.Join(append([]string{program}, words[:depth]...), " "), text
}
