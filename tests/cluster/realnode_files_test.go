package cluster

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheFormatOfContainerdsConfigurationGoesByItsVersion(t *testing.T) {
	for said, format := range map[string]string{
		"containerd github.com/containerd/containerd 1.6.20~ds1 1.6.20~ds1-1+deb12u3":                      "version = 2",
		"containerd containerd.io 1.7.27 05044ec0a9a75232cad458027ca83437aae3f4da":                         "version = 2",
		"containerd github.com/containerd/containerd/v2 2.2.9":                                             "version = 3",
		"containerd github.com/containerd/containerd/v2 v2.1.4 75cb2b7193e4e490e9fbdc236c0e811ccaba3376\n": "version = 3",
	} {
		major, err := parseContainerdMajor(said)
		require.NoError(t, err)
		assert.Contains(t, containerdConfig(major), format, said)
	}
	_, err := parseContainerdMajor("containerd")
	require.ErrorContains(t, err, `"containerd"`)
}
