package converter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheArgumentsOfTheConverter(t *testing.T) {
	t.Parallel()
	for _, example := range []struct {
		args  string
		want  arguments
		wrong string
	}{
		{args: "namespace shop", want: arguments{source: "namespace", name: "shop"}},
		{args: "namespace shop -l app=web --kinds Deployment,cm", want: arguments{source: "namespace", name: "shop", selector: "app=web", kinds: []string{"Deployment", "cm"}}},
		{args: "--selector=app=web namespace --kinds=Secret shop", want: arguments{source: "namespace", name: "shop", selector: "app=web", kinds: []string{"Secret"}}},
		{args: "release web -n shop", want: arguments{source: "release", name: "web", namespace: "shop"}},
		{args: "--namespace=shop release web", want: arguments{source: "release", name: "web", namespace: "shop"}},
		{args: "stack state.json", want: arguments{source: "stack", name: "state.json"}},
		{args: "terraform terraform.tfstate --kinds Secret", want: arguments{source: "terraform", name: "terraform.tfstate", kinds: []string{"Secret"}}},
		{args: "terraform -", wrong: "Pulumi passes no standard input to a converter"},
		{args: "terraform a -n b", wrong: "-n is only for a release"},
		{args: "", wrong: "two words say what to import"},
		{args: "everything shop", wrong: "two words say what to import"},
		{args: "namespace", wrong: "two words say what to import"},
		{args: "namespace a b", wrong: "two words say what to import"},
		{args: "namespace a -l a=(", wrong: "-l is not a label selector"},
		{args: "namespace a --none", wrong: "none"},
		{args: "namespace a -n b", wrong: "-n is only for a release"},
		{args: "release a", wrong: "-n is missing"},
		{args: "stack a -l b=c", wrong: "-l is only for a namespace"},
	} {
		t.Run(example.args+" [M52]", func(t *testing.T) {
			t.Parallel()
			parsed, err := parse(strings.Fields(example.args))
			if example.wrong != "" {
				require.ErrorContains(t, err, example.wrong)
				assert.ErrorContains(t, err, Usage)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, example.want, parsed)
		})
	}
	parsed, err := parse(strings.Fields("namespace shop --context prod --kubeconfig /here"))
	require.NoError(t, err)
	assert.Equal(t, "prod", parsed.connection.Context)
	assert.Equal(t, []string{"/here"}, parsed.connection.KubeconfigFiles())
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"namespace shop", "namespace shop -l a=b", "--kinds a,,b namespace x --", "-- -l", "namespace -", "-l"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		parsed, err := parse(strings.Fields(line))
		if err == nil && parsed.name == "" {
			t.Fatal("a command that names nothing is accepted")
		}
	})
}

func TestTheNameOfTheProgram(t *testing.T) {
	t.Parallel()
	assert.True(t, IsInvokedBy("/home/me/.pulumi/plugins/converter-k8sconnect-v1.0.0/pulumi-converter-k8sconnect"))
	assert.True(t, IsInvokedBy("pulumi-converter-k8sconnect.exe"))
	assert.False(t, IsInvokedBy("/plugins/pulumi-resource-k8sconnect"))
}
