package namespaces

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// settings are what a kubelet sets for the whole machine: they belong to no namespace.
var settings = []string{
	"vm/overcommit_memory",
	"vm/panic_on_oom",
	"kernel/panic",
	"kernel/panic_on_oops",
	"kernel/keys/root_maxkeys",
	"kernel/keys/root_maxbytes",
}

// prepare sets up the namespaces that this process is the first of.
func prepare(dir string) error {
	for _, step := range []func() error{
		mountSystem,
		func() error { return shieldSettings(filepath.Join(RunDir, "settings")) },
		func() error { return coverDirs(filepath.Join(RunDir, "cover"), "/var/lib", "/var/log") },
		configureNetwork,
	} {
		if err := step(); err != nil {
			return fmt.Errorf("preparing the node in %s: %w", dir, err)
		}
	}
	return nil
}

func mount(source, target, kind string, flags uintptr, data string) error {
	if err := syscall.Mount(source, target, kind, flags, data); err != nil {
		return fmt.Errorf("mounting %s on %s: %w", kind, target, err)
	}
	return nil
}

// mountSystem has no mount get out of here, and processes see no others.
func mountSystem() error {
	return errors.Join(
		mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""),
		mount("", "/", "", syscall.MS_REC|syscall.MS_SHARED, ""), // among the containers, as a kubelet wants it
		mount("proc", "/proc", "proc", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, ""),
		mount("tmpfs", "/run", "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, "mode=755"),
		os.MkdirAll("/run/lock", 0o755),
		os.MkdirAll(RunDir, 0o700),
	)
}

// shieldSettings puts a file on each setting, with the value that it has: who sets it writes into the file.
func shieldSettings(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, setting := range settings {
		path := filepath.Join("/proc/sys", setting)
		value, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // this kernel is built without it
		}
		if err != nil {
			return err
		}
		shield := filepath.Join(dir, strings.ReplaceAll(setting, "/", "."))
		if err := os.WriteFile(shield, value, 0o600); err != nil {
			return err
		}
		if err := mount(shield, path, "", syscall.MS_BIND, ""); err != nil {
			return err
		}
	}
	return nil
}

// coverDirs keeps in memory what is written into folders; what is in them stays to be seen.
func coverDirs(dir string, covered ...string) error {
	for _, path := range covered {
		upper := filepath.Join(dir, strings.ReplaceAll(path, "/", "_"), "upper")
		work := filepath.Join(filepath.Dir(upper), "work")
		if err := errors.Join(os.MkdirAll(upper, 0o755), os.MkdirAll(work, 0o755)); err != nil {
			return err
		}
		data := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", path, upper, work)
		if err := mount("overlay", path, "overlay", 0, data); err != nil {
			return err
		}
	}
	return nil
}

// configureNetwork gives the node its address, on a bridge without ports since a kernel may have no dummy devices.
// The addresses of Services lead there: what comes after that is kube-proxy's. That of the API server's own Service is
// an address here, for which the API server has a certificate. That of the name server is one too, where nothing listens:
// who asks is refused at once, however often, and does not wait for an answer.
func configureNetwork() error {
	ip, err := Program("ip")
	if err != nil {
		return err
	}
	for _, args := range []string{
		"link set lo up",
		"address add " + APIServerAddress + "/32 dev lo",
		"address add " + DNSAddress + "/32 dev lo",
		"link add node0 type bridge",
		"address add " + NodeAddress + "/24 dev node0",
		"link set node0 up",
		"route add " + ServiceRange + " dev node0",
	} {
		if out, err := exec.Command(ip, strings.Fields(args)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", args, err, out)
		}
	}
	// Packets between pods on the bridge go through kube-proxy's rules too, where the kernel asks for that at all.
	err = os.WriteFile("/proc/sys/net/bridge/bridge-nf-call-iptables", []byte("1"), 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err,
		os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0o600),
		os.WriteFile("/proc/sys/net/ipv4/icmp_ratelimit", []byte("0"), 0o600))
}
