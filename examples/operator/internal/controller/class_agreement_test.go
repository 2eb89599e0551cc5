package controller_test

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/class"
)

// conflictOnce answers the first write of a status of a class that says something as the API server answers one of an old version.
func conflictOnce(says string) func(http.RoundTripper) http.RoundTripper {
	var done atomic.Bool
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTrip(func(request *http.Request) (*http.Response, error) {
			if request.Method != http.MethodPatch || !strings.Contains(request.URL.Path, "/environmentclasses/") {
				return next.RoundTrip(request)
			}
			body, err := io.ReadAll(request.Body)
			if err != nil {
				return nil, err
			}
			if bytes.Contains(body, []byte(says)) && done.CompareAndSwap(false, true) {
				old := regexp.MustCompile(`"resourceVersion":"\d+"`)
				body = old.ReplaceAll(body, []byte(`"resourceVersion":"1"`))
				request.ContentLength = int64(len(body))
			}
			request.Body = io.NopCloser(bytes.NewReader(body))
			return next.RoundTrip(request)
		})
	}
}

func TestAClassSaysWhetherItsProgramAgrees(t *testing.T) { // [X61]
	p := newPlatformBehind(t, conflictOnce(class.ReasonKeysUnknown))
	p.served()
	message := p.classSays(v1alpha1.ConditionProgramAgrees, class.ReasonKeysUnknown)
	assert.Contains(t, message, "so those that do fail: image, replicas.")
	require.Eventually(t, func() bool { return len(p.eventsAbout("default", p.readClass().UID)[class.ReasonKeysUnknown]) > 0 }, eventually, moment)
	shop := p.new(p.tenant(nil), "shop", map[string]any{"image": "shop:1"}, nil)
	shop.runs(1) // It stops nothing.
	shop.says("Applied")

	program := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "program"}}
	const declared = `{"data":{"Pulumi.yaml":"name: shop\nruntime: yaml\nconfig: {image: {type: string}, replicas: {type: integer}}\n"}}`
	require.NoError(t, p.Patch(t.Context(), program, client.RawPatch(types.MergePatchType, []byte(declared))))
	p.classSays(v1alpha1.ConditionProgramAgrees, "Agrees")
	assert.Len(t, p.eventsAbout("default", p.readClass().UID)[class.ReasonKeysUnknown], 1, "an event for what was decided from an old version, too")
}
