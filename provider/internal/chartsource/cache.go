package chartsource

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// CacheFolder returns the folder in which charts are kept: in Pulumi's home if PULUMI_HOME is set, otherwise in the user's
// cache folder. It is empty if there is none.
func CacheFolder() string {
	if home := os.Getenv("PULUMI_HOME"); home != "" {
		return filepath.Join(home, "k8sconnect", "charts")
	}
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "pulumi-k8sconnect", "charts")
}

// release is what a server has said about an exact version of a chart.
type release struct {
	Source  string `json:"source"` // the repository, or the repository of a registry
	Chart   string `json:"chart"`
	Version string `json:"version"`
	Digest  string `json:"digest"` // of the archive, or of the manifest
}

// contents reads the contents with a digest from the cache.
func (f *Fetcher) contents(digest string) ([]byte, bool) {
	if f.Cache == "" {
		return nil, false
	}
	data, err := os.ReadFile(f.contentsFile(digest))
	if err != nil || digestOf(data) != digest {
		return nil, false
	}
	return data, true
}

// keep writes contents into the cache, under their digest.
func (f *Fetcher) keep(data []byte) { f.write(f.contentsFile(digestOf(data)), data) }

// remember stores what a server has said about a version.
func (f *Fetcher) remember(said release) {
	if encoded, err := json.Marshal(said); err == nil {
		f.write(f.releaseFile(said), encoded)
	}
}

// remembered returns the digest that a server once named for an exact version.
func (f *Fetcher) remembered(asked release) (string, bool) {
	if f.Cache == "" || !isExact(asked.Version) {
		return "", false
	}
	data, err := os.ReadFile(f.releaseFile(asked))
	if err != nil {
		return "", false
	}
	var said release
	if json.Unmarshal(data, &said) != nil {
		return "", false
	}
	digest, err := parseDigest(said.Digest)
	said.Digest = ""
	return digest, err == nil && digest != "" && said == asked
}

func (f *Fetcher) contentsFile(digest string) string {
	return filepath.Join(f.Cache, "contents", strings.TrimPrefix(digest, sha256Prefix))
}

func (f *Fetcher) releaseFile(of release) string {
	of.Digest = ""
	return filepath.Join(f.Cache, "versions", identify(of)+".json")
}

// write writes a file completely or not at all. If it fails, the next process asks the server again.
func (f *Fetcher) write(path string, data []byte) {
	if f.Cache == "" || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return
	}
	_, err = file.Write(data)
	if closed := file.Close(); err != nil || closed != nil || os.Rename(file.Name(), path) != nil {
		_ = os.Remove(file.Name())
	}
}
