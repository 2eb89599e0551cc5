package kubelet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// sandbox is all that the process of a container needs to become what it is.
type sandbox struct {
	// Image is the folder of its files, and Scratch an empty one to mount on.
	Image, Scratch string
	Hostname       string
	Mounts         []mount
	ReadOnlyRoot   bool
	UID, GID       int
	Groups         []int
	// DropCapabilities leaves nothing to a root user but the name.
	DropCapabilities bool
	WorkingDir       string
	Args, Env        []string
}

// mount is a folder or file of this machine in the container.
type mount struct {
	Source, Target string
	ReadOnly       bool
}

// sandbox is that of a container, if all that it refers to is there.
func (w *worker) sandbox(ctx context.Context, pod *corev1.Pod, c *container, image Image) (sandbox, error) {
	variables, err := w.environment(ctx, pod, c.spec, image)
	if err != nil {
		return sandbox{}, err
	}
	args := command(c.spec, image, variables)
	if len(args) == 0 {
		return sandbox{}, errors.New("no command specified")
	}
	context := security(pod, c.spec)
	box := sandbox{
		Image: image.Root, Scratch: filepath.Join(w.containerDir(c), "scratch"), Hostname: pod.Name,
		ReadOnlyRoot: ptr.Deref(context.ReadOnlyRootFilesystem, false),
		UID:          int(ptr.Deref(context.RunAsUser, int64(image.UID))),
		GID:          int(ptr.Deref(context.RunAsGroup, int64(image.GID))),
		WorkingDir:   c.spec.WorkingDir, Args: args,
	}
	if ptr.Deref(context.RunAsNonRoot, false) && box.UID == 0 {
		return sandbox{}, errors.New("container has runAsNonRoot and image will run as root")
	}
	if context.Capabilities != nil {
		box.DropCapabilities = slices.Contains(context.Capabilities.Drop, "ALL")
	}
	if pod.Spec.SecurityContext != nil {
		for _, group := range pod.Spec.SecurityContext.SupplementalGroups {
			box.Groups = append(box.Groups, int(group))
		}
	}
	if group := fsGroup(pod); group != nil {
		box.Groups = append(box.Groups, int(*group))
	}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		box.Env = append(box.Env, name+"="+variables[name])
	}
	box.Mounts, err = w.mounts(pod, c)
	return box, err
}

// mounts are those of a container, outer ones first, with what every container has.
func (w *worker) mounts(pod *corev1.Pod, c *container) ([]mount, error) {
	dir := w.containerDir(c)
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, "scratch"), 0o755); err != nil {
		return nil, err
	}
	hosts := fmt.Sprintf("127.0.0.1\tlocalhost\n::1\tlocalhost\n%s\t%s\n", address, pod.Name)
	message := c.spec.TerminationMessagePath // the API server has set it
	mounts := []mount{{Source: w.messageFile(c), Target: message}}
	for _, made := range []struct {
		name, content, target string
		mode                  os.FileMode
	}{
		{filepath.Base(w.messageFile(c)), "", "", 0o666},
		{"hosts", hosts, "/etc/hosts", 0o644},
		{"hostname", pod.Name + "\n", "/etc/hostname", 0o644},
		{"resolv.conf", "nameserver " + address + "\n", "/etc/resolv.conf", 0o644},
	} {
		path := filepath.Join(dir, made.name)
		if err := os.WriteFile(path, []byte(made.content), 0o600); err != nil {
			return nil, err
		}
		if err := os.Chmod(path, made.mode); err != nil {
			return nil, err
		}
		if made.target != "" {
			mounts = append(mounts, mount{Source: path, Target: made.target, ReadOnly: true})
		}
	}
	for _, wanted := range c.spec.VolumeMounts {
		at := slices.IndexFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == wanted.Name })
		mounts = append(mounts, mount{
			Source: w.volumes[wanted.Name], Target: wanted.MountPath,
			ReadOnly: wanted.ReadOnly || pod.Spec.Volumes[at].EmptyDir == nil,
		})
	}
	slices.SortStableFunc(mounts, func(a, b mount) int {
		return strings.Count(filepath.Clean(a.Target), "/") - strings.Count(filepath.Clean(b.Target), "/")
	})
	return mounts, nil
}

// security is what holds for a container: its own settings, and the pod's where it has none.
func security(pod *corev1.Pod, c *corev1.Container) corev1.SecurityContext {
	var own corev1.SecurityContext
	if c.SecurityContext != nil {
		own = *c.SecurityContext
	}
	if all := pod.Spec.SecurityContext; all != nil {
		if own.RunAsUser == nil {
			own.RunAsUser = all.RunAsUser
		}
		if own.RunAsGroup == nil {
			own.RunAsGroup = all.RunAsGroup
		}
		if own.RunAsNonRoot == nil {
			own.RunAsNonRoot = all.RunAsNonRoot
		}
	}
	return own
}

// unsupported is what a pod asks for that is not played here.
func unsupported(spec *corev1.PodSpec) string {
	if len(spec.InitContainers) > 0 {
		return "init containers"
	}
	for _, volume := range spec.Volumes {
		source := volume.VolumeSource
		if source.EmptyDir == nil && source.Secret == nil && source.ConfigMap == nil && source.DownwardAPI == nil && source.Projected == nil {
			return "the kind of volume " + volume.Name
		}
	}
	for _, c := range spec.Containers {
		if c.Lifecycle != nil {
			return "lifecycle hooks"
		}
		for _, mount := range c.VolumeMounts {
			if mount.SubPath != "" || mount.SubPathExpr != "" {
				return "subPath"
			}
		}
		for _, probe := range []*corev1.Probe{c.StartupProbe, c.ReadinessProbe, c.LivenessProbe} {
			if probe != nil && probe.HTTPGet == nil {
				return "probes that are not httpGet"
			}
		}
	}
	return ""
}
