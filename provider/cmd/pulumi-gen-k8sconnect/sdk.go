package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// tool is the name of the generator in the headers of the files.
const tool = "pulumi-gen-k8sconnect"

// The generators by the folder that they write.
var generators = map[string]func(*schema.Package) (map[string][]byte, error){
	"go":     generateGo,
	"nodejs": generateNode,
	"python": generatePython,
}

func generateGo(pkg *schema.Package) (map[string][]byte, error) {
	files, err := gogen.GeneratePackage(tool, pkg, nil)
	if err != nil {
		return nil, err
	}
	// The module is the subfolder, so that its path is the path of the package.
	files[path.Join(pkg.Name, "README.md")] = readme("Go", pkg)
	return files, nil
}

// manifestTypes are the types that the Node.js package has in addition to the schema's.
//
//go:embed nodejs/manifest.ts
var manifestTypes []byte

func generateNode(pkg *schema.Package) (map[string][]byte, error) {
	files, err := nodejs.GeneratePackage(tool, pkg, map[string][]byte{"manifest.ts": manifestTypes}, nil, false, nil)
	if err != nil {
		return nil, err
	}
	files["README.md"] = readme("TypeScript and JavaScript", pkg)
	return files, nil
}

func generatePython(pkg *schema.Package) (map[string][]byte, error) {
	files, err := python.GeneratePackage(tool, pkg, nil, nil)
	if err != nil {
		return nil, err
	}
	// Where pyproject.toml looks for it.
	files["README.md"] = readme("Python", pkg)
	return files, nil
}

// writeSDKs writes a folder for each language into dir. Without a version, as checked in,
// the packages request no version of the plugin.
func writeSDKs(schemaFile, dir, version string) error {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		return err
	}
	for language, generate := range generators {
		// Every generator writes into the package that it is given.
		described := text
		if language == "python" {
			if described, err = withPythonNames(text); err != nil {
				return fmt.Errorf("%s: %w", schemaFile, err)
			}
		}
		pkg, err := bind(described, version)
		if err != nil {
			return fmt.Errorf("%s: %w", schemaFile, err)
		}
		files, err := generate(pkg)
		if err != nil {
			return fmt.Errorf("%s: %w", language, err)
		}
		for name, content := range files {
			if err := write(filepath.Join(dir, language, name), content); err != nil {
				return err
			}
		}
	}
	return nil
}

// bind makes a package of the schema, which refers to no other package.
func bind(text []byte, version string) (*schema.Package, error) {
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, err
	}
	spec.Version = version
	pkg, diagnostics, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	if err != nil {
		return nil, err
	}
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	return pkg, nil
}

func readme(language string, pkg *schema.Package) []byte {
	return fmt.Appendf(nil, "# k8sconnect for Pulumi, in %s\n\n%s\n\nGetting started, examples and documentation: <%s>\n",
		language, pkg.Description, pkg.Homepage)
}

func write(file string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o644)
}
