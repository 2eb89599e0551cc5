package typed

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// customDefinition is the part of a CustomResourceDefinition that matters.
type customDefinition struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Spec       struct {
		Group string `json:"group"`
		Names struct {
			Kind string `json:"kind"`
		} `json:"names"`
		Versions []struct {
			Name   string `json:"name"`
			Served bool   `json:"served"`
			Schema struct {
				Root *definition `json:"openAPIV3Schema"`
			} `json:"schema"`
		} `json:"versions"`
	} `json:"spec"`
}

// addDefinitions adds the kinds that a file defines, the files of a folder, or the file at an address.
func (c *catalog) addDefinitions(ctx context.Context, path string) error {
	files, err := definitionFiles(path)
	if err != nil {
		return fmt.Errorf("crds=%s: %w", shown(path), err)
	}
	before := len(c.Kinds)
	for _, file := range files {
		text, err := readFile(ctx, file)
		if err != nil {
			return fmt.Errorf("crds=%s: %w", shown(path), err)
		}
		if err := c.addText(text); err != nil {
			return fmt.Errorf("crds=%s: %s: %w", shown(path), filepath.Base(shown(file)), err)
		}
	}
	if len(c.Kinds) == before {
		return fmt.Errorf("crds=%s: there is no CustomResourceDefinition with a version that is served", shown(path))
	}
	return nil
}

// definitionFiles lists the files of a path in the order of their names.
func definitionFiles(path string) (files []string, err error) {
	if isAddress(path) {
		return []string{path}, nil
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	err = filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)) {
			files = append(files, file)
		}
		return err
	})
	return files, err
}

// addText adds the kinds that a text with any documents defines.
func (c *catalog) addText(text []byte) error {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		next, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var read customDefinition
		var any struct {
			Kind string `json:"kind"`
		}
		if err := yaml.Unmarshal(next, &any); err != nil {
			return fmt.Errorf("a document is no YAML: %w", err)
		}
		if any.Kind != "CustomResourceDefinition" {
			continue
		}
		if err := yaml.Unmarshal(next, &read); err != nil {
			return fmt.Errorf("a CustomResourceDefinition cannot be read: %w", err)
		}
		if err := c.addCustom(read); err != nil {
			return err
		}
	}
}

// addCustom adds a kind in each of its versions that is served.
func (c *catalog) addCustom(custom customDefinition) error {
	for _, v := range custom.Spec.Versions {
		k, ok := kindIn(custom.Spec.Group+"/"+v.Name, custom.Spec.Names.Kind)
		if !ok {
			return fmt.Errorf("a CustomResourceDefinition has the kind %q in %q, which cannot be one",
				custom.Spec.Names.Kind, custom.Spec.Group+"/"+v.Name)
		}
		if !v.Served {
			continue
		}
		root := v.Schema.Root
		if root == nil {
			root = &definition{Type: "object", Preserve: true}
		}
		root.Kinds = []groupVersionKind{groupVersionKind(k)}
		if err := c.add(k, document{k.Kind: root}); err != nil {
			return err
		}
	}
	return nil
}
