package functions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// source is a text with manifests.
type source struct {
	// argument is the path of the argument that led to the source, label its name in messages.
	argument, label string
	text            string
}

// sourcesOf reads the sources that the arguments name. With secret, no message repeats an argument.
func sourcesOf(args property.Map, secret bool) ([]source, check.Mistakes) {
	wrong := check.Arguments[SplitYamlArgs](args)
	var given []string
	if v := args.Get(keySecrets); !v.IsNull() && !slices.Contains([]string{secretsInclude, secretsExclude, secretsOnly}, values.Text(v)) {
		wrong.Add(keySecrets, "The value must be one of include, exclude, only.")
	}
	for _, key := range splitYamlSource {
		if !args.Get(key).IsNull() {
			given = append(given, key)
		}
	}
	switch {
	case len(wrong) > 0:
		return nil, wrong
	case len(given) == 0:
		wrong.Add(keyContent, "Give one of content, files and kustomization.")
		return nil, wrong
	case len(given) > 1:
		wrong.Add(given[1], fmt.Sprintf("%s cannot be combined. Give one of content, files and kustomization.", strings.Join(given, " and ")))
		return nil, wrong
	}
	value := args.Get(given[0])
	switch {
	case given[0] == keyFiles:
		return filesOf(value, secret)
	case !value.IsString():
		wrong.Add(given[0], "The value must be a text.")
		return nil, wrong
	case given[0] == keyContent:
		return []source{{argument: keyContent, label: keyContent, text: value.AsString()}}, nil
	default:
		built, err := kustomize(value.AsString(), secret)
		if err != nil {
			wrong.Add(keyKustomization, err.Error())
			return nil, wrong
		}
		return []source{built}, nil
	}
}

// filesOf reads files, each once.
func filesOf(patterns property.Value, secret bool) ([]source, check.Mistakes) {
	var wrong check.Mistakes
	if !patterns.IsArray() {
		wrong.Add(keyFiles, "The value must be a list of paths and patterns.")
		return nil, wrong
	}
	if patterns.AsArray().Len() == 0 {
		wrong.Add(keyFiles, "The list is empty: name at least one path or pattern.")
	}
	var sources []source
	seen := map[string]bool{}
	for i, pattern := range patterns.AsArray().All {
		argument := fmt.Sprintf("%s[%d]", keyFiles, i)
		if !pattern.IsString() || pattern.AsString() == "" {
			wrong.Add(argument, "The value must be a path or a pattern.")
			continue
		}
		paths, err := match(pattern.AsString())
		for _, path := range paths {
			content, readErr := os.ReadFile(path)
			if readErr != nil {
				err = readErr
				break
			}
			if name := absolute(path); !seen[name] {
				seen[name] = true
				label := path
				if secret {
					label = argument
				}
				sources = append(sources, source{argument: argument, label: label, text: string(content)})
			}
		}
		switch {
		case err != nil && secret:
			wrong.Add(argument, "The file cannot be read. Its name is not shown, because it is secret.")
		case err != nil:
			wrong.Add(argument, fileReason(err))
		}
	}
	return sources, wrong
}

// match finds the files that a path or a pattern denotes, sorted. A pattern must match something: a misspelled one
// would otherwise give an empty result, and everything created from it before would be deleted.
func match(pattern string) ([]string, error) {
	info, err := os.Stat(pattern)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s is a folder: write %s for the files in it", pattern, filepath.Join(pattern, "*.yaml"))
	case err == nil:
		return []string{pattern}, nil
	case !strings.ContainsAny(pattern, "*?["):
		return nil, err
	case strings.Contains(pattern, "**"):
		return nil, fmt.Errorf("%s: ** is not understood: write a pattern for each level of folders, such as a/*.yaml and a/*/*.yaml", pattern)
	}
	matches, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s is not a pattern: it has a [ without its ], or a wrong range", pattern)
	}
	var files []string
	for _, path := range matches {
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			files = append(files, path) // a file that cannot be examined fails when it is read
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s matches no file%s", pattern, fromHere())
	}
	return files, nil
}

// fileReason says why a file could not be read, and which folder its path is relative to.
func fileReason(err error) string {
	var failed *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist) && errors.As(err, &failed):
		return fmt.Sprintf("There is no file %s%s.", failed.Path, fromHere())
	case errors.As(err, &failed):
		return fmt.Sprintf("%s cannot be read: %v.", failed.Path, failed.Err)
	default:
		return err.Error() + "."
	}
}

// fromHere says which folder relative paths start from.
func fromHere() string {
	folder, err := os.Getwd()
	if err != nil {
		return ""
	}
	return " (relative to " + folder + ")"
}

// absolute returns a path that identifies a file.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}
