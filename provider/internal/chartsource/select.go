package chartsource

import (
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// shownVersions is how many versions a message names.
const shownVersions = 5

// newest returns the index of the version that helm takes: the one that equals wanted as a text, otherwise the newest that satisfies it. It
// is -1 if there is none. Texts that are not versions are skipped.
func newest(versions []string, wanted string) int {
	if at := slices.Index(versions, wanted); wanted != "" && at >= 0 {
		return at
	}
	if wanted == "" {
		wanted = "*"
	}
	constraint, err := semver.NewConstraint(wanted)
	if err != nil {
		return -1
	}
	best, at := (*semver.Version)(nil), -1
	for i, text := range versions {
		version, err := semver.NewVersion(text)
		if err == nil && constraint.Check(version) && (best == nil || version.GreaterThan(best)) {
			best, at = version, i
		}
	}
	return at
}

// noVersion is the error for a missing version.
func noVersion(versions []string, wanted string) *Error {
	var parsed semver.Collection
	for _, text := range versions {
		if version, err := semver.NewVersion(text); err == nil {
			parsed = append(parsed, version)
		}
	}
	slices.SortFunc(parsed, func(a, b *semver.Version) int { return b.Compare(a) })
	var names []string
	for _, version := range parsed[:min(len(parsed), shownVersions)] {
		names = append(names, version.Original())
	}
	switch {
	case len(names) == 0:
		return errorf(NotFound, "it has no version").advising("check the name of the chart.")
	case wanted == "":
		return errorf(NotFound, "it has pre-releases only: %s", strings.Join(names, ", ")).
			advising("set version to one of them, or to >0.0.0-0 for the newest.")
	default:
		return errorf(NotFound, "there is no such version; the newest are %s", strings.Join(names, ", ")).
			advising("correct version. Pre-releases count only if it names one, as in >=1.0.0-0.")
	}
}
