package failure_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// uncalled is what the API server answers where it cannot call a webhook.
func uncalled(prose string) error {
	return apierrors.NewInternalError(fmt.Errorf(`failed calling webhook "rules.example.com": failed to call webhook: %s`, prose))
}

func TestAWebhookThatCouldNotBeAsked(t *testing.T) {
	t.Run("is known by the only cause of the answer, and nothing was written [D34]", func(t *testing.T) {
		unasked, ok := failure.WebhookUnasked(uncalled(`Post "https://rules/": context deadline exceeded`))
		require.True(t, ok)
		assert.Equal(t, "rules.example.com", unasked.Name)
		assert.Equal(t, `failed to call webhook: Post "https://rules/": context deadline exceeded`, unasked.Why)
		assert.Equal(t, failure.Refused, failure.Outcome(uncalled("EOF")))
		assert.Equal(t, failure.ClassWebhookFailed, failure.Classify(uncalled("EOF")))
		_, ok = failure.WebhookUnasked(apierrors.NewInternalError(fmt.Errorf(`failed calling webhook "w"; no further details available`)))
		assert.True(t, ok)
	})
	for name, answer := range map[string]string{
		"a denial with 500 InternalError": `{"message":"admission webhook \"w\" denied the request: failed calling webhook \"x\": no","reason":"InternalError","code":500}`,
		"a conversion webhook":            `{"message":"Internal error occurred: conversion webhook for example.com/v1, Kind=Widget failed: Post \"https://w/\": EOF","reason":"InternalError","details":{"causes":[{"message":"conversion webhook for example.com/v1, Kind=Widget failed: Post \"https://w/\": EOF"}]},"code":500}`,
		"another code":                    `{"message":"no","reason":"InternalError","details":{"causes":[{"message":"failed calling webhook \"w\": no"}]},"code":503}`,
		"a cause about a field":           `{"message":"no","reason":"InternalError","details":{"causes":[{"message":"failed calling webhook \"w\": no","field":"data.a"}]},"code":500}`,
		"a cause with a reason":           `{"message":"no","reason":"InternalError","details":{"causes":[{"reason":"FieldValueInvalid","message":"failed calling webhook \"w\": no"}]},"code":500}`,
		"several causes":                  `{"message":"no","reason":"InternalError","details":{"causes":[{"message":"failed calling webhook \"w\": no"},{"message":"x"}]},"code":500}`,
		"the words elsewhere":             `{"message":"no","reason":"InternalError","details":{"causes":[{"message":"it says: failed calling webhook \"w\": no"}]},"code":500}`,
	} {
		t.Run("is not taken for "+name+" [D34]", func(t *testing.T) {
			_, ok := failure.WebhookUnasked(answered(t, answer))
			assert.False(t, ok)
		})
	}
	t.Run("the outcome of a conversion webhook that fails is not known [D34]", func(t *testing.T) {
		err := apierrors.NewInternalError(fmt.Errorf(`conversion webhook for example.com/v1, Kind=Widget failed: Post "https://w/": EOF`))
		assert.Equal(t, failure.Unknown, failure.Outcome(err))
	})
	for prose, advice := range map[string]string{
		`Post "https://r.ns.svc:443/x?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority`: "clientConfig.caBundle",
		`Post "https://r.ns.svc:443/x": unable to load root certificates: unable to parse bytes as PEM block`:                         "clientConfig.caBundle",
		`Post "https://r/": tls: failed to verify certificate: x509: certificate has expired or is not yet valid`:                     "valid now",
		`Post "https://r/": tls: failed to verify certificate: x509: certificate is valid for a, not r`:                               "for the address",
		`Post "https://r.ns.svc:443/x?timeout=10s": dial tcp 10.0.0.1:443: connect: connection refused`:                               "Make sure that its server runs, and",
		`Post "https://r.ns.svc:443/x?timeout=10s": no endpoints available for service "r"`:                                           "Make sure that its server runs, and",
		`Post "https://r.ns.svc:443/x?timeout=10s": service "r" not found`:                                                            "Make sure that its server runs, and",
		`Post "https://r/": context deadline exceeded`:                                                                                "answers in time",
		`an error on the server ("no") has prevented the request from succeeding`:                                                     "answers in time",
	} {
		t.Run("gets the advice that fits "+prose+" [D34 c]", func(t *testing.T) {
			text := explained(t, uncalled(prose))
			unwrapped := strings.Join(strings.Fields(text), " ")
			for _, part := range []string{`webhook "rules.example.com" could not be called`, prose, "Next: nothing was written.", advice, "failurePolicy"} {
				assert.Equal(t, 1, strings.Count(unwrapped, part), "%s: %s", part, text)
			}
			if advice == "clientConfig.caBundle" {
				assert.NotContains(t, text, "server runs", "it does")
			}
		})
	}
	t.Run("is shown as it is meant to be read [D34 c]", func(t *testing.T) {
		assert.Equal(t, `cannot create ConfigMap lab/c: admission webhook "rules.example.com" could not be called, so the API server refused the request
  failed to call webhook: Post "https://r.ns.svc:443/x": tls: failed to verify certificate: x509: certificate signed by unknown authority
  Next: nothing was written. Its certificate is not trusted by clientConfig.caBundle of its configuration. Whoever injects that (cert-manager's cainjector) may not have written it yet: run again. If it stays, correct caBundle. If requests may pass without the webhook, set its failurePolicy to Ignore. To find its configuration:
        kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o name`,
			explained(t, uncalled(`Post "https://r.ns.svc:443/x": tls: failed to verify certificate: x509: certificate signed by unknown authority`)))
	})
	t.Run("is not quoted with what is secret", func(t *testing.T) {
		err := uncalled("an error on the server (\"hunter2 is bad\n- hunter2\") has prevented the request from succeeding")
		unasked, _ := failure.WebhookUnasked(err)
		for _, text := range []string{
			unasked.Reason([]string{"hunter2"}),
			failure.Explain(err, failure.Operation{Verb: "create", Subject: "Secret web", Sensitive: []string{"hunter2"}}).Error(),
		} {
			assert.NotContains(t, text, "hunter2")
			assert.Contains(t, text, "[secret]")
		}
		assert.NotContains(t, unasked.Reason(nil), "\n")
	})
}

func explained(t testing.TB, err error) string {
	t.Helper()
	return failure.Explain(fmt.Errorf("ConfigMap lab/c: %w", err), failure.Operation{Verb: "create", Subject: "ConfigMap lab/c"}).Error()
}
