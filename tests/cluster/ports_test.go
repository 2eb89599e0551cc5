package cluster

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestATakenPortIsRecognized has someone else on the port, who says to be healthy at that.
func TestATakenPortIsRecognized(t *testing.T) {
	needsCluster(t)
	for name, address := range map[string]func(*Cluster) string{
		"etcd":           func(c *Cluster) string { return c.etcd.URL.Host },
		"kube-apiserver": func(c *Cluster) string { return c.apiServer.HostPort() },
	} {
		t.Run(name, func(t *testing.T) {
			c, err := prepare(Options{})
			require.NoError(t, err)
			other := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			require.NoError(t, other.Listener.Close())
			other.Listener, err = net.Listen("tcp", address(c))
			require.NoError(t, err)
			if name == "etcd" {
				other.Start()
			} else {
				other.StartTLS()
			}
			defer other.Close()

			err = c.run(t.Context())
			require.NoError(t, c.Stop())
			require.ErrorIs(t, err, errAddressInUse)
		})
	}
}
