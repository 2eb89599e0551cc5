package sources

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// These are the names of the inputs that are read here. They are the same in every resource and function that reads manifests
// from a text.
const (
	Content       = "content"
	Files         = "files"
	Kustomization = "kustomization"
)

// source is a text with manifests.
type source struct {
	// input is the path of the input that led to the source, label its name in messages.
	input, label string
	text         string
}

// Given returns the one input of those named that is given. It is a mistake if none or more than one is given.
func Given(inputs property.Map, names ...string) (given string, wrong check.Mistakes) {
	var all []string
	for _, name := range names {
		if !inputs.Get(name).IsNull() {
			all = append(all, name)
		}
	}
	choice := strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
	switch len(all) {
	case 0:
		wrong.Add(names[0], fmt.Sprintf("Give one of %s.", choice))
	case 1:
		return all[0], nil
	default:
		wrong.Add(all[1], fmt.Sprintf("%s cannot be combined. Give one of %s.", strings.Join(all, " and "), choice))
	}
	return "", wrong
}

// Read reads the documents of one input: [Content], [Files] or [Kustomization]. With secret, no message repeats what the input
// or a document says.
func Read(input string, value property.Value, secret bool) ([]Document, check.Mistakes) {
	reading := reader{secret}
	sources, wrong := reading.sources(input, value)
	var documents []Document
	for _, from := range sources {
		found, failed := manifest.ParseDocuments(from.text)
		for _, err := range failed {
			wrong.Add(from.input, fmt.Sprintf("%s, %s: %s", from.label, err.Place, reading.reason(err.Err.Error())))
		}
		for _, placed := range found {
			documents = append(documents, Document{Input: from.input, Place: from.label + ", " + placed.Place.String(), Object: placed.Object})
		}
	}
	return documents, wrong
}

// reader reads an input.
type reader struct {
	// secret means that no message repeats what the input says.
	secret bool
}

// reason is why a document is refused, as it may be shown.
func (r reader) reason(text string) string {
	if r.secret {
		return "what is wrong is not shown, because the arguments are secret"
	}
	return text
}

// sources are the sources of an input.
func (r reader) sources(input string, value property.Value) (sources []source, wrong check.Mistakes) {
	switch {
	case input == Files:
		return r.files(value)
	case !value.IsString():
		wrong.Add(input, "The value must be a text.")
		return nil, wrong
	case input == Content:
		return []source{{input: Content, label: Content, text: value.AsString()}}, nil
	default:
		built, err := r.kustomization(value.AsString())
		if err != nil {
			wrong.Add(Kustomization, err.Error())
			return nil, wrong
		}
		return []source{built}, nil
	}
}

// files reads files, each once.
func (r reader) files(patterns property.Value) ([]source, check.Mistakes) {
	var wrong check.Mistakes
	if !patterns.IsArray() {
		wrong.Add(Files, "The value must be a list of paths and patterns.")
		return nil, wrong
	}
	if patterns.AsArray().Len() == 0 {
		wrong.Add(Files, "The list is empty: name at least one path or pattern.")
	}
	var sources []source
	seen := map[string]bool{}
	for i, pattern := range patterns.AsArray().All {
		input := fmt.Sprintf("%s[%d]", Files, i)
		if !pattern.IsString() || pattern.AsString() == "" {
			wrong.Add(input, "The value must be a path or a pattern.")
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
				if r.secret {
					label = input
				}
				sources = append(sources, source{input: input, label: label, text: string(content)})
			}
		}
		switch {
		case err != nil && r.secret:
			wrong.Add(input, "The file cannot be read. Its name is not shown, because it is secret.")
		case err != nil:
			wrong.Add(input, fileReason(err))
		}
	}
	return sources, wrong
}

// match finds the files that a path or a pattern denotes, sorted. A pattern must match something: a misspelled pattern would
// otherwise give an empty result, and everything created from it before would be deleted.
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
