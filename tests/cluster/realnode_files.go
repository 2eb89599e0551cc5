package cluster

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster/namespaces"
)

// writeNodeFiles writes what the parts of the real node read.
func (c *Cluster) writeNodeFiles() error {
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
		"$PAUSE", pauseImage,
	)
	return errors.Join(
		os.Mkdir(filepath.Join(c.dir, networkDir), 0o700),
		c.writeFile(containerdFile, []byte(values.Replace(containerdConfig))),
		c.writeFile(networkFile, []byte(values.Replace(networkConfig))),
		c.writeFile(kubeletFile, []byte(values.Replace(kubeletConfig))),
	)
}

// containerdConfig is in the second version of the format, which all releases since 1.3 read.
const containerdConfig = `
version = 2
root = "$DIR/containerd"
state = "$RUN/containerd"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.tracing.processor.v1.otlp"]
[grpc]
  address = "$SOCKET"
[ttrpc]
  address = "$SOCKET.ttrpc"
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
clusterDNS: [10.96.0.10]
clusterDomain: cluster.local
enforceNodeAllocatable: [pods]
imageMinimumGCAge: 24h
imageGCHighThresholdPercent: 99
imageGCLowThresholdPercent: 98
evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%, nodefs.inodesFree: 1%}
volumePluginDir: $DIR/volume-plugins
podLogsDir: $DIR/pod-logs
`
