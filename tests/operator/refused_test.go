package operator

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestASecretOfOthersWithTheNameOfTheState(t *testing.T) { // [X42]
	t.Parallel()
	s := with(t)
	s.program(greeting)
	s.setSecret("shop-state", map[string]string{"of": "others"})
	e := s.create("shop", text("hello"))
	message := e.becomes("Ready", metav1.ConditionFalse, "NameTaken").condition("Ready").Message
	assert.Contains(t, message, "shop-state is not of this Environment")
	assert.Equal(t, "others", string(s.secret("shop-state").Data["of"]))
	assert.Nil(t, s.configMap("greeting"), "nothing runs without a state")
	require.NoError(t, s.client.Delete(t.Context(), s.secret("shop-state")))
	e.ready()
	assert.Equal(t, "hello", s.text("greeting"))
}

func TestAQuotaThatAllowsNoRun(t *testing.T) { // [X49]
	t.Parallel()
	s := with(t)
	s.program(greeting)
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "none"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"count/jobs.batch": resource.MustParse("0")}},
	}
	require.NoError(t, s.client.Create(t.Context(), quota))
	e := s.create("shop", text("hello"))
	message := e.becomes("Ready", metav1.ConditionFalse, "WriteRefused").condition("Ready").Message
	assert.Contains(t, message, "exceeded quota")
	require.NoError(t, s.client.Delete(t.Context(), quota))
	e.ready()
	assert.Equal(t, "hello", s.text("greeting"))
}
