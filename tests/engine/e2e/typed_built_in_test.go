package e2e

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// builtInFile has the kinds of Kubernetes that the provider knows without a cluster.
var builtInFile = filepath.Join("..", "..", "..", "provider", "typed", "built_in.json.gz")

// builtInKinds are the kinds of Kubernetes itself that the API server has and that can be applied.
func builtInKinds(t *testing.T) (kinds []string) {
	t.Helper()
	_, lists, err := shared.Get(t).Client().Discovery().ServerGroupsAndResources()
	require.NoError(t, err)
	for _, list := range lists {
		group, _, grouped := strings.Cut(list.GroupVersion, "/")
		if grouped && strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io") {
			continue
		}
		for _, resource := range list.APIResources {
			if !strings.Contains(resource.Name, "/") && slices.Contains(resource.Verbs, "patch") {
				kinds = append(kinds, list.GroupVersion+"/"+resource.Kind)
			}
		}
	}
	slices.Sort(kinds)
	return kinds
}

// TestTheBuiltInKinds compares what the provider has with what the API server says; with -update, it takes the latter.
func TestTheBuiltInKinds(t *testing.T) { // [K13]
	t.Parallel()
	file := filepath.Join(t.TempDir(), "kinds.json")
	_, err := engine.Extend(t.Context(), "kinds="+strings.Join(builtInKinds(t), ","), live(t), "save="+file)
	require.NoError(t, err)
	served, err := os.ReadFile(file)
	require.NoError(t, err)
	if *update {
		var packed bytes.Buffer
		writer, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		require.NoError(t, err)
		_, err = writer.Write(served)
		require.NoError(t, err)
		require.NoError(t, writer.Close())
		require.NoError(t, os.WriteFile(builtInFile, packed.Bytes(), 0o600))
	}
	packed, err := os.ReadFile(builtInFile)
	require.NoError(t, err)
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	has, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.True(t, bytes.Equal(has, served), "the built-in kinds are those of another version: run this test with -update")

	version, err := shared.Get(t).Client().Discovery().ServerVersion()
	require.NoError(t, err)
	page, err := readFile(filepath.Join("..", "..", "..", "docs"), "typed-kinds.md")
	require.NoError(t, err)
	assert.Contains(t, page, "the kinds of Kubernetes "+version.Major+"."+version.Minor)

	_, err = engine.Extend(t.Context(), "from=kubernetes", "kinds=apps/v1/Deploymnet")
	require.ErrorContains(t, err, "there is no apps/v1/Deploymnet in Kubernetes itself. Did you mean apps/v1/Deployment? Give the definitions of custom kinds with crds=")
	all, err := engine.Extend(t.Context(), "from=kubernetes")
	require.NoError(t, err)
	assert.Contains(t, all.Schema, `"k8sconnect:storage.k8s.io/v1:StorageClass"`)
	ten, err := engine.Extend(t.Context(), "from=kubernetes", "kinds=apps/v1/Deployment,apps/v1/StatefulSet,v1/Service,v1/ConfigMap,v1/Secret,"+
		"v1/Namespace,batch/v1/Job,batch/v1/CronJob,networking.k8s.io/v1/Ingress,autoscaling/v2/HorizontalPodAutoscaler")
	require.NoError(t, err)
	assert.Contains(t, page, fmt.Sprintf("%d kB for ten kinds", (len(ten.Value)+500)/1000), "what the state has of ten kinds [K14]")
	s, space := newStack(t), shared.Get(t).Namespace(t)
	first := s.extend(t, "kinds=v1/ConfigMap", live(t))
	again := s.extend(t, "kinds=v1/ConfigMap", "from=kubernetes")
	assert.Equal(t, first.Value, again.Value)
	s.program(t, "%s", "resources:"+typedResource("it", "core/v1:ConfigMap", "{metadata: {name: it, namespace: "+space+"}, data: {a: \"1\"}}"))
	s.up(t)
	s.previewEmpty(t)
}
