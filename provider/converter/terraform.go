package converter

import (
	"context"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kinds"
)

// findInTerraform looks up the objects in a state of Terraform or OpenTofu. The state says only which objects there are.
// Terraform looks up an object that names no namespace in the namespace default.
func findInTerraform(ctx context.Context, clu *cluster.Cluster, args arguments) (selection, error) {
	content, err := os.ReadFile(args.name)
	if err != nil {
		return selection{}, failure.Because(failure.ReasonInvalid, err)
	}
	state, err := readTerraformState(content)
	if err != nil {
		return selection{}, failure.Errorf(failure.ReasonInvalid,
			"%s is not a state of Terraform: %w. Write one with `terraform state pull` or `tofu state pull`, into a file", args.name, err)
	}
	served, err := clu.Kinds(ctx)
	if err != nil {
		return selection{}, err
	}
	named, unserved := state.resolved(served)
	sorted, err := findNamed(ctx, clu, args, named, metav1.NamespaceDefault)
	if err != nil {
		return selection{}, err
	}
	sorted.notes = state.notes(unserved)
	found, err := sorted.found(args, nil)
	if err == nil {
		found.warnings = append(found.warnings, forgetting(found))
	}
	return found, err
}

// resolved returns the objects of a state with apiVersion and kind, and the addresses of those whose kind the cluster
// does not serve.
func (s terraformState) resolved(served []cluster.ServedKind) (named []wanted, unserved []string) {
	for _, object := range s.objects {
		if object.typed != "" {
			var known bool
			if object.APIVersion, object.Kind, known = kindOf(object.typed, served); !known {
				unserved = append(unserved, object.address)
				continue
			}
		}
		named = append(named, object.wanted)
	}
	return named, unserved
}

var versionOfType = regexp.MustCompile(`_(v\d+(?:(?:alpha|beta)\d+)?)$`)

// kindOf finds the kind of a resource type: kubernetes_cron_job_v1 is a CronJob of batch/v1. There are such types for
// Kubernetes' own kinds only. The names of the older ones have no version, and most of these use v1; if it is not served,
// another version has the same objects ([cluster.Cluster.Find]).
func kindOf(resourceType string, served []cluster.ServedKind) (apiVersion, kind string, known bool) {
	name, version := strings.TrimPrefix(resourceType, "kubernetes_"), "v1"
	if suffix := versionOfType.FindStringSubmatch(name); suffix != nil {
		name, version = strings.TrimSuffix(name, suffix[0]), suffix[1]
	}
	name = strings.ReplaceAll(name, "_", "")
	for _, s := range served {
		if kinds.OwnGroup(s.Group) && strings.ToLower(s.Kind) == name {
			return schema.GroupVersion{Group: s.Group, Version: version}.String(), s.Kind, true
		}
	}
	return "", "", false
}

// notes say what in the state is not looked up as an object.
func (s terraformState) notes(unserved []string) []string {
	var notes []string
	for _, release := range s.releases {
		notes = append(notes, release.note())
	}
	for _, left := range []struct {
		why       string
		addresses []string
	}{
		{"they change or read objects that are not theirs; a Patch or a Wait does that", s.parts},
		{"the state does not say which objects they are, or Terraform is about to delete these", s.unclear},
		{"the cluster serves no such kind of Kubernetes' own", unserved},
	} {
		if len(left.addresses) > 0 {
			notes = append(notes, fmt.Sprintf("Left out, because %s: %s.", left.why, strings.Join(left.addresses, ", ")))
		}
	}
	if len(s.others) > 0 {
		var counts []string
		for _, provider := range slices.Sorted(maps.Keys(s.others)) {
			counts = append(counts, fmt.Sprintf("%s %d", provider, s.others[provider]))
		}
		notes = append(notes, "Left out, because they are resources of other providers: "+strings.Join(counts, ", ")+".")
	}
	return notes
}

// forgetting says how Terraform forgets what is imported, and nothing else. The addresses are quoted for a shell.
func forgetting(found selection) string {
	var quoted []string
	for _, object := range found.objects {
		quoted = append(quoted, "'"+strings.ReplaceAll(found.addresses[object], "'", `'\''`)+"'")
	}
	return "Terraform still manages what is imported, and would delete it with its resources. When the import is done, make it forget them: " +
		"terraform state rm " + strings.Join(quoted, " ")
}
