package converter

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// stateRelease is a Helm release in a state, and the address of its resource there.
type stateRelease struct{ address, name, namespace string }

// note says why a release is left out, and what to do instead.
func (r stateRelease) note() string {
	return fmt.Sprintf("%s is a Helm release, not an object. Write a Chart, or import the objects of the release: "+
		"pulumi import --from k8sconnect -- release %s -n %s", r.address, r.name, r.namespace)
}

// maxRecord bounds the record of a release: a Secret has at most 1 MiB, which is compressed.
const maxRecord = 64 << 20

// findInRelease looks up the objects that Helm has recorded for the deployed revision of a release.
func findInRelease(ctx context.Context, clu *cluster.Cluster, args arguments) (selection, error) {
	records, err := clu.Resource(ctx, "v1", "Secret")
	if err != nil {
		return selection{}, err
	}
	list, _, err := clu.ListAll(ctx, records, cluster.ListOptions{
		APIVersion: "v1", Kind: "Secret", Namespace: args.namespace, LabelSelector: "owner=helm,status=deployed,name=" + args.name,
	})
	if err != nil {
		return selection{}, err
	}
	record := newest(list)
	if record == nil {
		return selection{}, failure.Errorf(failure.ReasonNotFound,
			"there is no release %s in namespace %s that is deployed; see `helm list --namespace %[2]s`", args.name, args.namespace)
	}
	text, _, _ := unstructured.NestedString(record.Object, "data", "release")
	named, hooks, err := objectsOf(text)
	if err != nil {
		return selection{}, failure.Errorf(failure.ReasonUnexpectedAnswer, "Secret %s is not the record of a release: %w", record.GetName(), err)
	}
	sorted, err := findNamed(ctx, clu, args, identified(named), args.namespace)
	if err != nil {
		return selection{}, err
	}
	if hooks > 0 {
		sorted.notes = append(sorted.notes, fmt.Sprintf(
			"Hooks of the release are left out: %d. A Chart has them: see https://www.pulumi.com/registry/packages/k8sconnect/migrating-from-helm.", hooks))
	}
	return sorted.found(args, nil)
}

// newest returns the record with the highest revision; nil if there is none.
func newest(records []unstructured.Unstructured) *unstructured.Unstructured {
	var last *unstructured.Unstructured
	revision := func(record *unstructured.Unstructured) int {
		number, _ := strconv.Atoi(record.GetLabels()["version"])
		return number
	}
	for i := range records {
		if last == nil || revision(&records[i]) > revision(last) {
			last = &records[i]
		}
	}
	return last
}

// objectsOf reads the data of a release's record: JSON, compressed, in base64 twice. It returns the objects of the
// manifest, and the number of hooks.
func objectsOf(data string) (named []manifest.Identity, hooks int, err error) {
	encoded, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, 0, err
	}
	content, err := base64.StdEncoding.DecodeString(string(encoded))
	if err != nil {
		return nil, 0, err
	}
	if bytes.HasPrefix(content, []byte{0x1f, 0x8b, 0x08}) {
		unzipped, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			return nil, 0, err
		}
		if content, err = io.ReadAll(io.LimitReader(unzipped, maxRecord)); err != nil {
			return nil, 0, err
		}
	}
	var release struct {
		Manifest string            `json:"manifest"`
		Hooks    []json.RawMessage `json:"hooks"`
	}
	if err := json.Unmarshal(content, &release); err != nil {
		return nil, 0, err
	}
	placed, _, failed := manifest.ParseGenerated(release.Manifest)
	if len(failed) > 0 {
		return nil, 0, failed[0]
	}
	for _, object := range placed {
		named = append(named, manifest.IdentityOf(object.Object))
	}
	return named, len(release.Hooks), nil
}
