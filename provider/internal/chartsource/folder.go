package chartsource

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"helm.sh/helm/v4/pkg/ignore"
)

// nextOfFolder is the advice for a folder that is too big.
const nextOfFolder = "list in .helmignore what is no part of the chart."

var byteOrderMark = []byte{0xEF, 0xBB, 0xBF}

// readLocal reads a folder or an archive on disk.
func (l limits) readLocal(wanted *wanted) (Fetched, error) {
	fetched, err := l.readPath(wanted)
	if err == nil {
		err = fetched.complete(wanted)
	}
	if err != nil {
		return Fetched{}, wanted.explain(context.Background(), err)
	}
	return fetched, nil
}

func (l limits) readPath(wanted *wanted) (Fetched, error) {
	info, err := os.Stat(wanted.local)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Fetched{}, errorf(NotFound, "there is no such folder or archive%s", fromHere()).
			advising("correct the path; for a chart of a repository, set repo to the address of the repository and chart to the name.")
	case err != nil:
		return Fetched{}, unreadable(err)
	case info.IsDir():
		files, err := l.readFolder(wanted.local)
		return Fetched{Files: files, Digest: digestOfFiles(files), Location: wanted.local}, err
	case !info.Mode().IsRegular():
		return Fetched{}, errorf(Refused, "it is neither a folder nor a file")
	case info.Size() > l.archive:
		return Fetched{}, errorf(Refused, "the archive is larger than %d MiB", l.archive/mebibyte)
	}
	data, err := os.ReadFile(wanted.local)
	if err != nil {
		return Fetched{}, unreadable(err)
	}
	return l.unpackVerified(wanted, data, wanted.local)
}

func unreadable(err error) *Error {
	return &Error{Class: NotFound, What: "it cannot be read", Why: err.Error(), Next: "check the permissions.", cause: err}
}

// fromHere names the folder that relative paths start from.
func fromHere() string {
	folder, err := os.Getwd()
	if err != nil {
		return ""
	}
	return " (relative to " + folder + ")"
}

// readFolder reads the files of a folder that .helmignore does not exclude, sorted by name.
func (l limits) readFolder(folder string) ([]File, error) {
	rules := ignore.Empty()
	list := filepath.Join(folder, ignore.HelmIgnore)
	switch parsed, err := ignore.ParseFile(list); {
	case err == nil:
		rules = parsed
	case !errors.Is(err, fs.ErrNotExist):
		return nil, errorf(Malformed, ".helmignore cannot be read: %w", err).advising("correct " + list + ".")
	}
	rules.AddDefaults()
	walk := folderWalk{limits: l, rules: rules, left: l.unpacked}
	err := walk.folder(folder, "", nil)
	return walk.files, err
}

// unreadableEntry says why an entry of a folder cannot be read. Usually it is a link to a missing target.
func unreadableEntry(path string, err error) *Error {
	target, linkErr := os.Readlink(path)
	if linkErr != nil || !errors.Is(err, fs.ErrNotExist) {
		return unreadable(err)
	}
	return &Error{
		Class: NotFound, What: fmt.Sprintf("%s is a link to %s, which is not there", path, target),
		Next: "correct the link, or remove it, or list it in .helmignore.", cause: err,
	}
}

// folderWalk collects the files of a folder.
type folderWalk struct {
	limits limits
	rules  *ignore.Rules
	files  []File
	left   int64 // bytes
}

// folder reads a folder. above are the folders that contain it, with links resolved.
func (w *folderWalk) folder(path, name string, above []string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return unreadable(err)
	}
	if slices.Contains(above, real) {
		return errorf(Refused, "%s is a link to a folder that contains it", path).
			advising("remove the link, or list it in .helmignore.")
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return unreadable(err)
	}
	for _, entry := range entries {
		below := entry.Name()
		if name != "" {
			below = name + "/" + entry.Name()
		}
		if err := w.entry(filepath.Join(path, entry.Name()), below, append(above, real)); err != nil {
			return err
		}
	}
	return nil
}

// entry reads an entry of a folder. Links are followed.
func (w *folderWalk) entry(path, name string, above []string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		if link, linkErr := os.Lstat(path); linkErr == nil && w.rules.Ignore(name, link) {
			return nil // an ignored link without a target
		}
		return unreadableEntry(path, err)
	case w.rules.Ignore(name, info):
		return nil
	case info.IsDir():
		return w.folder(path, name, above)
	case !info.Mode().IsRegular():
		return errorf(Refused, "%s is neither a file nor a folder", path).advising("remove it, or list it in .helmignore.")
	}
	data, err := readAtMost(path, w.left+1)
	if err != nil {
		return err
	}
	w.left -= int64(len(data))
	switch {
	case w.left < 0:
		return errorf(Refused, "its files are larger than %d MiB together", w.limits.unpacked/mebibyte).advising(nextOfFolder)
	case len(w.files) >= w.limits.files:
		return errorf(Refused, "it has more than %d files", w.limits.files).advising(nextOfFolder)
	}
	w.files = append(w.files, File{Name: name, Data: bytes.TrimPrefix(data, byteOrderMark)})
	return nil
}

// readAtMost reads at most limit bytes of a file, which may grow meanwhile.
func readAtMost(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, unreadable(err)
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, limit))
	if err != nil {
		return nil, unreadable(err)
	}
	return data, nil
}
