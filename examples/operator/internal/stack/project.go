package stack

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/encoding"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

// ProjectFile is the file that makes a folder a program.
const ProjectFile = "Pulumi.yaml"

// ErrProgram says that the files are no program that an Environment can run.
var ErrProgram = errors.New("the program is invalid")

// Project checks the files of a program and reads what it says of itself.
func Project(files map[string][]byte, stack string) (*workspace.Project, error) {
	content, found := files[ProjectFile]
	if !found {
		return nil, fmt.Errorf("%w: it has no file %s. Add it to the ConfigMap", ErrProgram, ProjectFile)
	}
	for _, extension := range []string{".yaml", ".yml", ".json"} {
		if name := SettingsFile(stack, extension); files[name] != nil {
			return nil, fmt.Errorf("%w: it has a file %s, which the operator writes. Remove the file and use the Environment's config and secretConfig", ErrProgram, name)
		}
	}
	project, err := workspace.LoadProjectBytes(content, ProjectFile, encoding.YAML)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %s", ErrProgram, ProjectFile, strings.TrimSpace(err.Error()))
	}
	if folder := project.StackConfigDir; folder != "" && path.Clean(folder) != "." {
		return nil, fmt.Errorf("%w: %s sets stackConfigDir (or config) to %q, but the operator writes the stack's configuration beside %[2]s. Remove the setting", ErrProgram, ProjectFile, folder)
	}
	return project, nil
}

// SettingsFile is the name of a stack's configuration file.
func SettingsFile(stack, extension string) string { return "Pulumi." + stack + extension }

// DestroyProgram is all that a destroy needs of a program.
func DestroyProgram(project string) []byte {
	return fmt.Appendf(nil, "name: %q\nruntime: yaml\n", project) // A name may look like a number, or like true.
}
