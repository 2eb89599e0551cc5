package provider

// languages returns the names of the language packages. The type named beside each language lists what its generator
// accepts.
func languages() map[string]any {
	return map[string]any{
		// github.com/pulumi/pulumi/pkg/v3/codegen/go.GoPackageInfo
		"go": map[string]any{
			"importBasePath":                 "github.com/k8sconnect/pulumi-k8sconnect/sdk/go/k8sconnect",
			"generateResourceContainerTypes": true,
			"respectSchemaVersion":           true,
		},
		// github.com/pulumi/pulumi/pkg/v3/codegen/nodejs.NodePackageInfo
		"nodejs": map[string]any{
			"packageName":          "@k8sconnect/pulumi",
			"packageDescription":   summary,
			"devDependencies":      map[string]string{"@types/node": "20.19.43"},
			"typescriptVersion":    "5.9.3",
			"respectSchemaVersion": true,
		},
		// github.com/pulumi/pulumi/pkg/v3/codegen/python.PackageInfo
		"python": map[string]any{
			"packageName":          "pulumi_k8sconnect",
			"pyproject":            map[string]any{"enabled": true},
			"respectSchemaVersion": true,
		},
		// github.com/pulumi/pulumi-java/pkg/codegen/java.PackageInfo. Pulumi's host for Java finds the plugin
		// of a package only by a resource in com/<one>/<two>/: the packages are com.k8sconnect.pulumi.
		"java": map[string]any{
			"basePackage": "com.k8sconnect",
			"packages":    map[string]string{Name: "pulumi"},
			"buildFiles":  "none",
		},
		// github.com/pulumi/pulumi-dotnet/pulumi-language-dotnet/v3/codegen.CSharpPackageInfo. The prefix
		// "Pulumi." is reserved on NuGet.
		"csharp": map[string]any{
			"rootNamespace":        "K8sConnect",
			"namespaces":           map[string]string{Name: "Kubernetes"},
			"respectSchemaVersion": true,
		},
	}
}
