package chartsource

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
)

const sha256Prefix = "sha256:"

// parseDigest returns a digest as sha256:… in lower case. Helm's indexes leave out the prefix.
func parseDigest(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", nil
	}
	digits := strings.ToLower(strings.TrimPrefix(strings.ToLower(text), sha256Prefix))
	if decoded, err := hex.DecodeString(digits); err != nil || len(decoded) != sha256.Size {
		return "", errorf(Invalid, "digest %s is no sha256 digest", text).advising("write sha256: and 64 hexadecimal digits.")
	}
	return sha256Prefix + digits, nil
}

// digestOf returns the digest of contents.
func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return sha256Prefix + hex.EncodeToString(sum[:])
}

// digestOfFiles returns a digest of the names and contents of files, in any order.
func digestOfFiles(files []File) string {
	sorted := slices.Clone(files)
	slices.SortStableFunc(sorted, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	sum := sha256.New()
	for _, file := range sorted {
		for _, part := range [][]byte{[]byte(file.Name), file.Data} {
			sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
			sum.Write(part)
		}
	}
	return sha256Prefix + hex.EncodeToString(sum.Sum(nil))
}

// complete sets the version, and checks that the chart is the wanted one.
func (f *Fetched) complete(wanted *wanted) error {
	read, err := metadataOf(f.Files)
	if err != nil {
		return err
	}
	f.Version = read.Version
	if wanted.digest != "" && wanted.local != "" && f.Digest != wanted.digest {
		return mismatch(wanted.by, wanted.digest, f.Digest)
	}
	if wanted.local != "" || wanted.address != nil {
		if !satisfies(read.Version, wanted.version) {
			return errorf(NotFound, "the chart there is version %s", read.Version).advising("correct version, or leave it out.")
		}
	}
	return nil
}
