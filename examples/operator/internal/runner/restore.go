package runner

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
)

// local says whether the state is in Secrets: Pulumi then works in a folder, which is filled before and saved after.
func (r *run) local() bool { return r.inputs.BackendURL == "" }

// checkpointFile is the file of the stack in Pulumi's backend.
func (r *run) checkpointFile() string {
	return filepath.Join(r.backendFolder(), ".pulumi", "stacks", r.project, r.stack+".json.gz")
}

// restore puts the last checkpoint where Pulumi looks for it. No lock comes with it: that is what the Lease is for.
func (r *run) restore() error {
	folder := filepath.Dir(r.checkpointFile())
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.backendFolder(), ".pulumi", "meta.yaml"), []byte("version: 1\n"), 0o600); err != nil {
		return err
	}
	if checkpoint := r.head.Checkpoint(); checkpoint != nil {
		return os.WriteFile(r.checkpointFile(), checkpoint, 0o600)
	}
	return nil
}

// chooseProject says which project this is. Its name is part of the state.
func (r *run) chooseProject() error {
	if r.Kind.IsOfDeletion() {
		r.project = r.head.Project
		return nil
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
	for name, content := range files {
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

// environment is what Pulumi is run with, beside what the pod has.
func (r *run) environment() []string {
	always := []string{
		"PULUMI_CONFIG_PASSPHRASE_FILE=" + r.passphraseFile(),
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=true",
		"PULUMI_SKIP_UPDATE_CHECK=true",
		"PULUMI_SKIP_CHECKPOINTS=false",
	}
	if r.MemoryLimit > 0 {
		// The CLI and the provider are the two that grow with the stack, and are told to collect before the kernel ends them.
		always = append(always, fmt.Sprintf("GOMEMLIMIT=%d", r.MemoryLimit*2/5))
	}
	if !r.local() {
		return append(always, "PULUMI_BACKEND_URL="+r.inputs.BackendURL)
	}
	return append(always,
		"PULUMI_BACKEND_URL=file://"+r.backendFolder(),
		"PULUMI_DIY_BACKEND_GZIP=true",
		"PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS=true",
	)
}

// folders makes those that the pod names in its environment.
func folders() error {
	for _, variable := range []string{"HOME", "TMPDIR", "PULUMI_HOME"} {
		if folder := os.Getenv(variable); folder != "" {
			if err := os.MkdirAll(folder, 0o700); err != nil {
				return err
			}
		}
	}
	return nil
}
