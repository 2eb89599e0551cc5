package charts

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/Masterminds/semver/v3"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// published are charts of others, in the sources of their projects: what users install. They are had as Go modules, of which the
// checksums are known, and are not compiled.
var published = []struct{ module, version, sum, folder string }{
	{"sigs.k8s.io/external-dns", "v0.18.0", "h1:JFzFpbmRRP6zs/sNOQvdhDfhfx2hXzlf67Wgb5IOTRQ=", "charts/external-dns"},
	{"sigs.k8s.io/metrics-server", "v0.8.0", "h1:Zlsi3sBWEtFKCD3+xSysThvXyLQ363rUAlqpnsY5JwI=", "charts/metrics-server"},
	{"sigs.k8s.io/node-feature-discovery", "v0.17.3", "h1:CArk8De9LBP5bj3Z6Bz/mpnC8kDNfBhDAu0xJp4u/A8=", "deployment/helm/node-feature-discovery"},
	{"sigs.k8s.io/jobset", "v0.8.1", "h1:FwosQQyjmYgOKy8sD3ERpfil1BDLNpYUOJdIqmZSz3s=", "charts/jobset"},
	{"sigs.k8s.io/lws", "v0.7.0", "h1:qWfzX8+UBak+Hq0+m/PuE3uO0mp/3dmm5q/h/7z31A8=", "charts/lws"},
	{"sigs.k8s.io/karpenter", "v1.6.0", "h1:82SIWF3FIaTkD5WFx+2wjCqgkZK5m1CHY5p+uIu4ScI=", "kwok/charts"},
	{"go.universe.tf/metallb", "v0.15.2", "h1:r7KDgJtk3KZe3qb36zRVrVCYHxLR03nPGT+qFXOomJM=", "charts/metallb"},
	{"github.com/kyverno/kyverno", "v1.14.4", "h1:dKB+96YinFUecRsH7cSJlrlE9uVxi6KM0YuwesPbIEY=", "charts/kyverno"},
	{"github.com/kyverno/kyverno", "v1.14.4", "h1:dKB+96YinFUecRsH7cSJlrlE9uVxi6KM0YuwesPbIEY=", "charts/kyverno-policies"},
	{"github.com/kubeflow/spark-operator/v2", "v2.2.1", "h1:mnpC5IadjjsFu+Ujy1qcKHYYBr1OucAWQJBaIBIPOnQ=", "charts/spark-operator-chart"},
	{"github.com/kubernetes-sigs/aws-efs-csi-driver", "v1.7.7", "h1:y9ogq9lbQKQoVAO+NyW9EPvf+nKzRrJICLoKbd6cBsI=", "charts/aws-efs-csi-driver"},
	{"github.com/NVIDIA/gpu-operator", "v1.11.1", "h1:MuM3nFga8dcK0krgxarYaSmpGSnFYOl2zBQRBNvHKD0=", "deployments/gpu-operator"},
	{"github.com/bitnami-labs/sealed-secrets", "v0.30.0", "h1:5SNBo3A0bhlEQ6rbMpGtSR8gYGVya1gBUcCCQ7FfHPQ=", "helm/sealed-secrets"},
	{"github.com/zalando/postgres-operator", "v1.14.0", "h1:C8+n26C8v6fPB1SNW+Y8X6oQoEHufzGJXJzYPlix+zw=", "charts/postgres-operator"},
	{"github.com/elastic/cloud-on-k8s/v2", "v2.16.1", "h1:u1VSUsfj/I8I3mIhoFKGirON2TgonhU4Wq+x2qqD9hQ=", "deploy/eck-operator"},
	{"github.com/elastic/cloud-on-k8s/v2", "v2.16.1", "h1:u1VSUsfj/I8I3mIhoFKGirON2TgonhU4Wq+x2qqD9hQ=", "deploy/eck-stack"},
	{"github.com/nginx/kubernetes-ingress", "v1.12.5", "h1:k7ImoJMNwiTmENzoHl1NGM+fk7AFhNdZLRn29iP6XSI=", "deployments/helm-chart"},
	{"github.com/hashicorp/vault-secrets-operator", "v0.10.0", "h1:BjOTBJRqx1SLo7NeyqNJWRPDyfRscbqPtGU1U2LzArg=", "chart"},
	{"github.com/fluxcd/flagger", "v1.41.0", "h1:oER1/QCK6AmooATKtOalu4i+fVL388wgk1yaErw06Tw=", "charts/flagger"},
	{"github.com/fluxcd/flagger", "v1.41.0", "h1:oER1/QCK6AmooATKtOalu4i+fVL388wgk1yaErw06Tw=", "charts/podinfo"},
}

