package runner_test

import (
	"bytes"
	"io"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"github.com/rclone/gofakes3"
	"github.com/rclone/gofakes3/s3mem"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// The keys of the account to which the bucket belongs. The server checks what was signed with them.
const (
	accessKey = "AKIDEXAMPLE"
	secretKey = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
)

// bucket is a bucket of an S3 server on loopback.
type bucket struct {
	t       *testing.T
	backend *s3mem.Backend
	url     string
}

const bucketName = "states"

func newBucket(t *testing.T) bucket {
	t.Helper()
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket(t.Context(), bucketName))
	server := httptest.NewServer(gofakes3.New(backend, gofakes3.WithV4Auth(map[string]string{accessKey: secretKey})).Server())
	t.Cleanup(server.Close)
	return bucket{t, backend, "s3://" + bucketName + "/team?region=eu-central-1&use_path_style=true&endpoint=" + server.URL}
}

// keys are those below a folder.
func (b bucket) keys(folder string) (keys []string) {
	b.t.Helper()
	list, err := b.backend.ListBucket(b.t.Context(), bucketName, &gofakes3.Prefix{HasPrefix: true, Prefix: path.Join("team/.pulumi", folder)}, gofakes3.ListBucketPage{})
	require.NoError(b.t, err)
	for _, found := range list.Contents {
		keys = append(keys, found.Key)
	}
	return keys
}

func (b bucket) get(key string) []byte {
	b.t.Helper()
	object, err := b.backend.GetObject(b.t.Context(), bucketName, key, nil)
	require.NoError(b.t, err)
	content, err := io.ReadAll(object.Contents)
	require.NoError(b.t, err)
	return content
}

func (b bucket) put(key string, content []byte) {
	b.t.Helper()
	_, err := b.backend.PutObject(b.t.Context(), bucketName, key, map[string]string{}, bytes.NewReader(content), int64(len(content)))
	require.NoError(b.t, err)
}

func (b bucket) remove(key string) {
	b.t.Helper()
	_, err := b.backend.DeleteObject(b.t.Context(), bucketName, key)
	require.NoError(b.t, err)
}

func TestStateInABucketOfS3(t *testing.T) { // [X69]
	t.Parallel()
	e, b := newEnvironment(t), newBucket(t)
	signed := map[string]string{"AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey}
	stored := "team/.pulumi/stacks/shop/" + e.namespace + ".shop.json"
	in := func(given inputs.Inputs, credentials map[string]string) inputs.Inputs {
		given.BackendURL, given.Credentials = b.url, credentials
		return given
	}
	update := func(colour string) (*pod, *state.Head, int) {
		t.Helper()
		return e.run(v1alpha1.OperationUpdate, in(e.twoConfigMaps(colour), signed))
	}

	p := e.start(v1alpha1.OperationUpdate, in(e.slow(), signed))
	p.eventually("the object is there", func() bool { return len(e.configMaps()) == 1 })
	p.eventually("Pulumi holds its lock", func() bool { return len(b.keys("locks")) == 1 })
	p.kill()
	<-p.ended
	own := b.keys("locks")
	require.Len(t, own, 1)
	b.put(own[0], lockOf(t, "shop-1-x7k2p")) // whose host is a pod's
	e.emptyLease()
	e.fill()
	p, head, exit := e.run(v1alpha1.OperationUpdate, in(e.slow(), signed))
	require.Zero(t, exit, "a killed run goes on: %s", p.log.String())
	assert.Equal(t, state.Succeeded, head.Record.Outcome)
	assert.Empty(t, head.Checkpoint(), "the state is not in Secrets")
	assert.Contains(t, b.keys("stacks"), stored)
	assert.Empty(t, b.keys("locks"))
	p, _, exit = update("green")
	require.Zero(t, exit, p.log.String())
	uid := e.configMap("first").UID

	t.Run("without the right keys, nothing is read, forgotten or said of them", func(t *testing.T) {
		before := b.get(stored)
		for name, credentials := range map[string]map[string]string{
			"another key": {"AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": strings.ToLower(secretKey)},
			"an account that the server does not know": {"AWS_ACCESS_KEY_ID": "AKIDOTHER", "AWS_SECRET_ACCESS_KEY": secretKey},
		} {
			for _, kind := range []v1alpha1.OperationKind{v1alpha1.OperationUpdate, v1alpha1.OperationDestroy} {
				p, head, exit := e.run(kind, in(e.twoConfigMaps("red"), credentials))
				require.Equal(t, 1, exit, "%s: %s", name, p.log.String())
				assert.Equal(t, state.Failed, head.Record.Outcome)
				assert.Equal(t, int32(2), head.Record.ResourceCount)
				for _, text := range []string{p.log.String(), head.Record.Message} {
					assert.NotContains(t, text, credentials["AWS_SECRET_ACCESS_KEY"])
				}
			}
		}
		assert.Equal(t, before, b.get(stored))
		assert.Equal(t, "green", e.configMap("first").Data["colour"])
	})
	t.Run("the lock of a person stays", func(t *testing.T) {
		theirs := "team/.pulumi/locks/organization/shop/" + e.namespace + ".shop/theirs.json"
		b.put(theirs, lockOf(t, "laptop"))
		p, head, exit := update("red")
		require.Equal(t, 1, exit, p.log.String())
		assert.Equal(t, "StackLocked", head.Record.Reason)
		assert.Contains(t, head.Record.Message, "maria@laptop")
		assert.Equal(t, []string{theirs}, b.keys("locks"))
		b.remove(theirs)
	})
	t.Run("a stack that is lost there is not made once more", func(t *testing.T) {
		content := b.get(stored)
		b.remove(stored)
		p, head, exit := update("red")
		require.Equal(t, 1, exit, p.log.String())
		assert.Equal(t, "StateUnusable", head.Record.Reason)
		b.put(stored, content)
	})
	p, _, exit = update("red")
	require.Zero(t, exit, p.log.String())
	assert.Equal(t, uid, e.configMap("first").UID, "in place")
	assert.Equal(t, "red", e.configMap("first").Data["colour"])

	p, head, exit = e.run(v1alpha1.OperationDestroy, in(inputs.Inputs{}, signed))
	require.Zero(t, exit, p.log.String())
	assert.Empty(t, e.configMaps())
	assert.Zero(t, head.Record.ResourceCount)
	assert.NotContains(t, b.keys("stacks"), stored)
}
