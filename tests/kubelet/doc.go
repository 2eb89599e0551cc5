// Package kubelet is a test double: it plays the kubelet for the pods of one Node, against a real API server, where no
// container runtime is to be had. Their commands run as processes of this machine, from folders with the files of
// their images.
//
// Tests start a [Player] beside their cluster; "make cluster NODE=played" runs both for a person who wants to try
// something. [ReadImage] takes an image's entrypoint, variables and user from its archive.
//
// What a controller learns about a pod it learns from the API server, so that is where a [Player] is exact: phases,
// the states of containers with their reasons, exit codes and termination messages, conditions, events, and the order
// in which they come. The scheduler of package cluster assigns pods to its Node, and the service accounts' tokens are
// real ones that end with their pod.
//
// # The pods
//
// A [Player] takes every pod whose spec.nodeName is its Node. Each container is process 1 of process, mount, host name
// and IPC namespaces of its own. Its root is the image under a layer in memory that is discarded with it; nothing else
// of this machine's files is visible. There are /proc, the usual devices, /etc/hosts, and as volumes ConfigMaps,
// Secrets, emptyDirs, downward API and projected volumes with the token of the service account, with the owners and
// modes that a kubelet gives them, and read-only where a kubelet has them so. Environment variables come from all
// sources that pods know. User, groups, readOnlyRootFilesystem and "drop: [ALL]" hold; nobody gains a privilege.
//
// The network is this machine's. Every pod has the address 127.0.0.1, so two pods cannot listen on the same port, and
// KUBERNETES_SERVICE_HOST and _PORT lead to the API server itself, or to what [Options] name in its place.
//
// # Laws
//
//   - A container is started at most once for each time that its status says running: the status is written first. A
//     player that finds a running container without a process, since it was restarted, reports exit code 137.
//   - No process outlives the player, however that ends, and no mount is ever visible outside of a container. A player
//     that is killed leaves its folder, by default in the one for temporary files, and nothing else.
//   - A pod whose Secret, ConfigMap or image is missing waits with the reason that a kubelet gives, and is looked at
//     again every second.
//   - Deleted pods get SIGTERM, SIGKILL after their grace period, then a last status, and only then are they gone.
//   - While the API server is away, containers go on; what happened is reported when it is back.
//
// # What differs
//
// Restarted containers wait at most ten seconds. Until a readiness or startup probe first succeeds, it is repeated
// every second. Volumes and tokens are not renewed while the pod runs. Limits of resources are not enforced:
// [Player.Kill] is the way to run out of memory. There are no logs for kubectl, see [Player.Logs], and no Services.
// A pod that asks for what is not played here fails at once with the reason Unsupported: init containers, other kinds
// of volumes, subPath, lifecycle hooks, and probes that are not httpGet.
//
// # What it needs
//
// Linux and root; anywhere else [Start] returns [ErrUnsupported]. Containers begin as this very program, which an init
// function of this package turns into the container's command: any test binary that imports the package will do.
package kubelet
