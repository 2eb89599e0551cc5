package kubelet

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func TestTheTokenOfAPod(t *testing.T) {
	t.Parallel()
	s := with(t)
	s.secret("secret", "password", "hunter2")
	const folder = "/var/run/secrets/kubernetes.io/serviceaccount"
	s.create(restricted("token", "read "+folder+"/token", "read "+folder+"/ca.crt", "wait"))
	s.printed("token", "waiting")
	found := regexp.MustCompile(`(?s)/token: (\S+?)<nil>.*/ca\.crt: (.+?)<nil>`).FindStringSubmatch(s.logs("token"))
	require.NotNil(t, found, s.logs("token"))

	config := shared.Get(t).RESTConfig()
	client, err := kubernetes.NewForConfig(&rest.Config{
		Host: config.Host, BearerToken: found[1], TLSClientConfig: rest.TLSClientConfig{CAData: []byte(found[2])},
	})
	require.NoError(t, err)
	review, err := client.AuthenticationV1().SelfSubjectReviews().
		Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	require.NoError(t, err)
	assert.Equal(t, "system:serviceaccount:"+s.namespace+":default", review.Status.UserInfo.Username)
	assert.Equal(t, authenticationv1.ExtraValue{"token"}, review.Status.UserInfo.Extra["authentication.kubernetes.io/pod-name"])

	judge := func(audiences []string) authenticationv1.TokenReviewStatus {
		asked := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: found[1], Audiences: audiences}}
		answer, err := s.client.AuthenticationV1().TokenReviews().Create(t.Context(), asked, metav1.CreateOptions{})
		require.NoError(t, err)
		return answer.Status
	}
	audiences := judge(nil).Audiences
	s.remove("token", 30)
	s.gone("token")
	assert.Contains(t, s.logs("token"), "terminated\n")
	// As nobody has asked before: the API server remembers for ten seconds what it has found.
	status := judge(append(audiences, "anybody"))
	assert.False(t, status.Authenticated)
	assert.Contains(t, status.Error, "service account token has been invalidated")
}
