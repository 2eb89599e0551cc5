package class_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
)

func TestWhetherASchemaAndItsProgramAgree(t *testing.T) {
	t.Parallel()
	const program = "name: web\nruntime: yaml\nconfig:\n  image: {type: string}\n  size: {type: integer, default: 1}\n  color: {value: red}\n  web:zone: {type: string}\n"
	const secretProgram = "name: web\nruntime: yaml\nconfig: {password: {type: string, secret: true}}\n"
	for name, c := range map[string]struct {
		schema, program, reason string
		secrets                 []string
		config                  map[string]apiextensionsv1.JSON
		says                    []string
	}{
		"all is required":        {schema: `{"required": ["image", "zone"], "properties": {"image": {}, "zone": {}, "size": {}}}`},
		"all has a default":      {schema: `{"properties": {"image": {"default": "a"}, "zone": {"default": "b"}}}`},
		"the class sets it":      {schema: `{"required": ["image"], "properties": {"image": {}}}`, config: map[string]apiextensionsv1.JSON{"web:zone": {}, "k8sconnect:namespace": {}}},
		"a secret":               {schema: `{"required": ["image", "zone"], "properties": {"image": {}}}`, secrets: []string{"zone"}},
		"a schema that is wrong": {schema: `{"type": "string"}`},
		"an object may leave it out": {
			schema: `{"required": ["image"], "properties": {"image": {}, "zone": {}}}`, reason: "KeysMissing", says: []string{"that objects may leave out: zone."},
		},
		"a secret may be left out": {
			schema: `{"required": ["image"], "properties": {"image": {}}}`, secrets: []string{"zone"}, reason: "KeysMissing", says: []string{"leave out: zone."},
		},
		"the program does not know it": {
			schema: `{"required": ["image", "zone"], "properties": {"image": {}, "zone": {}, "replicas": {}}}`, secrets: []string{"password"},
			reason: "KeysUnknown", says: []string{"those that do fail: password, replicas."},
		},
		"both": {
			schema: `{"required": ["image"], "properties": {"image": {}, "zones": {}}}`, reason: "KeysUnknown", says: []string{"leave out: zone. ", "those that do fail: zones."},
		},
		"the program is none":                {schema: `{}`, program: "runtime: [", reason: "ProgramInvalid", says: []string{"Pulumi.yaml"}},
		"what the program declares":          {config: map[string]apiextensionsv1.JSON{"k8sconnect:namespace": {}}},
		"a secret that the program declares": {program: secretProgram, secrets: []string{"password"}},
		"a secret that objects cannot have": {
			program: secretProgram, reason: "KeysMissing", says: []string{"requires secrets that objects cannot have: password. Name them in spec.secrets"},
		},
		"a secret that the program does not declare": {secrets: []string{"password"}, reason: "KeysUnknown", says: []string{"those that do fail: password."}},
		"no schema and no program":                   {program: "runtime: [", reason: "ProgramInvalid", says: []string{"Pulumi.yaml"}},
		"a compiled program may read anything": {
			schema: `{"properties": {"anything": {}}}`, program: "name: web\nruntime: go\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := &v1alpha1.EnvironmentClass{Spec: v1alpha1.EnvironmentClassSpec{Secrets: c.secrets}}
			if c.schema != "" {
				of.Spec.Schema = &apiextensionsv1.JSON{Raw: []byte(c.schema)}
			}
			text := program
			if c.program != "" {
				text = c.program
			}
			reason, message := class.Disagreement(of, &class.Revision{
				Template: v1alpha1.EnvironmentSpec{Config: c.config}, Files: map[string][]byte{"Pulumi.yaml": []byte(text)},
			})
			require.Equal(t, c.reason, reason, message)
			for _, says := range c.says {
				assert.Contains(t, message, says)
			}
			assert.Equal(t, c.reason == "", message == "")
		})
	}
}
