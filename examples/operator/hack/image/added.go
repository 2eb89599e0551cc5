package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// tree are a file, or a folder and all that is in it, as they are in the image.
func tree(to, source string) ([]file, error) {
	source, err := filepath.EvalSymlinks(source)
	if err != nil {
		return nil, err
	}
	var files []file
	err = filepath.WalkDir(source, func(found string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(source, found)
		if err != nil {
			return err
		}
		added := file{path: path.Join(to, filepath.ToSlash(inside)), mode: 0o644}
		switch {
		case info.IsDir():
			added.mode = os.ModeDir | 0o755
		case info.Mode()&os.ModeSymlink != 0:
			if added.link, err = os.Readlink(found); err != nil {
				return err
			}
		case info.Mode().IsRegular():
			added.source = found
			if info.Mode()&0o111 != 0 {
				added.mode = 0o755
			}
		default:
			return fmt.Errorf("%s is no file, no folder and no link", found)
		}
		files = append(files, added)
		return nil
	})
	return files, err
}

// add adds files with the folders that they are in. What the image has already it keeps.
func (i *image) add(files []file) error {
	has := map[string]bool{"/": true}
	for _, file := range slices.Concat(i.base, i.programs) {
		has[file.path] = true
	}
	for _, file := range files {
		if has[file.path] {
			return fmt.Errorf("%s is in the image already", file.path)
		}
		var parents []string
		for parent := path.Dir(file.path); !has[parent]; parent = path.Dir(parent) {
			parents = append(parents, parent)
		}
		for _, parent := range slices.Backward(parents) {
			i.added = append(i.added, directory(parent))
			has[parent] = true
		}
		i.added = append(i.added, file)
		has[file.path] = true
	}
	return nil
}

func directory(path string) file { return file{path: path, mode: os.ModeDir | 0o755} }