// folderVariable names the environment variable with a folder that has more charts, at any depth, and manifests.
const folderVariable = "CHARTS"

// Published returns the folders of charts of others, by their names: those of twenty projects, or those in the folder that the
// environment variable CHARTS names.
func Published(t testing.TB) map[string]string {
	t.Helper()
	if root := os.Getenv(folderVariable); root != "" {
		return below(t, root)
	}
	folders, modules := map[string]string{}, map[string]string{}
	for _, chart := range published {
		if modules[chart.module] == "" {
			modules[chart.module] = download(t, chart.module+"@"+chart.version, chart.sum)
		}
		folder := filepath.Join(modules[chart.module], filepath.FromSlash(chart.folder))
		require.FileExists(t, filepath.Join(folder, "Chart.yaml"))
		folders[filepath.Base(folder)+" of "+chart.module] = folder
	}
	return folders
}

// Versions returns the folders of the published charts that have objects, those with the same name from the oldest version to the newest.
func Versions(t testing.TB) map[string][]string {
	t.Helper()
	all, versions := map[string][]string{}, map[string]*semver.Version{}
	for _, folder := range Published(t) {
		text, err := os.ReadFile(filepath.Join(folder, "Chart.yaml"))
		require.NoError(t, err)
		var chart struct{ Name, Version, Type string }
		require.NoError(t, yaml.Unmarshal(text, &chart))
		if chart.Type == "library" {
			continue
		}
		versions[folder], err = semver.NewVersion(chart.Version)
		require.NoError(t, err, folder)
		all[chart.Name] = append(all[chart.Name], folder)
	}
	for _, folders := range all {
		slices.SortFunc(folders, func(a, b string) int { return versions[a].Compare(versions[b]) })
	}
	return all
}

// Manifests returns files of manifests, by the folders in the folder CHARTS that have no chart: those in the same folder are the versions
// of one set, in the order of their names. Without CHARTS there are none.
func Manifests(t testing.TB) map[string][]string {
	t.Helper()
	root := os.Getenv(folderVariable)
	if root == "" {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(root, "*", "*.yaml")) // sorted
	require.NoError(t, err)
	all := map[string][]string{}
	for _, file := range files {
		folder := filepath.Dir(file)
		if _, err := os.Stat(filepath.Join(folder, "Chart.yaml")); err != nil {
			all[filepath.Base(folder)] = append(all[filepath.Base(folder)], file)
		}
	}
	return all
}

// below returns the folders of charts below a folder. Subcharts are not among them.
func below(t testing.TB, root string) map[string]string {
	t.Helper()
	root, err := filepath.EvalSymlinks(root)
	require.NoError(t, err)
	folders := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if _, err := os.Stat(filepath.Join(path, "Chart.yaml")); err != nil {
			return nil
		}
		name, err := filepath.Rel(root, path)
		folders[filepath.ToSlash(name)] = path
		if err != nil {
			return err
		}
		return fs.SkipDir
	}))
	require.NotEmpty(t, folders, "charts in %s", root)
	return folders
}

// download returns the folder of a module.
func download(t testing.TB, module, sum string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module)
	command.Dir, command.Stderr = t.TempDir(), os.Stderr // in no module
	output, err := command.Output()
	require.NoError(t, err, "%s", output)
	var found struct{ Dir, Sum string }
	require.NoError(t, json.Unmarshal(output, &found))
	require.Equal(t, sum, found.Sum, module)
	return found.Dir
}
