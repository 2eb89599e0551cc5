package state_test

import (
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

var server envtest.Environment

// connect starts the API server for the first test that asks: the processes that look for inputs of a fuzz test come
// through TestMain, too.
var connect = sync.OnceValues(func() (client.WithWatch, error) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		return nil, errors.New("KUBEBUILDER_ASSETS is not set: these tests need etcd and kube-apiserver, and this variable to name their folder")
	}
	config, err := server.Start()
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	return client.NewWithWatch(config, client.Options{})
})

func TestMain(m *testing.M) {
	code := m.Run()
	if server.Config != nil {
		_ = server.Stop()
	}
	os.Exit(code)
}

// namespace makes one for a test.
func namespace(t *testing.T) (client.WithWatch, string) {
	t.Helper()
	direct, err := connect()
	require.NoError(t, err)
	made := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "state-"}}
	require.NoError(t, direct.Create(t.Context(), made))
	return direct, made.Name
}
