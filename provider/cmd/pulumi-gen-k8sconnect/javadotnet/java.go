package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"
	"text/template"

	"github.com/pulumi/pulumi-java/pkg/codegen/java"
	"github.com/pulumi/pulumi/pkg/v3/codegen"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

//go:embed pom.xml.tmpl
var pom string

// generateJava adds the files that Pulumi's generator leaves to Gradle: the build file,
// here Maven's, and the file that says which plugin Pulumi must install.
func generateJava(pkg *schema.Package) (map[string][]byte, error) {
	leaveOutObjects(pkg)
	files, err := java.GeneratePackage(tool, pkg, nil, nil, false, false)
	if err != nil {
		return nil, err
	}
	versionFile := ""
	for name := range files {
		if strings.HasSuffix(name, "/version.txt") {
			versionFile = name
		}
	}
	if versionFile == "" {
		return nil, errors.New("the generator wrote no version.txt")
	}
	// The generator writes a default if the schema has no version.
	version := string(files[versionFile])

	var text bytes.Buffer
	filled := template.Must(template.New("pom.xml").Parse(pom))
	if err := filled.Execute(&text, map[string]any{"Package": pkg, "Version": version}); err != nil {
		return nil, err
	}
	files["pom.xml"] = text.Bytes()

	if files[resourceRefsFile], err = resourceRefs(pkg); err != nil {
		return nil, err
	}

	plugin := map[string]any{"resource": true, "name": pkg.Name, "server": pkg.PluginDownloadURL}
	if pkg.Version != nil {
		plugin["version"] = version
	}
	info, err := json.MarshalIndent(plugin, "", "  ")
	if err != nil {
		return nil, err
	}
	files[path.Join(path.Dir(versionFile), "plugin.json")] = append(info, '\n')
	files["README.md"] = readme("Java", pkg)
	files[".gitignore"] = []byte("target/\n")
	return files, nil
}

//go:embed ResourceRefs.java.tmpl
var resourceRefsTemplate string

const resourceRefsFile = "src/main/java/com/k8sconnect/pulumi/ResourceRefs.java"

// resourceRefs writes the class that converts a reference to an input, member by member.
func resourceRefs(pkg *schema.Package) ([]byte, error) {
	reference, found := pkg.GetType("k8sconnect:index:ResourceRef")
	object, isObject := reference.(*schema.ObjectType)
	if !found || !isObject {
		return nil, errors.New("the schema has no ResourceRef")
	}
	var text bytes.Buffer
	filled := template.Must(template.New(resourceRefsFile).Parse(resourceRefsTemplate))
	err := filled.Execute(&text, object.Properties)
	return text.Bytes(), err
}

// leaveOutObjects removes the objects from the class in which a Java program finds the
// provider's configuration; the Provider itself keeps its own. Otherwise the generator
// would have to write two classes of the same name, for these objects and for the objects
// that functions take. The classes would have different methods, and the generator fails.
func leaveOutObjects(pkg *schema.Package) {
	pkg.Config = slices.DeleteFunc(pkg.Config, func(variable *schema.Property) bool {
		_, object := codegen.UnwrapType(variable.Type).(*schema.ObjectType)
		return object
	})
}
