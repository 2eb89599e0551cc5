package state_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// content is a checkpoint that cannot be compressed.
func content(seed uint64, size int) []byte {
	content := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{byte(seed), 1}).Read(content)
	return content
}

func TestStateIsWhatWasSaved(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{
		"without a checkpoint":                         0,
		"with one that fits":                           50_000,
		"[X33] with one that needs three more Secrets": 2_000_000,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			direct, namespace := namespace(t)
			store := state.New(direct, namespace, "shop")
			require.NoError(t, store.CreateEmpty(t.Context()))
			require.NoError(t, store.CreateEmpty(t.Context()), "a second time it leaves what is there")

			head, err := store.Read(t.Context())
			require.NoError(t, err)
			assert.Zero(t, head.Revision)
			assert.Empty(t, head.Checkpoint())
			if size > 0 {
				head.SetCheckpoint(content(1, size))
			}
			head.Project = "shop"
			head.Record = state.Record{Serial: 3, Outcome: state.Succeeded, Message: "done"}
			head.Outputs = map[string]state.Output{"url": {Value: "https://shop", Secret: true}, "large": {Value: 9007199254740993}}
			require.NoError(t, store.Save(t.Context(), head))

			read, err := store.Read(t.Context())
			require.NoError(t, err)
			assert.Equal(t, int64(min(size, 1)), read.Revision, "a revision is a checkpoint")
			assert.True(t, bytes.Equal(head.Checkpoint(), read.Checkpoint()))
			assert.Equal(t, head.Record, read.Record)
			assert.Equal(t, "shop", read.Project)
			assert.Equal(t, "https://shop", read.Outputs["url"].Value)
			assert.Equal(t, "9007199254740993", read.Outputs["large"].Value.(interface{ String() string }).String(), "no number is rounded")

			require.NoError(t, store.Delete(t.Context()))
			require.NoError(t, store.Delete(t.Context()), "a second time there is nothing to do")
			assert.Empty(t, secrets(t, direct, namespace))
		})
	}
}

func TestReleasedStateStays(t *testing.T) {
	t.Parallel()
	direct, namespace := namespace(t)
	store := state.New(direct, namespace, "shop")
	require.NoError(t, store.CreateEmpty(t.Context()))
	head, err := store.Read(t.Context())
	require.NoError(t, err)
	head.SetCheckpoint(content(1, 1_000_000))
	require.NoError(t, store.Save(t.Context(), head))
	require.NoError(t, store.Release(t.Context()))
	require.NoError(t, store.Release(t.Context()), "a second time there is nothing to do")
	left := secrets(t, direct, namespace)
	require.Len(t, left, 3)
	for _, secret := range left {
		assert.Empty(t, secret.Finalizers)
	}
}

func TestSaveOfAZombieFails(t *testing.T) {
	t.Parallel()
	direct, namespace := namespace(t)
	store := state.New(direct, namespace, "shop")
	require.NoError(t, store.CreateEmpty(t.Context()))
	zombie, err := store.Read(t.Context())
	require.NoError(t, err)
	zombie.Record.PodUID = "zombie"
	require.NoError(t, store.Save(t.Context(), zombie))

	newer, err := store.Read(t.Context())
	require.NoError(t, err)
	newer.Record.PodUID = "newer"
	newer.SetCheckpoint(content(1, 1_000_000))
	require.NoError(t, store.Save(t.Context(), newer))

	zombie.SetCheckpoint(content(2, 1_000_000))
	require.ErrorIs(t, store.Save(t.Context(), zombie), state.ErrOvertaken, "[X33]")
	read, err := store.Read(t.Context())
	require.NoError(t, err)
	assert.True(t, bytes.Equal(newer.Checkpoint(), read.Checkpoint()), "what the newer one saved is whole")
	require.NoError(t, store.Save(t.Context(), newer))
	assert.Len(t, secrets(t, direct, namespace), 3, "the parts that the zombie wrote are gone")

	require.NoError(t, store.Delete(t.Context()))
	require.NoError(t, store.CreateEmpty(t.Context()))
	assert.ErrorIs(t, store.Save(t.Context(), newer), state.ErrOvertaken, "another Secret of this name is not its own")
}

