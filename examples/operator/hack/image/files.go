package main

import (
	"bytes"
	"debug/elf"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// programPaths are the programs that the image has to have.
var programPaths = []string{"/operator", "/pulumi", "/pulumi-language-yaml", "/pulumi-resource-k8sconnect"}

// certificatesFile is where Go looks for certificates first.
const certificatesFile = "/etc/ssl/certs/ca-certificates.crt"

// file is a file or folder of the image.
type file struct {
	path    string // in the image
	mode    os.FileMode
	source  string // on this machine, of a program or of what was added
	content []byte // of all other files
	link    string // where a symbolic link leads
}

// image is all that is in the image.
type image struct {
	architecture string
	base         []file // without the programs, parents first
	programs     []file
	added        []file // parents first
}

func newImage(programs map[string]string) (*image, error) {
	made := &image{base: []file{
		{path: "/etc", mode: os.ModeDir | 0o755},
		{path: "/etc/ssl", mode: os.ModeDir | 0o755},
		{path: "/etc/ssl/certs", mode: os.ModeDir | 0o755},
		{path: certificatesFile, mode: 0o644, content: certificates()},
		{path: "/tmp", mode: os.ModeDir | os.ModeSticky | 0o777},
	}}
	for path := range programs {
		if !slices.Contains(programPaths, path) {
			return nil, fmt.Errorf("program %s: the image has none of that name; it has %s", path, strings.Join(programPaths, ", "))
		}
	}
	for _, path := range programPaths {
		source := programs[path]
		if source == "" {
			return nil, fmt.Errorf("program %s is missing: say which file it is, %s=FILE", path, path)
		}
		architecture, err := architectureOf(source)
		if err != nil {
			return nil, fmt.Errorf("program %s: %w", path, err)
		}
		if made.architecture != "" && made.architecture != architecture {
			return nil, fmt.Errorf("program %s: %s is for %s, and the others for %s", path, source, architecture, made.architecture)
		}
		made.architecture = architecture
		made.programs = append(made.programs, file{path: path, mode: 0o755, source: source})
	}
	return made, nil
}

// certificates are those of Mozilla's authorities, but for those whose restrictions a file cannot express.
func certificates() []byte {
	var content bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&content, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer takes everything
		}
	}
	return content.Bytes()
}

// architectureOf is what a program runs on, if it runs where there is nothing but itself.
func architectureOf(source string) (string, error) {
	program, err := elf.Open(source)
	if err != nil {
		return "", fmt.Errorf("%s is no program for Linux (%w): build it with GOOS=linux", source, err)
	}
	defer func() { _ = program.Close() }()
	for _, part := range program.Progs {
		if part.Type == elf.PT_INTERP {
			return "", fmt.Errorf("%s needs libraries, of which the image has none: build it with CGO_ENABLED=0", source)
		}
	}
	switch program.Machine {
	case elf.EM_X86_64:
		return "amd64", nil
	case elf.EM_AARCH64:
		return "arm64", nil
	}
	return "", fmt.Errorf("%s is for %s: build it with GOARCH=amd64 or GOARCH=arm64", source, program.Machine)
}

// open opens the content of a file.
func (f file) open() (io.ReadCloser, int64, error) {
	if f.source == "" {
		return io.NopCloser(bytes.NewReader(f.content)), int64(len(f.content)), nil
	}
	opened, err := os.Open(f.source)
	if err != nil {
		return nil, 0, err
	}
	info, err := opened.Stat()
	if err != nil {
		return nil, 0, err
	}
	return opened, info.Size(), nil
}

// unpack writes the files into a folder, in place of those that were there before.
func (i *image) unpack(root string) error {
	all := slices.Concat(i.base, i.programs, i.added)
	if err := i.empty(root, all); err != nil {
		return err
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	for _, file := range all {
		if err := file.write(filepath.Join(root, file.path)); err != nil {
			return err
		}
	}
	return nil
}

// empty removes what was written before, and nothing that is none of ours.
func (i *image) empty(root string, all []file) error {
	entries, err := os.ReadDir(root)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !slices.ContainsFunc(all, func(f file) bool { return f.path == "/"+entry.Name() }) {
			return fmt.Errorf("%s is not of the image: choose a folder that is empty or does not exist", entry.Name())
		}
	}
	return os.RemoveAll(root)
}

// write writes one file, one of this machine as a hard link where the file system lets it.
func (f file) write(to string) error {
	if f.mode.IsDir() {
		if err := os.Mkdir(to, 0o755); err != nil {
			return err
		}
		return os.Chmod(to, f.mode) // whatever the umask is
	}
	if f.link != "" {
		return os.Symlink(f.link, to)
	}
	if f.source != "" {
		source, err := filepath.EvalSymlinks(f.source)
		if err == nil && hasMode(source, f.mode) && os.Link(source, to) == nil {
			return nil
		}
	}
	content, _, err := f.open()
	if err != nil {
		return err
	}
	defer content.Close()
	written, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, f.mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(written, content)
	return errors.Join(err, written.Close(), os.Chmod(to, f.mode)) // whatever the umask is
}

func hasMode(path string, mode os.FileMode) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Perm() == mode.Perm()
}
