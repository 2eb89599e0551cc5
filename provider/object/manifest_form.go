package object

import (
	"encoding/json"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// Checked inputs contain the manifest in one of two forms: as a tree in manifest or, if it is too big for the engine
// ([manifest.IsBig]), as text in yaml. Which of the two a program uses does not matter. Only this file knows the forms;
// everything else works with the tree.
//
// A manifest with unknown values cannot be text. It is a tree in the preview, and becomes text when it is applied.

// secretPlaces begins the first line of a text with secrets. The line is a comment that continues with their places as
// JSON. The text is secret as a whole, so the line is never shown.
const secretPlaces = "# secret: "

// withManifest returns the inputs with a manifest, in the form that suits it. plain is unknown or a tree.
func withManifest(inputs property.Map, plain any, secrets values.Marks) (property.Map, error) {
	inputs = inputs.Delete(keyManifest, keyYAML)
	if object, ok := plain.(map[string]any); ok && isText(object) {
		text, err := formatText(object, secrets)
		if err != nil {
			return inputs, err
		}
		return inputs.Set(keyYAML, property.New(text).WithSecret(!secrets.Empty())), nil
	}
	v, err := values.ToProperty(plain, secrets)
	if err != nil {
		return inputs, err
	}
	return inputs.Set(keyManifest, v), nil
}

// isText reports whether a manifest is passed and stored as text.
func isText(object map[string]any) bool { return manifest.IsBig(object) && !values.HasUnknown(object) }

// manifestIn reads the manifest of checked inputs, in either form.
func manifestIn(inputs property.Map) (plain any, secrets values.Marks, err error) {
	tree, text := inputs.Get(keyManifest), inputs.Get(keyYAML)
	if !tree.IsNull() || !text.IsString() {
		return values.FromProperty(tree)
	}
	written, secrets := splitText(text)
	if plain, err = values.ParseJSON(written); err != nil {
		// No version has written this form; a user may have put it there.
		plain, err = manifest.ParseYAML(text.AsString())
	}
	return plain, secrets, err
}

// asTree returns checked inputs with the manifest as a tree, to compare them with others.
func asTree(inputs property.Map) property.Map {
	plain, secrets, err := manifestIn(inputs)
	if err != nil {
		return inputs
	}
	tree, err := values.ToProperty(plain, secrets)
	if err != nil {
		return inputs
	}
	return inputs.Delete(keyYAML).Set(keyManifest, tree)
}

// holdText reports whether checked inputs contain the manifest as text.
func holdText(inputs property.Map) bool { return inputs.Get(keyYAML).IsString() }

func formatText(object map[string]any, secrets values.Marks) (string, error) {
	text, err := manifest.Text(object)
	if err != nil || secrets.Empty() {
		return text, err
	}
	places, err := json.Marshal(secrets.Paths())
	return secretPlaces + string(places) + "\n" + text, err
}

// splitText returns what formatText has written below the comment, and the secret places. A text without the comment is
// secret as a whole, or not at all.
func splitText(v property.Value) (text string, secrets values.Marks) {
	text = v.AsString()
	line, rest, _ := strings.Cut(text, "\n")
	places, found := strings.CutPrefix(line, secretPlaces)
	if found && v.Secret() {
		var paths [][]any
		if json.Unmarshal([]byte(places), &paths) == nil {
			if secrets, err := values.MarksAt(paths); err == nil && !secrets.Empty() {
				return rest, secrets
			}
		}
	}
	return text, wholly(v)
}

// programText is [splitText] for a text of the program, which may be one that Check has returned. In any other text,
// such a comment is the program's own, and says nothing about secrets.
func programText(v property.Value) (text string, secrets values.Marks) {
	text, secrets = splitText(v)
	if _, ours := manifest.ParseText(text); !ours {
		return v.AsString(), wholly(v)
	}
	return text, secrets
}

// wholly marks everything as secret if v is, or nothing.
func wholly(v property.Value) (secrets values.Marks) {
	if v.Secret() {
		secrets.Add(property.Path{})
	}
	return secrets
}
