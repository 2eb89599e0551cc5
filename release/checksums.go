package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const checksumsName = "checksums.txt"

// writeChecksums writes the SHA-256 of every file of a folder into checksums.txt there, in the form that
// "sha256sum --check" and "shasum -a 256 --check" read.
func writeChecksums(dir string) error {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, entry := range entries {
		if !entry.Type().IsRegular() || entry.Name() == checksumsName {
			continue
		}
		sum, err := checksum(filepath.Join(dir, entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%s  %s\n", sum, entry.Name())
	}
	return os.WriteFile(filepath.Join(dir, checksumsName), []byte(list.String()), 0o644)
}

// checksum is the SHA-256 of a file, in hexadecimal.
func checksum(path string) (string, error) {
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }() // it was only read from
	hash := sha256.New()
	if _, err := io.Copy(hash, in); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
