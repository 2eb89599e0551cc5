package rpc_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The Job of a hook is the evidence that it has run, for as long as what was there for it cannot be removed.
func TestARunThatCannotBeClearedUpIsNotRepeated(t *testing.T) { // [T2] [H6]
	t.Parallel()
	w := newHookWorld(t)
	in := program(w.job("migrate", "shop:1"), hookOf("shop", m{"deleteAfter": []any{"succeeded"}}, m{"with": []any{w.account("runner")}}))
	s := w.start().task(t, "migrate")
	w.gate.always(func(r *http.Request) bool { return isDelete(r) && strings.Contains(r.URL.Path, "/serviceaccounts/") },
		refuse(http.StatusForbidden, metav1.StatusReasonForbidden, "you may not delete accounts"))
	_, err := s.up(in)
	require.ErrorContains(t, err, "you may not delete accounts")
	assert.Nil(t, w.keptFor("migrate"), "it does not go before the others are gone")
	w.gate.heal()
	_, err = s.in(s.process.again(t)).up(in)
	require.NoError(t, err)
	assert.Equal(t, 1, w.runs("migrate"))
	assert.False(t, w.exists("ServiceAccount", "runner"))
	assert.NotNil(t, w.keptFor("migrate"))
}

// An update begins a run that does not end in time. The engine keeps the inputs of the run before.
func TestWhatWasThereForAnInterruptedRunGoes(t *testing.T) { // [T3]
	t.Parallel()
	for name, leave := range map[string]func(s *session, in func(image, account string) resource.PropertyMap) error{
		"when everything is destroyed": func(s *session, _ func(image, account string) resource.PropertyMap) error { return s.destroy() },
		"when the program changes": func(s *session, in func(image, account string) resource.PropertyMap) error {
			_, err := s.up(in("shop:3", "three"))
			return err
		},
		"when the program is the former one": func(s *session, in func(image, account string) resource.PropertyMap) error {
			_, err := s.up(in("shop:1", "one"))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHookWorld(t)
			in := func(image, account string) resource.PropertyMap {
				return program(w.job("migrate", image, m{"suspend": image == "shop:2"}), hookOf("shop", nil, m{"timeout": "3s", "with": []any{w.account(account)}}))
			}
			s := w.start().task(t, "migrate").mustUp("create", in("shop:1", "one"))
			assert.False(t, w.exists("ServiceAccount", "one"))
			_, err := s.in(s.process.again(t)).up(in("shop:2", "two"))
			require.Error(t, err)
			require.True(t, w.exists("ServiceAccount", "two"), "the run may go on")
			require.NoError(t, leave(s.in(s.process.again(t)), in))
			assert.False(t, w.exists("ServiceAccount", "two"), "nobody looks after it any more")
		})
	}
}

// A replacement that the user has asked for ends between the creation of the new resource and the deletion of the old one. The next
// run reads both, and deletes what is pending.
func TestDeleteHooksDoNotRunOnAReleaseThatLivesOn(t *testing.T) { // [H7] [H14]
	t.Parallel()
	for name, newFirst := range map[string]bool{"the new one is read first": true, "the old one is read first": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHookWorld(t)
			in := deleteHooks(nil, hookStep(w.job("clean", "shop:1")))
			s := w.start().releaseHooks(t, "pre-delete").mustUp("create", in)
			pending := *s
			require.NoError(t, s.in(s.process.again(t)).create(in))
			next := s.process.again(t)
			s.in(next)
			pending.process = next
			if newFirst {
				s.mustRead()
			}
			require.NoError(t, pending.read())
			s.mustRead()
			require.NoError(t, pending.remove())
			assert.Equal(t, 0, w.countJobs(), "the release lives on")
			require.NoError(t, s.remove())
			assert.Equal(t, 1, w.runs("clean"), "until it is deleted")
		})
	}
}
