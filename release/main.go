// Command release builds what a release of the plugin consists of: for each platform the archive that
// "pulumi plugin install" takes, and the list of what the binary in it is made of.
//
// The same source and toolchain give the same bytes, wherever and whenever they are built.
//
// Usage, in the folder of the module:
//
//	release plugin VERSION DIR OS/ARCH...
//	release checksums DIR
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const usage = "usage: release plugin VERSION DIR OS/ARCH...\n       release checksums DIR"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) > 3 && args[0] == "plugin":
		for _, name := range args[3:] {
			if err := plugin(args[1], args[2], name); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	case len(args) == 2 && args[0] == "checksums":
		return writeChecksums(args[1])
	}
	return errors.New(usage)
}

const pluginName = "pulumi-resource-k8sconnect"

// names are those of the binary and of the archive that "pulumi plugin install" looks for.
func names(version, system, architecture string) (binary, archive string) {
	binary = pluginName
	if system == "windows" {
		binary += ".exe"
	}
	return binary, fmt.Sprintf("%s-v%s-%s-%s.tar.gz", pluginName, version, system, architecture)
}

// plugin writes the archive for a platform and, beside it, what it is made of.
func plugin(version, dir, platform string) error {
	system, architecture, complete := strings.Cut(platform, "/")
	if !complete {
		return errors.New("a platform is written OS/ARCH")
	}
	work, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()

	name, archiveName := names(version, system, architecture)
	binary := filepath.Join(work, name)
	if err := build(binary, version, system, architecture); err != nil {
		return err
	}
	archive := filepath.Join(dir, archiveName)
	if err := writeArchive(archive, []file{
		{name: "LICENSE", source: "LICENSE", mode: 0o644},
		{name: "README.md", source: "README.md", mode: 0o644},
		{name: name, source: binary, mode: 0o755},
	}); err != nil {
		return err
	}
	return writeSBOM(archive+".cdx.json", binary, version)
}

// build builds the plugin: without cgo, so that it needs no library of the system, without symbols and the paths of
// this machine, and with nothing that the environment says of how to build.
func build(binary, version, system, architecture string) error {
	command := exec.Command("go", "build", "-buildvcs=false", "-trimpath", "-o", binary,
		"-ldflags", "-s -w -X github.com/k8sconnect/pulumi-k8sconnect/provider.Version="+version, ".")
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+architecture,
		"GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off", "GOEXPERIMENT=", "GOFLAGS=", "GOWORK=off")
	command.Stderr = os.Stderr
	return command.Run()
}
