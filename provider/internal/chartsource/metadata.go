package chartsource

import (
	"github.com/Masterminds/semver/v3"
	"go.yaml.in/yaml/v3"
)

// metadata is the part of Chart.yaml that is needed here.
type metadata struct {
	Name    string `yaml:"name"`
	Version string `yaml:"version"`
}

// metadataOf reads Chart.yaml.
func metadataOf(files []File) (metadata, error) {
	for _, file := range files {
		if file.Name != "Chart.yaml" {
			continue
		}
		var read metadata
		if err := yaml.Unmarshal(file.Data, &read); err != nil {
			return read, errorf(Malformed, "Chart.yaml is malformed: %w", err).advising("correct Chart.yaml.")
		}
		if read.Name == "" || read.Version == "" {
			return read, errorf(Malformed, "Chart.yaml has no name or no version").advising("set both.")
		}
		return read, nil
	}
	return metadata{}, errorf(Malformed, "it is no chart: it has no Chart.yaml").
		advising("name the folder that has Chart.yaml, or an archive that `helm package` has made.")
}

// satisfies reports whether a version is the wanted one, or within the wanted range.
func satisfies(version, wanted string) bool {
	if wanted == "" || version == wanted {
		return true
	}
	constraint, err := semver.NewConstraint(wanted)
	if err != nil {
		return false
	}
	parsed, err := semver.NewVersion(version)
	return err == nil && constraint.Check(parsed)
}
