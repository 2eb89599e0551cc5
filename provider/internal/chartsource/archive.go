package chartsource

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
)

// maxHeaders is how many bytes of a tar stream may be headers and padding for each file. Names can be long.
const maxHeaders = 8 << 10

// drive matches the beginning of an absolute path on Windows.
var drive = regexp.MustCompile(`^[a-zA-Z]:`)

// unpackVerified unpacks an archive whose digest is the wanted one.
func (l limits) unpackVerified(wanted *wanted, data []byte, location string) (Fetched, error) {
	digest := digestOf(data)
	if wanted.digest != "" && wanted.digest != digest {
		return Fetched{}, mismatch(wanted.by, wanted.digest, digest)
	}
	files, err := l.unpack(data)
	return Fetched{Files: files, Digest: digest, Location: location}, err
}

// unpack returns the files that helm finds in an archive, with their names below the chart's folder. It refuses everything that helm never
// packs: paths that lead out, links, devices, and more than the limits allow.
func (l limits) unpack(data []byte) ([]File, error) {
	if !bytes.HasPrefix(data, []byte("\x1f\x8b\x08")) {
		return nil, errorf(Malformed, "it is no archive: the contents are not compressed by gzip")
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, errorf(Malformed, "the archive is damaged: %w", err)
	}
	bound := &boundedReader{from: unzipped, left: l.unpacked + int64(l.files)*maxHeaders}
	archive := tar.NewReader(bound)
	var files []File
	left := l.unpacked
	for entries := 0; ; entries++ {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF) && len(files) == 0:
			return nil, errorf(Malformed, "the archive is empty")
		case errors.Is(err, io.EOF):
			return files, nil
		case err != nil:
			return nil, damaged(err)
		case entries >= l.files:
			return nil, errorf(Refused, "the archive has more than %d files", l.files)
		}
		name, ok, err := nameIn(header)
		switch {
		case err != nil:
			return nil, err
		case !ok:
			continue
		case header.Size > left:
			return nil, errorf(Refused, "the files of the archive are larger than %d MiB together", l.unpacked/mebibyte)
		}
		left -= header.Size
		contents, err := io.ReadAll(archive)
		if err != nil {
			return nil, damaged(err)
		}
		files = append(files, File{Name: name, Data: bytes.TrimPrefix(contents, byteOrderMark)})
	}
}

// errTooMuch stops an archive that unpacks to more than the limits allow.
var errTooMuch = errors.New("it unpacks to more than the limits allow")

func damaged(err error) *Error {
	if errors.Is(err, errTooMuch) {
		return errorf(Refused, "the archive is unsafe: %w", err)
	}
	return errorf(Malformed, "the archive is damaged: %w", err)
}

// boundedReader fails when nothing is left of its limit.
type boundedReader struct {
	from io.Reader
	left int64
}

func (r *boundedReader) Read(into []byte) (int, error) {
	if r.left <= 0 {
		return 0, errTooMuch
	}
	n, err := r.from.Read(into[:min(int64(len(into)), r.left)])
	r.left -= int64(n)
	return n, err
}

// nameIn returns the name of an entry below the folder of the chart. It reports false for an entry that is not a file.
func nameIn(header *tar.Header) (string, bool, error) {
	if header.FileInfo().IsDir() {
		return "", false, nil
	}
	switch header.Typeflag {
	case tar.TypeXGlobalHeader, tar.TypeXHeader:
		return "", false, nil
	case tar.TypeReg, tar.TypeGNUSparse, tar.TypeCont:
	default:
		return "", false, errorf(Refused, "the archive is unsafe: %q is neither a file nor a folder but a link or a device", header.Name)
	}
	delimiter := "/"
	if strings.Contains(header.Name, `\`) { // packed on Windows
		delimiter = `\`
	}
	_, below, nested := strings.Cut(header.Name, delimiter)
	below = strings.ReplaceAll(below, `\`, "/")
	full := strings.ReplaceAll(header.Name, `\`, "/")
	switch name := path.Clean(below); {
	case strings.HasPrefix(full, "/"), strings.HasPrefix(below, "/"), drive.MatchString(full), drive.MatchString(below),
		slices.Contains(strings.Split(full, "/"), ".."), strings.HasPrefix(name, ".."):
		return "", false, errorf(Refused, "the archive is unsafe: the path %q leads out of the chart", header.Name)
	case !nested || name == ".":
		return "", false, errorf(Malformed, "%q in the archive is not in a folder", header.Name).
			advising("pack the chart with `helm package`: an archive has one folder, which has Chart.yaml.")
	default:
		return name, true, nil
	}
}
