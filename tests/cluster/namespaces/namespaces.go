// Package namespaces runs a program in mount, network and process namespaces of its own. Whatever it starts,
// mounts and configures there is gone when it ends, however it ends: the first process of the namespaces dies with
// the one that made them, and everything else with the first process.
//
// It is made for a kubelet. What a kubelet writes and no namespace holds is kept from the machine: the kernel
// settings that it sets are files there, its folders in /var are not written to disk, and its control groups are
// below one that is removed at the end. Where the program was killed, that one and a folder of its own stay,
// until the next one runs.
package namespaces

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

const (
	// NodeAddress is what the node has in its network, where nobody else is.
	NodeAddress = "192.168.77.1"
	// ServiceRange are the addresses of Services. The first of them is the API server's.
	ServiceRange = "10.96.0.0/16"
	// APIServerAddress is where pods find the API server.
	APIServerAddress = "10.96.0.1"
	// DNSAddress is where pods look for a name server. There is none, and they are told so at once.
	DNSAddress = "10.96.0.10"
	// RunDir is for sockets. It is in memory.
	RunDir = "/run/k8sconnect"
	// CgroupDir is where the machine has its control groups.
	CgroupDir = "/sys/fs/cgroup"
)

// stageVariable says how far a process is on its way inside, and dirVariable what the folder is.
const (
	stageVariable = "K8SCONNECT_NAMESPACES"
	dirVariable   = "K8SCONNECT_NAMESPACES_DIR"
)

// The stages: the program as it was called has none, it starts itself as the first process of the namespaces, which
// sets them up and starts the one that does the work.
const (
	stageFirst  = "first"
	stageInside = "inside"
)

// dirPrefix begins the name of the folder.
const dirPrefix = "k8sconnect-node-"

// lockFile is in the folder, and locked for as long as the folder is used.
const lockFile = "lock"

// listenerFile is the file descriptor of what listens outside.
const listenerFile = 3

// programs are those that a node needs beside those that "make" builds, by Debian's packages that have them.
var programs = []struct{ name, from string }{
	{"containerd", "containerd"},
	{"ctr", "containerd"},
	{"runc", "runc"},
	{"iptables", "iptables"},
	{"conntrack", "conntrack"},
	{"ip", "iproute2"},
	{"busybox", "busybox-static"},
}

// pluginDirs are where the CNI plugins may be.
var pluginDirs = []string{"/usr/lib/cni", "/opt/cni/bin"}

// Missing says what this machine does not have that a node needs, each by its name.
func Missing() []string {
	if runtime.GOOS != "linux" {
		return []string{"Linux"}
	}
	var missing []string
	if os.Geteuid() != 0 {
		missing = append(missing, "root")
	}
	for _, program := range programs {
		if _, err := Program(program.name); err != nil {
			missing = append(missing, fmt.Sprintf("%s (package %s)", program.name, program.from))
		}
	}
	if _, err := PluginDir(); err != nil {
		missing = append(missing, "the CNI plugin bridge (package containernetworking-plugins)")
	}
	return missing
}

// Program finds one of the programs. The folders for those of administrators need not be on the PATH.
func Program(name string) (string, error) {
	dirs := append(filepath.SplitList(os.Getenv("PATH")), "/usr/local/sbin", "/usr/sbin", "/sbin")
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("program %s is not installed", name)
}

// PluginDir is the folder of the CNI plugins.
func PluginDir() (string, error) {
	for _, dir := range pluginDirs {
		if _, err := os.Stat(filepath.Join(dir, "bridge")); err == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("the CNI plugin bridge is not in %s", strings.Join(pluginDirs, " or "))
}

// Space is what a program has inside.
type Space struct {
	// Dir is a folder on disk that is removed at the end. What is mounted in it is no obstacle.
	Dir string
	// CgroupRoot is the control group below which all others have to be.
	CgroupRoot string
	// Outside is a connection's way in: a listener on the loopback address of the machine.
	Outside net.Listener
}

// Inside is the space that this process runs in, or nil.
func Inside() (*Space, error) { return inside() }

var inside = sync.OnceValues(func() (*Space, error) {
	if os.Getenv(stageVariable) != stageInside {
		return nil, nil //nolint:nilnil // there is none
	}
	file := os.NewFile(listenerFile, "outside")
	listener, err := net.FileListener(file)
	if err := errors.Join(err, file.Close()); err != nil { // the listener has its own
		return nil, fmt.Errorf("namespaces: the listener outside: %w", err)
	}
	dir := os.Getenv(dirVariable)
	return &Space{Dir: dir, CgroupRoot: "/" + filepath.Base(dir), Outside: listener}, nil
})

// Relay connects those who connect to [Space.Outside] with an address inside, and returns what they have to call.
func (s *Space) Relay(address string) string {
	go func() {
		for {
			outer, err := s.Outside.Accept()
			if err != nil {
				return
			}
			go relay(outer, address)
		}
	}()
	return s.Outside.Addr().String()
}

func relay(outer net.Conn, address string) {
	defer func() { _ = outer.Close() }()
	inner, err := net.Dial("tcp", address)
	if err != nil {
		return // the other sees that nobody answers
	}
	defer func() { _ = inner.Close() }()
	ended := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{outer, inner}, {inner, outer}} {
		go func() {
			_, _ = io.Copy(way[0], way[1])
			ended <- struct{}{}
		}()
	}
	<-ended
}

// Run is the beginning of a program's main: inside it returns at once, and inside is true. Outside it runs this
// program again, inside, with the same arguments, and returns its exit code when everything is gone.
func Run() (code int, inside bool, err error) {
	if missing := Missing(); len(missing) > 0 {
		return 1, false, fmt.Errorf("a real node needs what this machine does not have: %s", strings.Join(missing, ", "))
	}
	switch os.Getenv(stageVariable) {
	case stageInside:
		return 0, true, nil
	case stageFirst:
		code, err = first()
	default:
		code, err = outside()
	}
	if err != nil {
		return max(code, 1), false, fmt.Errorf("namespaces: %w", err)
	}
	return code, false, nil
}

// environment is that of this program at a stage.
func environment(stage, dir string) []string {
	rest := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, stageVariable+"=") || strings.HasPrefix(v, dirVariable+"=")
	})
	return append(rest, stageVariable+"="+stage, dirVariable+"="+dir)
}

// outside makes what has to be there before, and removes it afterwards.
func outside() (code int, err error) {
	if err := removeLeftovers(); err != nil {
		return 1, err
	}
	dir, unlock, err := createDir()
	if err != nil {
		return 1, err
	}
	defer unlock()
	defer func() { err = errors.Join(err, remove(dir)) }()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 1, err
	}
	defer func() { _ = listener.Close() }()
	file, err := listener.(*net.TCPListener).File()
	if err != nil {
		return 1, err
	}
	defer func() { _ = file.Close() }()
	if err := createCgroups(filepath.Base(dir)); err != nil {
		return 1, err
	}
	return start(dir, file)
}

// remove removes the folder and the control groups that are named like it.
func remove(dir string) error {
	return errors.Join(removeCgroups(filepath.Base(dir)), os.RemoveAll(dir))
}
