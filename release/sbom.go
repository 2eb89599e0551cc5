package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

// bom is what is written of CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json). It names no time and has no
// serial number: they would differ from build to build.
type bom struct {
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"`
	Metadata    metadata    `json:"metadata"`
	Components  []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licenses   []licence  `json:"licenses,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licence struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// writeSBOM writes what a binary is made of: the modules that the linker has put into it, as the binary itself
// says, and the standard library. What go.mod asks for besides is not in it.
func writeSBOM(path, binary, version string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	sum, err := checksum(binary)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(bomOf(info, version, sum), "", "  ")
	if err != nil {
		return fmt.Errorf("SBOM: %w", err)
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

func bomOf(info *debug.BuildInfo, version, sum string) bom {
	subject := moduleComponent("application", info.Main.Path, "v"+version)
	subject.Hashes = []hash{{Algorithm: "SHA-256", Content: sum}}
	subject.Licenses = make([]licence, 1)
	subject.Licenses[0].License.ID = "Apache-2.0"
	for _, setting := range info.Settings {
		subject.Properties = append(subject.Properties, property{Name: "go:build:" + setting.Key, Value: setting.Value})
	}

	components := []component{moduleComponent("library", "stdlib", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		components = append(components, moduleComponent("library", module.Path, module.Version))
	}
	slices.SortFunc(components, func(a, b component) int { return strings.Compare(a.Ref, b.Ref) })
	return bom{
		Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata: metadata{Component: subject}, Components: components,
	}
}

// moduleComponent is a module under its package URL, which is what scanners for vulnerabilities look up and where
// its path is in lower case (https://github.com/package-url/purl-spec).
func moduleComponent(kind, path, version string) component {
	url := "pkg:golang/" + strings.ToLower(path) + "@" + strings.ReplaceAll(version, "+", "%2B")
	return component{Type: kind, Ref: url, Name: path, Version: version, PURL: url}
}
