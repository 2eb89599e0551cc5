package sdk_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The options are those that "pulumi new typescript" gives, and outDir. Without skipLibCheck our own types are checked too.
// It is not called tsconfig.json: the README's project has none, and would be run by it.
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

func installNode(t *testing.T, p *project) {
	p.env = append(p.env, "npm_config_prefer_offline=true")
	p.followReadme(t, "TypeScript")
	p.write(t, "check.json", tsconfig)
	p.write(t, "everything.ts", program(t, "everything.ts"))
	p.write(t, "story.ts", program(t, "story.ts"))
	for name, example := range snippets(t, "typescript") {
		p.write(t, name+".ts", example)
	}
	p.run(t, "node_modules/.bin/tsc", "--project", "check.json")
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
