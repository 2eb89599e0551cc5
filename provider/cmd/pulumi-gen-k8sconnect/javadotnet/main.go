// Command javadotnet writes the packages for Java and .NET. Their generators come with the
// hosts of these languages and compile only with the Pulumi version that they were released
// with, which is older than the provider's. So this is a separate module.
//
// Both commands contain the code that binds the schema and writes files: a package that they share would have to be a third
// module that compiles with both Pulumi versions.
//
// Usage:
//
//	javadotnet SCHEMA DIR [VERSION]
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// tool is the name of the generator in the headers of the files.
const tool = "pulumi-gen-k8sconnect"

// The generators by the folder that they write.
var generators = map[string]func(*schema.Package) (map[string][]byte, error){
	"java":   generateJava,
	"dotnet": generateDotnet,
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch len(args) {
	case 2:
		return writeSDKs(args[0], args[1], "")
	case 3:
		return writeSDKs(args[0], args[1], args[2])
	default:
		return errors.New("usage: javadotnet SCHEMA DIR [VERSION]")
	}
}

// writeSDKs writes a folder for each language into dir.
func writeSDKs(schemaFile, dir, version string) error {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		return err
	}
	for language, generate := range generators {
		// Every generator writes into the package that it is given.
		pkg, err := bind(text, version)
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
	pkg, diagnostics, err := schema.BindSpec(spec, schema.NewPluginLoader(nil), schema.ValidationOptions{})
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
