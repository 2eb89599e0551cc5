package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// file is a file of an archive.
type file struct {
	name   string
	source string // where its content is
	mode   int64
}

// modified is the time of every file: the real one would make each build another one. It is the earliest that
// no tool for archives finds implausible.
var modified = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// writeArchive writes a .tar.gz that depends on nothing but the names, contents and modes of the files.
func writeArchive(path string, files []file) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	// What is compressed once is downloaded often.
	compressed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(compressed)

	sorted := slices.Clone(files)
	slices.SortFunc(sorted, func(a, b file) int { return strings.Compare(a.name, b.name) })
	for _, f := range sorted {
		if err := addFile(archive, f); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return errors.Join(archive.Close(), compressed.Close())
}

func addFile(archive *tar.Writer, f file) error {
	in, err := os.Open(f.source)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read from
	info, err := in.Stat()
	if err != nil {
		return err
	}
	header := &tar.Header{
		Typeflag: tar.TypeReg, Name: f.name, Size: info.Size(), Mode: f.mode, ModTime: modified,
		Uname: "root", Gname: "root", Format: tar.FormatUSTAR,
	}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(archive, in)
	return err
}
