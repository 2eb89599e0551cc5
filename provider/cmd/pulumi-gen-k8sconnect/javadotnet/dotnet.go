package main

import (
	_ "embed"
	"net/http"
	"net/http/httptest"
	"strings"

	dotnet "github.com/pulumi/pulumi-dotnet/pulumi-language-dotnet/v3/codegen"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

//go:embed logo.png
var logo []byte

// generateDotnet serves the embedded logo to the generator, which always fetches one, by
// default Pulumi's from the Internet. Generated files must not depend on the Internet.
func generateDotnet(pkg *schema.Package) (map[string][]byte, error) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(logo)
	}))
	defer server.Close()
	pkg.LogoURL = server.URL
	leaveOutExamples(pkg)

	files, err := dotnet.GeneratePackage(tool, pkg, nil, nil)
	if err != nil {
		return nil, err
	}
	// The project names this file, and the generator writes it only for a version.
	if pkg.Version == nil {
		files["version.txt"] = []byte("0.0.1")
	}
	files["README.md"] = readme(".NET", pkg)
	return files, nil
}

// leaveOutExamples removes the examples from the descriptions, because none is in C#. Otherwise the generator would keep
// only their heading for resources, and the examples in all languages for functions.
func leaveOutExamples(pkg *schema.Package) {
	for _, resource := range pkg.Resources {
		resource.Comment, _, _ = strings.Cut(resource.Comment, "\n\n{{% examples %}}")
	}
	for _, function := range pkg.Functions {
		function.Comment, _, _ = strings.Cut(function.Comment, "\n\n{{% examples %}}")
	}
}
