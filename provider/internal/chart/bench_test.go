package chart

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// BenchmarkRendering: a chart as they are made with a common library, whole and with values that are unknown or secret.
func BenchmarkRendering(b *testing.B) {
	chart := loadFolder(b, chartFolder(b, "database"))
	given := m{"auth": m{"password": "hunter2", "username": "app"}, "architecture": "replication", "primary": m{"replicas": 3}}
	b.Run("whole", func(b *testing.B) {
		for b.Loop() {
			_, err := chart.Render(b.Context(), release, given, Functions{})
			require.NoError(b, err)
		}
	})
	secrets, err := values.MarksAt([][]any{{"auth", "password"}})
	require.NoError(b, err)
	session := draws.NewSession(draws.Options{})
	_, err = chart.Render(b.Context(), release, given, Functions{Draws: session})
	require.NoError(b, err)
	options := draws.Options{Stored: session.Used(), Missing: draws.Placeholder(0)}
	partly := func(b *testing.B, given m) {
		b.Helper()
		for b.Loop() {
			_, err := chart.RenderPartly(b.Context(), Partly{Release: release, Values: given, Secrets: secrets, Session: draws.NewSession(options), Draws: options})
			require.NoError(b, err)
		}
	}
	b.Run("with a secret", func(b *testing.B) { partly(b, given) })
	b.Run("with a secret and unknown values", func(b *testing.B) {
		partly(b, m{"auth": m{"password": "hunter2", "username": values.Unknown{}}, "primary": m{"replicas": values.Unknown{}, "podAnnotations": m{"a": values.Unknown{}}}})
	})
}
