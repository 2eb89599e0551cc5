package sdk_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/contract"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// GenerateProgram writes the program of an import, with the generator that Pulumi's own host has.
func (h host) GenerateProgram(
	_ context.Context, request *pulumirpc.GenerateProgramRequest,
) (*pulumirpc.GenerateProgramResponse, error) {
	loader, err := schema.NewLoaderClient(request.LoaderTarget)
	if err != nil {
		return nil, err
	}
	defer contract.IgnoreClose(loader)
	parser := syntax.NewParser()
	for name, source := range request.Source {
		if err := parser.ParseFile(strings.NewReader(source), name); err != nil {
			return nil, err
		}
	}
	if parser.Diagnostics.HasErrors() {
		return nil, parser.Diagnostics
	}
	var lenient []pcl.BindOption
	if !request.Strict {
		lenient = pcl.NonStrictBindOptions()
	}
	bound, diagnostics, err := pcl.BindProgram(parser.Files, loader, lenient...)
	if err == nil && diagnostics.HasErrors() {
		err = diagnostics
	}
	if err != nil {
		return nil, err
	}
	var files map[string][]byte
	switch h.Language {
	case "nodejs":
		files, diagnostics, err = nodejs.GenerateProgram(bound)
	case "python":
		files, diagnostics, err = python.GenerateProgram(bound)
	default:
		return nil, fmt.Errorf("no generator of programs in %s", h.Language)
	}
	if err == nil && diagnostics.HasErrors() {
		err = diagnostics
	}
	return &pulumirpc.GenerateProgramResponse{Source: files}, err
}
