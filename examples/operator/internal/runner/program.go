package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
)

// readable is up to which size a file of a program in the image is read. Larger ones say nothing about its configuration.
const readable = 1 << 20

// chooseProject says which project this is. Its name is part of the state.
func (r *run) chooseProject() error {
	if r.Kind.IsOfDeletion() {
		r.project = r.head.Project
		return nil
	}
	if r.inputs.Image != "" {
		files, err := r.filesInImage()
		if err != nil {
			return fmt.Errorf("%w: the image %s: %w", stack.ErrProgram, r.inputs.Image, err)
		}
		r.inputs.Files = files
	}
	program, err := stack.Project(r.inputs.Files, r.stack)
	if err != nil {
		return err
	}
	project := program.Name.String()
	if was := r.head.Project; was != "" && was != project {
		return fmt.Errorf("%w: %s calls the project %q, but what is there was made by %q. Call it %[4]q again, or make another Environment", stack.ErrProgram, stack.ProjectFile, project, was)
	}
	r.project, r.program = project, program
	return nil
}

// filesInImage are the files of the program's folder in the image, without those of the folders in it.
func (r *run) filesInImage() (map[string][]byte, error) {
	entries, err := os.ReadDir(r.Program)
	if err != nil {
		return nil, fmt.Errorf("it has no program in its folder %s: %w", r.Program, err)
	}
	files := map[string][]byte{}
	for _, entry := range entries {
		path := filepath.Join(r.Program, entry.Name())
		info, err := os.Stat(path) // of what a link leads to
		if err != nil || !info.Mode().IsRegular() || info.Size() > readable {
			continue
		}
		if files[entry.Name()], err = os.ReadFile(path); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// writeProgram makes the folder of the program. A destroy needs nothing of the program, not even its configuration: what
// there is to destroy is in the state.
func (r *run) writeProgram() error {
	if err := os.MkdirAll(r.programFolder(), 0o700); err != nil {
		return err
	}
	folder, err := os.OpenRoot(r.programFolder())
	if err != nil {
		return err
	}
	defer folder.Close() //nolint:errcheck // nothing is written by it
	files := r.inputs.Files
	config, secrets := r.inputs.Config, r.inputs.SecretConfig
	if r.Kind.IsOfDeletion() {
		files = map[string][]byte{stack.ProjectFile: stack.DestroyProgram(r.project)}
		config, secrets = nil, nil
	}
	written := files
	if r.inputs.Image != "" {
		written = map[string][]byte{stack.ProjectFile: files[stack.ProjectFile]}
		if err := r.linkRest(folder); err != nil {
			return err
		}
	}
	for name, content := range written {
		if err := folder.WriteFile(name, content, 0o600); err != nil {
			return fmt.Errorf("%w: %w", stack.ErrProgram, err)
		}
	}
	settings, err := stack.Settings(r.key, r.program, config, secrets)
	if err != nil {
		return err
	}
	keys := slices.Concat(slices.Collect(maps.Keys(config)), slices.Collect(maps.Keys(secrets)))
	if err := stack.RequireKnown(r.program, files, keys); err != nil {
		return err
	}
	return settings.Save(filepath.Join(r.programFolder(), stack.SettingsFile(r.stack, ".yaml")))
}

// linkRest makes links to all that the image has of the program, except what is written here: the image cannot be written to, and Pulumi wants
// the stack's configuration beside Pulumi.yaml. A destroy has it, too, because a provider that is part of the program runs from there.
func (r *run) linkRest(folder *os.Root) error {
	entries, err := os.ReadDir(r.Program)
	if errors.Is(err, fs.ErrNotExist) && r.Kind.IsOfDeletion() {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", stack.ErrProgram, err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if name == stack.ProjectFile || strings.HasPrefix(name, stack.SettingsFile(r.stack, ".")) {
			continue
		}
		if err := folder.Symlink(filepath.Join(r.Program, name), name); err != nil {
			return err
		}
	}
	return nil
}
