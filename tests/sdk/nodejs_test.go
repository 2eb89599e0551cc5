package sdk_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The options are those that "pulumi new typescript" gives, and outDir. Without skipLibCheck our own types are checked too.
const tsconfig = `{
  "compilerOptions": {
    "strict": true,
    "outDir": "compiled",
    "target": "es2022",
    "module": "nodenext",
    "moduleResolution": "nodenext",
    "types": ["node"]
  },
  "include": ["*.ts"]
}`

var nodePrograms = installation{install: installNode}

func installNode(t *testing.T, p project) {
	archive := packed(t, "nodejs/*.tgz")
	dependencies, err := json.Marshal(map[string]any{
		"private":         true,
		"dependencies":    map[string]string{"@k8sconnect/pulumi": "file:" + archive},
		"devDependencies": map[string]string{"typescript": "5.9.3", "@types/node": "20.19.43"},
	})
	require.NoError(t, err)
	p.write(t, "package.json", string(dependencies))
	p.write(t, "tsconfig.json", tsconfig)
	p.write(t, "everything.ts", program(t, "everything.ts"))
	p.write(t, "first.ts", firstProgram(t, "typescript"))
	p.write(t, "story.ts", program(t, "story.ts"))
	for name, example := range snippets(t, "typescript") {
		p.write(t, name+".ts", example)
	}
	p.run(t, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
	p.run(t, "node_modules/.bin/tsc", "--project", ".")
}

func TestNodePackageTypeChecks(t *testing.T) {
	selected(t, "nodejs")
	t.Parallel()
	p := nodePrograms.get(t)
	assertUsesEveryInput(t, program(t, "everything.ts"), func(input string) string { return `\b` + input + `\b[:,]` })

	// What was compiled can be loaded, and says which plugin it needs.
	out := p.run(t, "node", "-e", `
		const k8sconnect = require("@k8sconnect/pulumi");
		const { pulumi, version } = require("@k8sconnect/pulumi/package.json");
		console.log(JSON.stringify([typeof k8sconnect.KubeObject, pulumi.name, pulumi.version === version, pulumi.server]));`)
	assert.JSONEq(t, `["function", "k8sconnect", true, "github://api.github.com/k8sconnect/pulumi-k8sconnect"]`, out)
}
