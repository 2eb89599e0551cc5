package runner

import (
	"fmt"
	"os"
	"path/filepath"
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