func TestLostAnswerIsNotTakenForAnotherRun(t *testing.T) {
	t.Parallel()
	direct, namespace := namespace(t)
	lose := 0
	deaf := interceptor.NewClient(direct, interceptor.Funcs{
		Update: func(ctx context.Context, next client.WithWatch, object client.Object, options ...client.UpdateOption) error {
			err := next.Update(ctx, object.DeepCopyObject().(client.Object), options...)
			if lose > 0 {
				lose--
				return errors.New("the connection broke")
			}
			return err
		},
	})
	store := state.New(deaf, namespace, "shop")
	require.NoError(t, store.CreateEmpty(t.Context()))
	head, err := store.Read(t.Context())
	require.NoError(t, err)
	head.Record.PodUID = types.UID("pod")
	for n := range 3 {
		lose = n
		head.SetCheckpoint(content(uint64(n), 1000))
		for err = errors.New("not yet"); err != nil; {
			err = store.Save(t.Context(), head)
			require.NotErrorIs(t, err, state.ErrOvertaken)
		}
		read, err := store.Read(t.Context())
		require.NoError(t, err)
		assert.True(t, bytes.Equal(head.Checkpoint(), read.Checkpoint()))
	}
}

// TestKilledBetweenAnyTwoWrites ends a save after each of its writes in turn.
func TestKilledBetweenAnyTwoWrites(t *testing.T) {
	t.Parallel()
	older, newer := content(1, 1_000_000), content(2, 1_900_000)
	completed := false
	for killedAt := 0; !completed; killedAt++ {
		require.Less(t, killedAt, 50, "a save has an end")
		direct, namespace := namespace(t)
		store := state.New(direct, namespace, "shop")
		require.NoError(t, store.CreateEmpty(t.Context()))
		head, err := store.Read(t.Context())
		require.NoError(t, err)
		head.SetCheckpoint(older)
		require.NoError(t, store.Save(t.Context(), head))

		head, err = store.Read(t.Context())
		require.NoError(t, err)
		head.SetCheckpoint(newer)
		writes := 0
		err = state.New(mortal(direct, func() bool { writes++; return writes > killedAt }), namespace, "shop").Save(t.Context(), head)
		completed = err == nil && writes <= killedAt

		read, err := store.Read(t.Context())
		require.NoError(t, err, "[X33] killed before write %d", killedAt+1)
		switch read.Revision {
		case 1:
			assert.True(t, bytes.Equal(older, read.Checkpoint()), "[X33] killed before write %d", killedAt+1)
		case 2:
			assert.True(t, bytes.Equal(newer, read.Checkpoint()), "[X33] killed before write %d", killedAt+1)
		default:
			t.Errorf("revision %d was never written", read.Revision)
		}

		// The run that continues saves the same once more, and then something small.
		read.SetCheckpoint(newer)
		require.NoError(t, store.Save(t.Context(), read))
		assert.Len(t, secrets(t, direct, namespace), 4, "[X33] killed before write %d: the head and three parts", killedAt+1)
		read.SetCheckpoint([]byte("small"))
		require.NoError(t, store.Save(t.Context(), read))
		assert.Len(t, secrets(t, direct, namespace), 1, "[X33] killed before write %d: no part is left", killedAt+1)
	}
}

// TestOldWriterCannotRemoveWhatANewOneNames stops a writer between its head and its clean-up.
func TestOldWriterCannotRemoveWhatANewOneNames(t *testing.T) {
	t.Parallel()
	direct, namespace := namespace(t)
	store := state.New(direct, namespace, "shop")
	require.NoError(t, store.CreateEmpty(t.Context()))
	left := content(1, 1_000_000)

	// A save leaves its parts.
	killed, err := store.Read(t.Context())
	require.NoError(t, err)
	killed.SetCheckpoint(left)
	noHead := interceptor.NewClient(direct, interceptor.Funcs{
		Update: func(context.Context, client.WithWatch, client.Object, ...client.UpdateOption) error {
			return errors.New("killed")
		},
	})
	require.Error(t, state.New(noHead, namespace, "shop").Save(t.Context(), killed))
	require.Len(t, secrets(t, direct, namespace), 3)

	// Between another writer's head and its clean-up, a newer one names them.
	slow, err := store.Read(t.Context())
	require.NoError(t, err)
	overtaken := false
	between := interceptor.NewClient(direct, interceptor.Funcs{
		Delete: func(ctx context.Context, next client.WithWatch, object client.Object, options ...client.DeleteOption) error {
			if !overtaken {
				overtaken = true
				head, err := store.Read(ctx)
				require.NoError(t, err)
				head.SetCheckpoint(left)
				require.NoError(t, store.Save(ctx, head))
			}
			return next.Delete(ctx, object, options...)
		},
	})
	slow.SetCheckpoint([]byte("small"))
	require.NoError(t, state.New(between, namespace, "shop").Save(t.Context(), slow))
	require.True(t, overtaken)

	read, err := store.Read(t.Context())
	require.NoError(t, err)
	assert.True(t, bytes.Equal(left, read.Checkpoint()))
}

