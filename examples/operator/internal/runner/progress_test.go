package runner

import (
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
)

func TestWhatIsProgress(t *testing.T) { // [X21]
	t.Parallel()
	passphrase, salt, err := stack.New()
	require.NoError(t, err)
	key, err := stack.Open(passphrase, salt)
	require.NoError(t, err)
	state := func(password string, change func(*apitype.ResourceV3)) []byte {
		ciphertext, err := key.EncryptValue(t.Context(), `"`+password+`"`)
		require.NoError(t, err)
		resource := apitype.ResourceV3{
			URN:     "urn:pulumi:a::b::c::d",
			Outputs: map[string]any{"nested": []any{map[string]any{sig.Key: sig.Secret, "ciphertext": ciphertext}}},
		}
		if change != nil {
			change(&resource)
		}
		return resourcesOf(t.Context(), key, &apitype.DeploymentV3{Resources: []apitype.ResourceV3{resource}})
	}
	before := state("s3cr3t", nil)

	assert.Equal(t, before, state("s3cr3t", nil), "the same secret, encrypted twice")
	assert.Equal(t, before, state("s3cr3t", func(r *apitype.ResourceV3) { r.Modified = new(time.Now()) }), "another time")
	assert.NotEqual(t, before, state("0ther", nil), "another secret")
	assert.NotEqual(t, before, state("s3cr3t", func(r *apitype.ResourceV3) { r.ID = "made" }), "a resource that was made")
}
