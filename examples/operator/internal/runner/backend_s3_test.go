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
	"github.com/stretchr/testify/require"
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
	server  string
}

const bucketName = "states"

func newBucket(t *testing.T) bucket {
	t.Helper()
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket(t.Context(), bucketName))
	server := httptest.NewServer(gofakes3.New(backend, gofakes3.WithV4Auth(map[string]string{accessKey: secretKey})).Server())
	t.Cleanup(server.Close)
	return bucket{t, backend, server.URL}
}

func (b bucket) url() string {
	return "s3://" + bucketName + "/team?region=eu-central-1&use_path_style=true&endpoint=" + b.server
}

func (b bucket) credentials() map[string]string {
	return map[string]string{"AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": secretKey}
}

func (b bucket) wrongCredentials() map[string]map[string]string {
	return map[string]map[string]string{
		"another key": {"AWS_ACCESS_KEY_ID": accessKey, "AWS_SECRET_ACCESS_KEY": strings.ToLower(secretKey)},
		"an account that the server does not know": {"AWS_ACCESS_KEY_ID": "AKIDOTHER", "AWS_SECRET_ACCESS_KEY": secretKey},
	}
}

func (b bucket) secretVariable() string { return "AWS_SECRET_ACCESS_KEY" }

func (b bucket) keys(folder string) (keys []string) {
	b.t.Helper()
	list, err := b.backend.ListBucket(b.t.Context(), bucketName, &gofakes3.Prefix{HasPrefix: true, Prefix: path.Join("team/.pulumi", folder)}, gofakes3.ListBucketPage{})
	require.NoError(b.t, err)
	for _, found := range list.Contents {
		keys = append(keys, strings.TrimPrefix(found.Key, "team/"))
	}
	return keys
}

func (b bucket) get(key string) []byte {
	b.t.Helper()
	object, err := b.backend.GetObject(b.t.Context(), bucketName, "team/"+key, nil)
	require.NoError(b.t, err)
	content, err := io.ReadAll(object.Contents)
	require.NoError(b.t, err)
	return content
}

func (b bucket) put(key string, content []byte) {
	b.t.Helper()
	_, err := b.backend.PutObject(b.t.Context(), bucketName, "team/"+key, map[string]string{}, bytes.NewReader(content), int64(len(content)))
	require.NoError(b.t, err)
}

func (b bucket) remove(key string) {
	b.t.Helper()
	_, err := b.backend.DeleteObject(b.t.Context(), bucketName, "team/"+key)
	require.NoError(b.t, err)
}

func TestStateInABucketOfS3(t *testing.T) { // [X69]
	t.Parallel()
	liveInBackend(t, newBucket(t))
}