func TestDamagedStateIsNotTakenForAState(t *testing.T) {
	t.Parallel()
	direct, namespace := namespace(t)
	store := state.New(direct, namespace, "shop")
	require.NoError(t, store.CreateEmpty(t.Context()))
	head, err := store.Read(t.Context())
	require.NoError(t, err)
	head.SetCheckpoint(content(1, 1_000_000))
	require.NoError(t, store.Save(t.Context(), head))

	var part corev1.Secret
	for _, secret := range secrets(t, direct, namespace) {
		if secret.Type == state.ChunkType {
			part = secret
		}
	}
	for name, replacement := range map[string]map[string][]byte{
		"a part that is gone":           nil,
		"a part that is something else": {"content": []byte("something else")},
	} {
		_, err := store.Read(t.Context())
		require.NoError(t, err)
		patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
		require.NoError(t, direct.Patch(t.Context(), part.DeepCopy(), patch))
		require.NoError(t, direct.Delete(t.Context(), part.DeepCopy()))
		restored := part.DeepCopy()
		restored.ResourceVersion, restored.UID = "", ""
		if replacement != nil {
			wrong := restored.DeepCopy()
			wrong.Data = replacement
			require.NoError(t, direct.Create(t.Context(), wrong))
		}
		_, err = store.Read(t.Context())
		require.ErrorIs(t, err, state.ErrDamaged, name)
		assert.ErrorContains(t, err, part.Name)
		_ = direct.Patch(t.Context(), restored.DeepCopy(), patch)
		_ = direct.Delete(t.Context(), restored.DeepCopy())
		require.NoError(t, direct.Create(t.Context(), restored))
	}

	require.NoError(t, direct.Patch(t.Context(), named(namespace, "shop-state"), client.RawPatch(types.MergePatchType, []byte(`{"data":{"revision":"eA=="}}`))))
	_, err = store.Read(t.Context())
	require.ErrorIs(t, err, state.ErrDamaged)
	assert.ErrorContains(t, err, `"x" is no number`)

	_, err = state.New(direct, namespace, "other").Read(t.Context())
	assert.True(t, apierrors.IsNotFound(err))
}

func named(namespace, name string) *corev1.Secret {
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = namespace, name
	return secret
}

// mortal is a client of a process that ends before the write at which dead says so.
func mortal(direct client.WithWatch, dead func() bool) client.Client {
	killed := errors.New("killed")
	return interceptor.NewClient(direct, interceptor.Funcs{
		Create: func(ctx context.Context, next client.WithWatch, object client.Object, options ...client.CreateOption) error {
			if dead() {
				return killed
			}
			return next.Create(ctx, object, options...)
		},
		Update: func(ctx context.Context, next client.WithWatch, object client.Object, options ...client.UpdateOption) error {
			if dead() {
				return killed
			}
			return next.Update(ctx, object, options...)
		},
		Patch: func(ctx context.Context, next client.WithWatch, object client.Object, patch client.Patch, options ...client.PatchOption) error {
			if dead() {
				return killed
			}
			return next.Patch(ctx, object, patch, options...)
		},
		Delete: func(ctx context.Context, next client.WithWatch, object client.Object, options ...client.DeleteOption) error {
			if dead() {
				return killed
			}
			return next.Delete(ctx, object, options...)
		},
	})
}

// secrets are all that have to do with a state.
func secrets(t *testing.T, direct client.Client, namespace string) []corev1.Secret {
	t.Helper()
	var list corev1.SecretList
	require.NoError(t, direct.List(t.Context(), &list, client.InNamespace(namespace)))
	var found []corev1.Secret
	for _, secret := range list.Items {
		if strings.HasPrefix(secret.Name, "shop-state") {
			found = append(found, secret)
		}
	}
	return found
}
