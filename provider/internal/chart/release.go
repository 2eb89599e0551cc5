package chart

import (
	"fmt"
	"slices"

	"helm.sh/helm/v4/pkg/chart/common"
	helmutil "helm.sh/helm/v4/pkg/chart/v2/util"
)

// Release is what templates see as .Release and .Capabilities.
type Release struct {
	// Name is the name of the release, and Namespace where it is installed; "default" if it is empty.
	Name, Namespace string
	// IsUpgrade makes .Release.IsUpgrade true, instead of .Release.IsInstall. Many charts refuse that if `lookup` finds
	// nothing.
	IsUpgrade bool
	// KubeVersion is the version of the cluster, such as "1.36" or "v1.36.2". If it is empty, it is the default of `helm template`.
	KubeVersion string
	// APIVersions are additional versions for .Capabilities.APIVersions.Has, besides those that Kubernetes itself has in KubeVersion, such
	// as "monitoring.coreos.com/v1" and "monitoring.coreos.com/v1/ServiceMonitor".
	APIVersions []string
	// SkipCRDs leaves out the files in crds/.
	SkipCRDs bool
}

// options is the data from which Helm builds .Release.
func (r Release) options() (common.ReleaseOptions, error) {
	if err := helmutil.ValidateReleaseName(r.Name); err != nil {
		return common.ReleaseOptions{}, fmt.Errorf("the release name %q: %w", r.Name, err)
	}
	namespace := r.Namespace
	if namespace == "" {
		namespace = "default"
	}
	return common.ReleaseOptions{
		Name: r.Name, Namespace: namespace, Revision: 1, IsInstall: !r.IsUpgrade, IsUpgrade: r.IsUpgrade,
	}, nil
}

// capabilities is the data from which Helm builds .Capabilities.
func (r Release) capabilities() (*common.Capabilities, error) {
	found := common.DefaultCapabilities.Copy()
	if r.KubeVersion != "" {
		version, err := common.ParseKubeVersion(r.KubeVersion)
		if err != nil {
			return nil, fmt.Errorf("the Kubernetes version %q: %w", r.KubeVersion, err)
		}
		found.KubeVersion = *version
	}
	found.APIVersions = slices.Concat(found.APIVersions, ownKinds(found.KubeVersion), r.APIVersions)
	return found, nil
}
