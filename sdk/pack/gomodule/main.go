// Command gomodule packs a Go module as the module proxies have it: the zip archive,
// go.mod and the description of one version, in the layout that GOPROXY=file://DIR reads.
//
// Usage:
//
//	gomodule MODULE VERSION DIR
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: gomodule MODULE VERSION DIR")
		os.Exit(2)
	}
	if err := pack(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func pack(source, version, dir string) error {
	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return err
	}
	packed := module.Version{Path: modfile.ModulePath(mod), Version: version}
	escaped, err := module.EscapePath(packed.Path)
	if err != nil {
		return err
	}
	folder := filepath.Join(dir, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}

	archive, err := os.Create(filepath.Join(folder, version+".zip"))
	if err != nil {
		return err
	}
	if err := errors.Join(zip.CreateFromDir(archive, packed, source), archive.Close()); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	for name, content := range map[string]string{
		version + ".mod": string(mod),
		// The time means nothing here and must not make one archive differ from the next.
		version + ".info": fmt.Sprintf("{%q:%q,%q:%q}\n", "Version", version, "Time", time.Unix(0, 0).UTC().Format(time.RFC3339)),
		"list":            version + "\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}
