package stack_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
)

func TestNamesAreShortAndDiffer(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "team-a.shop", stack.Name("team-a", "shop"))
	label := rapid.StringMatching(`[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?`)
	seen := map[string][2]string{}
	rapid.Check(t, func(t *rapid.T) {
		namespace, environment := label.Draw(t, "namespace"), rapid.StringMatching(`[a-z0-9]([-.a-z0-9]{0,38}[a-z0-9])?`).Draw(t, "environment")
		name := stack.Name(namespace, environment)
		require.Regexp(t, `^[-_.a-zA-Z0-9]{1,100}$`, name)
		if other, found := seen[name]; found {
			require.Equal(t, other, [2]string{namespace, environment})
		}
		seen[name] = [2]string{namespace, environment}
	})
	assert.NotEqual(t, stack.Name(strings.Repeat("a", 63), strings.Repeat("b", 39)+"c"), stack.Name(strings.Repeat("a", 63), strings.Repeat("b", 39)+"d"))
}

func TestQualifiedNameIsTheBackends(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "organization/shop/team-a.shop", stack.Qualified("", "shop", "team-a.shop"))
	assert.Equal(t, "organization/shop/team-a.shop", stack.Qualified("s3://bucket", "shop", "team-a.shop"))
	assert.Equal(t, "team-a.shop", stack.Qualified("https://api.pulumi.com", "shop", "team-a.shop"))
}

func TestKeyIsTheOneThatWasMade(t *testing.T) {
	t.Parallel()
	passphrase, salt, err := stack.New()
	require.NoError(t, err)
	key, err := stack.Open(passphrase, salt)
	require.NoError(t, err)
	encrypted, err := key.EncryptValue(context.Background(), "hello")
	require.NoError(t, err)
	again, err := stack.Open(passphrase, salt)
	require.NoError(t, err)
	decrypted, err := again.DecryptValue(context.Background(), encrypted)
	require.NoError(t, err)
	assert.Equal(t, "hello", decrypted)

	for _, wrong := range [][2]string{{"another", salt}, {passphrase, "v2" + salt[2:]}, {passphrase, "v1:?:v1:x:y"}, {passphrase, "v1:AAAA"}, {passphrase, ""}, {passphrase, "v1:AAAA:nothing"}} {
		_, err := stack.Open(wrong[0], wrong[1])
		assert.ErrorIs(t, err, stack.ErrKey, wrong[1])
	}
}

var shop = &workspace.Project{Name: "shop", Runtime: workspace.NewProjectRuntimeInfo("yaml", nil)}

func TestSettingsKeepTheTypes(t *testing.T) {
	t.Parallel()
	passphrase, salt, err := stack.New()
	require.NoError(t, err)
	key, err := stack.Open(passphrase, salt)
	require.NoError(t, err)
	plain := map[string]json.RawMessage{
		"text": json.RawMessage(`"a: b"`), "number": json.RawMessage(`3`), "fraction": json.RawMessage(`0.5`), "yes": json.RawMessage(`true`),
		"list": json.RawMessage(`[1,"a",false]`), "database": json.RawMessage(`{"host":"db","ports":[1,2]}`), "aws:region": json.RawMessage(`"eu"`),
	}
	settings, err := stack.Settings(key, shop, plain, map[string]string{"token": "hunter2-token", "database.password": "hunter2-password", "list[3].deep": "hunter2-deep"})
	require.NoError(t, err)
	file := t.TempDir() + "/Pulumi.a.yaml"
	require.NoError(t, settings.Save(file))
	written := read(t, file)
	assert.NotContains(t, written, "hunter2")
	var decoded struct {
		EncryptionSalt string `json:"encryptionsalt"`
		Config         map[string]any
	}
	require.NoError(t, yaml.Unmarshal([]byte(written), &decoded))
	assert.Equal(t, salt, decoded.EncryptionSalt)
	secret := func(value any) string {
		ciphertext, _ := value.(map[string]any)["secure"].(string)
		text, err := key.DecryptValue(context.Background(), ciphertext)
		require.NoError(t, err)
		return text
	}
	assert.Equal(t, "a: b", decoded.Config["shop:text"])
	assert.Equal(t, 3.0, decoded.Config["shop:number"])
	assert.Equal(t, 0.5, decoded.Config["shop:fraction"])
	assert.Equal(t, true, decoded.Config["shop:yes"])
	assert.Equal(t, "eu", decoded.Config["aws:region"])
	assert.Equal(t, "hunter2-token", secret(decoded.Config["shop:token"]))
	database := decoded.Config["shop:database"].(map[string]any)
	assert.Equal(t, "db", database["host"])
	assert.Equal(t, []any{1.0, 2.0}, database["ports"])
	assert.Equal(t, "hunter2-password", secret(database["password"]))
	list := decoded.Config["shop:list"].([]any)
	assert.Equal(t, []any{1.0, "a", false}, list[:3])
	assert.Equal(t, "hunter2-deep", secret(list[3].(map[string]any)["deep"]))
}

