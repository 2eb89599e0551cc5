package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster/namespaces"
)

// writeNodeFiles writes what the parts of the real node read.
func (c *Cluster) writeNodeFiles(containerd string) error {
	major, err := containerdMajor(containerd)
	if err != nil {
		return err
	}
	plugins, err := namespaces.PluginDir()
	if err != nil {
		return err
	}
	values := strings.NewReplacer(
		"$DIR", c.space.Dir,
		"$RUN", namespaces.RunDir,
		"$SOCKET", containerdSocket,
		"$CGROUP", c.space.CgroupRoot,
		"$NETWORK", filepath.Join(c.dir, networkDir),
		"$PLUGINS", plugins,
		"$PODS", podRange,
		"$ADDRESS", namespaces.NodeAddress,
		"$DNS", namespaces.DNSAddress,
		"$PAUSE", pauseImage,
	)
	return errors.Join(
		os.Mkdir(filepath.Join(c.dir, networkDir), 0o700),
		c.writeFile(containerdFile, []byte(values.Replace(containerdConfig(major)))),
		c.writeFile(networkFile, []byte(values.Replace(networkConfig))),
		c.writeFile(kubeletFile, []byte(values.Replace(kubeletConfig))),
	)
}

// containerdMajor is the first number of containerd's version: what its configuration looks like depends on it.
func containerdMajor(path string) (int, error) {
	out, err := exec.Command(path, "--version").CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("the version of containerd: %w: %s", err, out)
	}
	return parseContainerdMajor(string(out))
}

// versionInText is the version in what a program says of itself, which may have a v and a distribution's suffix.
var versionInText = regexp.MustCompile(`\bv?(\d+)\.\d+\.\d+`)

func parseContainerdMajor(said string) (int, error) {
	found := versionInText.FindStringSubmatch(said)
	if found == nil {
		return 0, fmt.Errorf("the version of containerd is not in what it says: %q", said)
	}
	return strconv.Atoi(found[1])
}

// containerdConfig is the configuration for a release with this major version.
func containerdConfig(major int) string {
	if major < 2 {
		return containerdCommon(2) + containerd1Plugins
	}
	return containerdCommon(3) + containerd2Plugins
}

// containerdCommon is what all releases read. The cgroup driver of the runtime is never systemd's: no systemd runs in the
// namespaces.
func containerdCommon(version int) string {
	return fmt.Sprintf(`
version = %d
root = "$DIR/containerd"
state = "$RUN/containerd"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.tracing.processor.v1.otlp"]
[grpc]
  address = "$SOCKET"
[ttrpc]
  address = "$SOCKET.ttrpc"
`, version)
}

// containerd1Plugins are in the second version of the format, which releases 1.3 to 1.7 read.
const containerd1Plugins = `
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "$PAUSE"
  stream_server_address = "127.0.0.1"
  disable_apparmor = true
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "$PLUGINS"
    conf_dir = "$NETWORK"
`

// containerd2Plugins are in the third version, in which one plugin has become three.
const containerd2Plugins = `
[plugins."io.containerd.grpc.v1.cri"]
  stream_server_address = "127.0.0.1"
[plugins."io.containerd.cri.v1.images"]
  snapshotter = "overlayfs"
  [plugins."io.containerd.cri.v1.images".pinned_images]
    sandbox = "$PAUSE"
[plugins."io.containerd.cri.v1.runtime"]
  disable_apparmor = true
  restrict_oom_score_adj = true
  [plugins."io.containerd.cri.v1.runtime".containerd]
    default_runtime_name = "runc"
    [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
        SystemdCgroup = false
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dir = "$PLUGINS"
    conf_dir = "$NETWORK"
`

const networkConfig = `{"cniVersion": "1.0.0", "name": "bridge", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "hairpinMode": true,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.244.0.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}], "dataDir": "$RUN/addresses"}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
`

// kubeletConfig asks nobody who they are: who can reach the kubelet is in its namespaces. There is no DNS, but without
// an address for it each pod gets a warning every few seconds. Full disks of the machine are not the tests' business.
const kubeletConfig = `
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failCgroupV1: false
cgroupDriver: cgroupfs
cgroupRoot: $CGROUP
containerRuntimeEndpoint: unix://$SOCKET
address: $ADDRESS
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
podCIDR: 10.244.0.0/24
failSwapOn: false
resolvConf: ""
clusterDNS: [$DNS]
clusterDomain: cluster.local
enforceNodeAllocatable: [pods]
imageMinimumGCAge: 24h
imageGCHighThresholdPercent: 99
imageGCLowThresholdPercent: 98
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%, nodefs.inodesFree: 1%}
volumePluginDir: $DIR/volume-plugins
podLogsDir: $DIR/pod-logs
`
