// Package probe_test writes down how an API server answers what the provider builds on, request by request, and compares
// it with a golden file per version of Kubernetes: testdata/1.36.golden and its like. What a new version changed is then
// one diff of two files, before any test of the provider fails.
//
// The requests are raw, so that no client stands between. Where the answer is random (ids, times, addresses), a name
// stands for it. When an answer changed and the provider is right about it, write the file again: CONTRIBUTING.md says how.
package probe_test

import (
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

var update = flag.Bool("update", false, "write the golden file of the version that is running")

// sections are the requests by what they are about. Each has a namespace of its own.
var sections = []struct {
	title string
	ask   func(p *probe)
}{
	{"an apply that only creates", createOnly},
	{"preconditions", preconditions},
	{"deletes", deletes},
	{"proofs that a field is immutable", immutableFields},
	{"field validation", fieldValidation},
	{"requests that are wrong", wrongRequests},
	{"conflicts", conflicts},
	{"edits of managed fields", managedFieldsEdits},
	{"scale", scale},
	{"refusals of others", refusals},
	{"warnings", deprecations},
	{"lists and watches", listsAndWatches},
	{"discovery", discovery},
	{"defaults", defaults},
}

func TestTheAnswersOfTheAPIServer(t *testing.T) {
	t.Parallel()
	c := cluster.ForTest(t, cluster.Options{})
	path := filepath.Join("testdata", strings.TrimPrefix(c.Version(t), "v")+".golden")
	content, err := os.ReadFile(path)
	if !*update {
		require.NotErrorIs(t, err, fs.ErrNotExist, "no golden file of this version: run with -update and read what it writes")
		require.NoError(t, err)
	}
	want := sectionsOf(string(content))
	got := maps.Clone(want) // of sections that -run leaves out
	for _, section := range sections {
		t.Run(section.title+" [V2]", func(t *testing.T) {
			p := newProbe(t, c, section.title)
			section.ask(p)
			got[section.title] = p.text.String()
			if !*update {
				assert.Empty(t, cmp.Diff(topicsOf(want[section.title]), topicsOf(p.text.String())),
					"%s is another: if the provider is right about the new answers, run with -update.", path)
			}
		})
	}
	if *update {
		var all strings.Builder
		for _, section := range sections {
			all.WriteString(got[section.title])
		}
		require.NoError(t, os.WriteFile(path, []byte(all.String()), 0o644))
	}
}

// The beginnings of the line with the title of a section, and of a topic in it.
const (
	heading    = "# "
	subheading = "## "
)

// sectionsOf takes a golden file apart.
func sectionsOf(content string) map[string]string {
	result := map[string]string{}
	for _, section := range strings.SplitAfter("\n"+content, "\n"+heading)[1:] {
		section = strings.TrimSuffix(section, heading)
		title, _, _ := strings.Cut(section, "\n")
		result[title] = heading + section
	}
	return result
}

// topicsOf takes a section apart, into lines by what they are about, so that a diff says it.
func topicsOf(section string) map[string][]string {
	result := map[string][]string{}
	for topic := range strings.SplitSeq(section, "\n"+subheading) {
		title, lines, _ := strings.Cut(topic, "\n")
		result[title] = strings.Split(lines, "\n")
	}
	return result
}
