package kustomize_test

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/kustomize"
)

func TestAPanicOfTheLibraryIsAnError(t *testing.T) {
	for name, call := range map[string]func(func() error) error{"Run": kustomize.Run, "Build": kustomize.Build, "Guard": kustomize.Guard} {
		t.Run(name, func(t *testing.T) {
			err := call(func() error { panic("at the disco") })
			var panicked *kustomize.Panic
			require.ErrorAs(t, err, &panicked)
			assert.Equal(t, "at the disco", panicked.Cause)
			assert.EqualError(t, err, "kustomize gave up: at the disco")

			failed := errors.New("failed")
			assert.Equal(t, failed, call(func() error { return failed }), "the lock is free again")
		})
	}
}

func TestTheLibraryServesOneAtATime(t *testing.T) {
	var inside atomic.Int64
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			assert.NoError(t, kustomize.Run(func() error {
				defer inside.Add(-1)
				assert.Equal(t, int64(1), inside.Add(1))
				for range 100 {
					runtime.Gosched()
				}
				return nil
			}))
		})
	}
	wg.Wait()
}

func TestSchemasOfABuildAreForgotten(t *testing.T) {
	box := yaml.TypeMeta{APIVersion: "example.com/v1", Kind: "Box"}
	require.NoError(t, kustomize.Build(func() error {
		assert.NoError(t, openapi.AddSchema([]byte(`{"definitions": {"v1.Box": {"type": "object",
			"x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Box"}]}}}`)))
		assert.NotNil(t, openapi.SchemaForResourceType(box))
		return nil
	}))
	require.NoError(t, kustomize.Run(func() error {
		assert.Nil(t, openapi.SchemaForResourceType(box))
		return nil
	}))
}