// TestTextIsQuotedForYAMLAlone is about where a text looks like something else. What programs get of it is tested where they run.
func TestTextIsQuotedForYAMLAlone(t *testing.T) {
	t.Parallel()
	passphrase, salt, err := stack.New()
	require.NoError(t, err)
	key, err := stack.Open(passphrase, salt)
	require.NoError(t, err)
	for name, test := range map[string]struct{ program, key, text, want string }{
		"a number":                          {"runtime: yaml", "a", "0", `"0"`},
		"with the project in the key":       {"runtime: yaml", "shop:a", "0", `"0"`},
		"with options of the runtime":       {"runtime: {name: yaml, options: {}}", "a", "0", `"0"`},
		"a text that looks like nothing":    {"runtime: yaml", "a", "zero", "zero"},
		"what a provider reads":             {"runtime: yaml", "k8sconnect:a", "0", "0"},
		"a host that knows texts":           {"runtime: python", "a", "0", "0"},
		"declared as a text":                {"runtime: yaml\nconfig: {a: {type: string}}", "a", "0", `"0"`},
		"declared as a number":              {"runtime: yaml\nconfig: {a: {type: integer}}", "a", "0", "0"},
		"declared with the project":         {"runtime: yaml\nconfig: {\"shop:a\": {type: boolean}}", "a", "true", "true"},
		"declared by a default, a number":   {"runtime: yaml\nconfig: {a: 1}", "a", "0", "0"},
		"declared by a default that is not": {"runtime: yaml\nconfig: {a: one}", "a", "0", `"0"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			project, err := stack.Project(map[string][]byte{"Pulumi.yaml": []byte("name: shop\n" + test.program)}, "dev")
			require.NoError(t, err)
			raw, err := json.Marshal(test.text)
			require.NoError(t, err)
			for _, given := range []struct {
				plain  map[string]json.RawMessage
				secret map[string]string
			}{{plain: map[string]json.RawMessage{test.key: raw}}, {secret: map[string]string{test.key: test.text}}} {
				settings, err := stack.Settings(key, project, given.plain, given.secret)
				require.NoError(t, err)
				for _, value := range settings.Config {
					got, err := value.Value(key)
					require.NoError(t, err)
					assert.Equal(t, test.want, got)
				}
				assert.Len(t, settings.Config, 1)
			}
		})
	}
}

func TestSettingsRefuseWhatPulumiWouldMisunderstand(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		plain  map[string]json.RawMessage
		secret map[string]string
		says   string
	}{
		"null":                    {plain: map[string]json.RawMessage{"a": json.RawMessage(`null`)}, says: "null is no value"},
		"a ciphertext":            {plain: map[string]json.RawMessage{"a": json.RawMessage(`[{"secure":"x"}]`)}, says: "Use secretConfig"},
		"a key with three parts":  {plain: map[string]json.RawMessage{"a:b:c": json.RawMessage(`1`)}, says: "a:b:c"},
		"a path through a number": {plain: map[string]json.RawMessage{"a": json.RawMessage(`1`)}, secret: map[string]string{"a.b": "x"}, says: "a.b"},
		"a value that is there":   {plain: map[string]json.RawMessage{"a": json.RawMessage(`1`), "shop:a": json.RawMessage(`2`)}, says: "given twice"},
		"a path that is none":     {secret: map[string]string{"a[": "x"}, says: "no path"},
		"no JSON":                 {plain: map[string]json.RawMessage{"a": json.RawMessage(`{`)}, says: "a: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			passphrase, salt, err := stack.New()
			require.NoError(t, err)
			key, err := stack.Open(passphrase, salt)
			require.NoError(t, err)
			_, err = stack.Settings(key, shop, test.plain, test.secret)
			require.ErrorIs(t, err, stack.ErrConfig)
			assert.ErrorContains(t, err, test.says)
		})
	}
}

func TestProgramIsCheckedBeforeItRuns(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files map[string]string
		says  string
	}{
		"all is well":                    {files: map[string]string{"Pulumi.yaml": "name: web\nruntime: yaml\n", "Pulumi.other.yaml": "{}"}},
		"no Pulumi.yaml":                 {files: map[string]string{"pulumi.yaml": ""}, says: "no file Pulumi.yaml"},
		"no YAML":                        {files: map[string]string{"Pulumi.yaml": "{"}, says: "Pulumi.yaml: "},
		"no name":                        {files: map[string]string{"Pulumi.yaml": "runtime: yaml"}, says: "name"},
		"its own configuration":          {files: map[string]string{"Pulumi.yaml": "name: web\nruntime: yaml\n", "Pulumi.a.shop.yml": "{}"}, says: "Pulumi.a.shop.yml"},
		"its own empty configuration":    {files: map[string]string{"Pulumi.yaml": "name: web\nruntime: yaml\n", "Pulumi.a.shop.yaml": ""}, says: "Pulumi.a.shop.yaml"},
		"configuration in a folder":      {files: map[string]string{"Pulumi.yaml": "name: web\nruntime: yaml\nstackConfigDir: conf\n"}, says: "stackConfigDir"},
		"configuration in an old folder": {files: map[string]string{"Pulumi.yaml": "name: web\nruntime: yaml\nconfig: conf\n"}, says: "stackConfigDir"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string][]byte{}
			for name, content := range test.files {
				files[name] = []byte(content)
			}
			project, err := stack.Project(files, "a.shop")
			if test.says == "" {
				require.NoError(t, err)
				assert.Equal(t, "web", project.Name.String())
				return
			}
			require.ErrorIs(t, err, stack.ErrProgram)
			assert.ErrorContains(t, err, test.says)
		})
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(content)
}

func TestKeysThatAProgramDoesNotKnowAreRefused(t *testing.T) { // [X55]
	t.Parallel()
	const text = "name: shop\nruntime: yaml\nconfig:\n  replicas: {type: integer}\n  image: {type: string}\noutputs:\n  zone: ${zone}\n"
	files := map[string][]byte{"Pulumi.yaml": []byte(text)}
	project, err := stack.Project(files, "team.shop")
	require.NoError(t, err)
	for key, want := range map[string]string{
		"replicas": "", "shop:image": "", "zone": "", "image.tag": "", "k8sconnect:namespace": "",
		"replcas":      `the program has no key "replcas". Did you mean "replicas"`,
		"shop:Replica": `the program has no key "Replica". Did you mean "replicas"`,
		"password":     `the program has no key "password". It has: image, replicas`,
	} {
		err := stack.RequireKnown(project, files, []string{key})
		if want == "" {
			assert.NoError(t, err, key)
			continue
		}
		require.ErrorIs(t, err, stack.ErrConfig)
		assert.ErrorContains(t, err, want)
	}
	compiled, err := stack.Project(map[string][]byte{"Pulumi.yaml": []byte("name: shop\nruntime: go\n")}, "team.shop")
	require.NoError(t, err)
	assert.NoError(t, stack.RequireKnown(compiled, nil, []string{"anything"}), "what a compiled program reads is not known")
}

func TestKeysThatAProgramRequires(t *testing.T) {
	t.Parallel()
	const text = "name: shop\nruntime: yaml\nconfig:\n  size: {type: integer}\n  shop:image: {type: string}\n  zone: {default: a}\n  color: {value: red}\n  aws:region: {value: eu}\n"
	project, err := stack.Project(map[string][]byte{"Pulumi.yaml": []byte(text)}, "team.shop")
	require.NoError(t, err)
	assert.Equal(t, []string{"image", "size"}, stack.Missing(project, nil))
	assert.Equal(t, []string{"size"}, stack.Missing(project, []string{"image", "aws:size"}))
	assert.Empty(t, stack.Missing(project, []string{"shop:image", "size.of"}))
}

func TestADestroyReadsTheNameOfAnyProject(t *testing.T) { // [X79]
	t.Parallel()
	for _, name := range []string{"shop", "2026", "1.5", "true", "null", "no", "0x10", "2026-01-01"} {
		program, err := stack.Project(map[string][]byte{stack.ProjectFile: []byte("name: '" + name + "'\nruntime: yaml\n")}, "dev")
		require.NoError(t, err, name)
		destroyed, err := stack.Project(map[string][]byte{stack.ProjectFile: stack.DestroyProgram(program.Name.String())}, "dev")
		require.NoError(t, err, name)
		require.Equal(t, program.Name, destroyed.Name)
	}
}
