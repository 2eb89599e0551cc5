package stack

import (
	"encoding/json"
	"strconv"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

// yamlRuntime is Pulumi's language host for YAML.
const yamlRuntime = "yaml"

// asText is how a text is written so that the program gets it as it is. The language host for YAML gets all configuration
// without types, and takes what looks like a number, a boolean or JSON for one, whatever the program declares; so does
// "pulumi config set". Of JSON that is a text it takes the content. Other hosts, and providers, get what is written.
func asText(project *workspace.Project, key config.Key, text string) string {
	if project.Runtime.Name() != yamlRuntime || key.Namespace() != project.Name.String() || wantsNoText(project, key) || !looksTyped(text) {
		return text
	}
	quoted, _ := json.Marshal(text) // a string can always be encoded
	return string(quoted)
}

// wantsNoText says whether a program declares another type, by name or by its default. A Secret has only texts to give.
func wantsNoText(project *workspace.Project, key config.Key) bool {
	declared, found := project.Config[key.Name()]
	if !found {
		declared = project.Config[key.String()]
	}
	if declared.IsExplicitlyTyped() {
		return declared.TypeName() != "string"
	}
	_, isText := declared.Default.(string)
	return declared.Default != nil && !isText
}

// looksTyped says whether the host for YAML may take a text for something else.
func looksTyped(text string) bool {
	_, notNumber := strconv.ParseFloat(text, 64)
	_, notBool := strconv.ParseBool(text)
	return notNumber == nil || notBool == nil || json.Valid([]byte(text))
}
