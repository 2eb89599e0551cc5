package sdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/contract"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// GeneratePackage writes the package of a plugin, with the generator that Pulumi's own host has.
func (h host) GeneratePackage(
	_ context.Context, request *pulumirpc.GeneratePackageRequest,
) (*pulumirpc.GeneratePackageResponse, error) {
	var spec schema.PackageSpec
	if err := json.Unmarshal([]byte(request.Schema), &spec); err != nil {
		return nil, err
	}
	loader, err := schema.NewLoaderClient(request.LoaderTarget)
	if err != nil {
		return nil, err
	}
	defer contract.IgnoreClose(loader)
	pkg, diagnostics, err := schema.BindSpec(spec, loader, schema.ValidationOptions{AllowDanglingReferences: true})
	if err != nil {
		return nil, err
	}
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	tool := hostPrefix + h.Language
	var files map[string][]byte
	switch h.Language {
	case "go":
		files, err = gogen.GeneratePackage(tool, pkg, request.LocalDependencies)
	case "nodejs":
		files, err = nodejs.GeneratePackage(tool, pkg, request.ExtraFiles, request.LocalDependencies, request.Local, loader)
	case "python":
		files, err = python.GeneratePackage(tool, pkg, request.ExtraFiles, loader)
	}
	if err != nil {
		return nil, err
	}
	for name, content := range files {
		file := filepath.Join(request.Directory, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return nil, err
		}
	}
	return &pulumirpc.GeneratePackageResponse{}, nil
}

// Link makes generated packages dependencies of a project.
func (h host) Link(ctx context.Context, request *pulumirpc.LinkRequest) (*pulumirpc.LinkResponse, error) {
	if h.Language != "nodejs" {
		return nil, fmt.Errorf("no link in %s", h.Language)
	}
	for _, dependency := range request.Packages {
		var manifest struct{ Name string }
		text, err := os.ReadFile(filepath.Join(request.Info.RootDirectory, dependency.Path, "package.json"))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &manifest); err != nil {
			return nil, err
		}
		link := exec.CommandContext(ctx, "npm", "pkg", "set", fmt.Sprintf("dependencies.%s=file:%s", manifest.Name, dependency.Path))
		link.Dir = request.Info.ProgramDirectory
		if out, err := link.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("npm pkg set: %w\n%s", err, out)
		}
	}
	return &pulumirpc.LinkResponse{}, nil
}

// InstallDependencies installs what a project depends on.
func (h host) InstallDependencies(
	request *pulumirpc.InstallDependenciesRequest, engine pulumirpc.LanguageRuntime_InstallDependenciesServer,
) error {
	if h.Language != "nodejs" {
		return fmt.Errorf("no installation in %s", h.Language)
	}
	install := exec.CommandContext(engine.Context(), "npm", "install", "--no-audit", "--no-fund", "--loglevel=error")
	install.Dir = request.Info.ProgramDirectory
	if out, err := install.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install: %w\n%s", err, out)
	}
	return nil
}
