package typed

import (
	"context"
	"errors"
	"fmt"
	"sync"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// Server answers what the engine asks about extensions, which the framework does not know.
type Server struct {
	pulumirpc.ResourceProviderServer

	// Extensions are all extensions of the process.
	Extensions *Extensions
	// Version is the plugin's, and Schema the schema of its package.
	Version, Schema string

	once sync.Once
	base basePackage
	err  error
}

// Parameterize reads an extension: of the parameters of a user, or of the value that an earlier call has made of them.
func (s *Server) Parameterize(ctx context.Context, req *pulumirpc.ParameterizeRequest) (*pulumirpc.ParameterizeResponse, error) {
	if value := req.GetValue(); value != nil {
		c, err := parseValue(value.GetValue())
		if err != nil {
			return nil, fmt.Errorf("the extension %s %s cannot be read: %w. Add the package again with `pulumi package add`", value.GetName(), value.GetVersion(), err)
		}
		return s.keep(extension{value.GetName(), value.GetVersion()}, "", c, value.GetValue())
	}
	if req.GetArgs() == nil {
		return nil, errors.New("an extension needs parameters")
	}
	read, err := parseParameters(req.GetArgs().GetArgs())
	if err != nil {
		return nil, err
	}
	found, err := read.catalog(ctx, "pulumi-"+base+"/"+s.Version)
	if err != nil {
		return nil, err
	}
	if read.save != "" {
		if err := found.save(read.save); err != nil {
			return nil, err
		}
	}
	c := contentOf(found)
	value, err := c.value()
	if err != nil {
		return nil, err
	}
	return s.keep(extension{read.name, read.version}, read.goPath, c, value)
}

// catalog reads the kinds that the parameters name, from wherever they say.
func (p parameters) catalog(ctx context.Context, userAgent string) (*catalog, error) {
	found := newCatalog()
	for _, path := range p.crds {
		if err := found.addDefinitions(ctx, path); err != nil {
			return nil, err
		}
	}
	switch {
	case p.from != "":
		return found, found.addSaved(ctx, p.from, p.kinds)
	case len(p.kinds) > 0:
		return found, found.addLive(ctx, p, userAgent)
	}
	return found, nil
}

// keep keeps an extension for what the engine asks next.
func (s *Server) keep(of extension, goPath string, c content, value []byte) (*pulumirpc.ParameterizeResponse, error) {
	s.once.Do(func() { s.base, s.err = parseBase(s.Schema, s.Version, string(s.Extensions.object.Token)) })
	if s.err != nil {
		return nil, s.err
	}
	text, err := s.base.schemaOf(of.name, of.version, goPath, c, value)
	if err != nil {
		return nil, err
	}
	s.Extensions.shapes.add(c)
	s.Extensions.keep(of, text)
	return &pulumirpc.ParameterizeResponse{Name: of.name, Version: of.version}, nil
}

// GetSchema returns the schema of an extension, or of the package itself.
func (s *Server) GetSchema(ctx context.Context, req *pulumirpc.GetSchemaRequest) (*pulumirpc.GetSchemaResponse, error) {
	if req.GetSubpackageName() == "" {
		return s.ResourceProviderServer.GetSchema(ctx, req)
	}
	of := extension{req.GetSubpackageName(), req.GetSubpackageVersion()}
	text, ok := s.Extensions.schemaOf(of)
	if !ok {
		return nil, fmt.Errorf("the extension %s %s was not given to this plugin. Add the package again with `pulumi package add`", of.name, of.version)
	}
	return &pulumirpc.GetSchemaResponse{Schema: text}, nil
}
