package provider

import (
	"context"
	"errors"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/object"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/patch"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/sets"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/task"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/wait"
)

// postponedCalls is a provider whose Diff fails with an error, and what was written all the same.
type postponedCalls struct {
	p.Provider

	t      *testing.T
	err    error
	writes []string
}

func newPostponedCalls(t *testing.T) *postponedCalls {
	t.Helper()
	c := &postponedCalls{t: t, err: errors.New("no")}
	write := func(what string) { c.writes = append(c.writes, what) }
	c.Provider = withPostponedErrors(p.Provider{
		Check: func(context.Context, p.CheckRequest) (p.CheckResponse, error) { return p.CheckResponse{}, nil },
		Read:  func(context.Context, p.ReadRequest) (p.ReadResponse, error) { return p.ReadResponse{}, nil },
		Diff:  func(context.Context, p.DiffRequest) (p.DiffResponse, error) { return p.DiffResponse{}, c.err },
		Create: func(context.Context, p.CreateRequest) (p.CreateResponse, error) {
			write("create")
			return p.CreateResponse{}, nil
		},
		Update: func(context.Context, p.UpdateRequest) (p.UpdateResponse, error) {
			write("update")
			return p.UpdateResponse{}, nil
		},
		Delete: func(context.Context, p.DeleteRequest) error {
			write("delete")
			return nil
		},
	})
	return c
}

func (c *postponedCalls) check(urn resource.URN) {
	_, err := c.Check(c.t.Context(), p.CheckRequest{Urn: urn})
	require.NoError(c.t, err)
}

// compare is the Diff of a program, with these outputs in the state.
func (c *postponedCalls) compare(urn resource.URN, outputs map[string]property.Value) (p.DiffResponse, error) {
	c.check(urn)
	return c.Diff(c.t.Context(), p.DiffRequest{Urn: urn, State: property.NewMap(outputs)})
}

func (c *postponedCalls) postpone(urn resource.URN) {
	diff, err := c.compare(urn, nil)
	require.NoError(c.t, err)
	assert.Equal(c.t, p.DiffResponse{HasChanges: true}, diff, "nothing in it that replaceOnChanges could match")
}

func (c *postponedCalls) update(urn resource.URN) error {
	_, err := c.Update(c.t.Context(), p.UpdateRequest{Urn: urn})
	return err
}

func (c *postponedCalls) create(urn resource.URN) error {
	_, err := c.Create(c.t.Context(), p.CreateRequest{Urn: urn})
	return err
}

func (c *postponedCalls) remove(urn resource.URN) error {
	return c.Delete(c.t.Context(), p.DeleteRequest{Urn: urn})
}

func (c *postponedCalls) read(urn resource.URN, inputs property.Map) {
	_, err := c.Read(c.t.Context(), p.ReadRequest{Urn: urn, Inputs: inputs})
	require.NoError(c.t, err)
}

func urnOf(token string) resource.URN { return resource.URN("urn:pulumi:dev::shop::" + token + "::it") }

func TestAnErrorOfADiffIsThatOfWhatFollows(t *testing.T) { // [D113]
	urn, other := urnOf(object.Token), urnOf(patch.Token)
	t.Run("an Update, however often it is tried, and of no other resource", func(t *testing.T) {
		c := newPostponedCalls(t)
		c.postpone(urn)
		assert.Equal(t, c.err, c.update(urn))
		assert.Equal(t, c.err, c.update(urn), "a hook may have the engine try again")
		assert.Empty(t, c.writes)
		require.NoError(t, c.update(other))
		assert.Equal(t, []string{"update"}, c.writes)
	})
	t.Run("both halves of a replacement, whichever comes first", func(t *testing.T) {
		c := newPostponedCalls(t)
		c.postpone(urn)
		assert.Equal(t, c.err, c.remove(urn))
		assert.Equal(t, c.err, c.remove(urn))
		assert.Equal(t, c.err, c.create(urn))
		assert.Empty(t, c.writes)
	})
	t.Run("but not the deletion of what an earlier replacement has left", func(t *testing.T) {
		c := newPostponedCalls(t)
		c.postpone(urn)
		assert.Equal(t, c.err, c.update(urn))
		require.NoError(t, c.remove(urn))
		assert.Equal(t, []string{"delete"}, c.writes)
	})
	t.Run("until the next Read", func(t *testing.T) {
		c := newPostponedCalls(t)
		c.postpone(urn)
		c.read(urn, property.NewMap(map[string]property.Value{"manifest": property.New("it")}))
		require.NoError(t, c.remove(urn))
	})
	t.Run("until the next Diff", func(t *testing.T) {
		c := newPostponedCalls(t)
		c.postpone(urn)
		c.err = nil
		_, err := c.compare(urn, nil)
		require.NoError(t, err)
		require.NoError(t, c.update(urn))
	})
	t.Run("for every resource of the cluster", func(t *testing.T) {
		for _, token := range []string{object.Token, patch.Token, wait.Token, task.Token, task.ReleaseHooksToken} {
			c := newPostponedCalls(t)
			c.postpone(urnOf(token))
			assert.Equal(t, c.err, c.update(urnOf(token)))
		}
	})
}

func TestAnErrorOfADiffThatNoUpdateFollowsIsReturned(t *testing.T) { // [D113]
	urn := urnOf(object.Token)
	pending := map[string]property.Value{"__pendingProjection": property.New(true)}
	wait := map[string]property.Value{"__pendingWait": property.New(true)}
	for name, compare := range map[string]func(c *postponedCalls) error{
		"the engine's own, after a Read": func(c *postponedCalls) error {
			c.read(urn, property.NewMap(pending))
			_, err := c.Diff(t.Context(), p.DiffRequest{Urn: urn})
			return err
		},
		"of an import": func(c *postponedCalls) error {
			c.read(urn, property.Map{})
			_, err := c.compare(urn, nil)
			return err
		},
		"of a resource that was deleted with what it depends on": func(c *postponedCalls) error {
			require.NoError(t, c.remove(urn))
			_, err := c.compare(urn, nil)
			return err
		},
		"after ^C": func(c *postponedCalls) error {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			c.check(urn)
			_, err := c.Diff(ctx, p.DiffRequest{Urn: urn})
			return err
		},
		"that was cancelled": func(c *postponedCalls) error {
			c.err = errors.Join(errors.New("not read"), context.Canceled)
			_, err := c.compare(urn, nil)
			return err
		},
		"of a method that there is not": func(c *postponedCalls) error {
			c.err = status.Error(codes.Unimplemented, "no")
			_, err := c.compare(urn, nil)
			return err
		},
		"of an apply that was not confirmed": func(c *postponedCalls) error {
			_, err := c.compare(urn, pending)
			return err
		},
		"of a patch that was not confirmed": func(c *postponedCalls) error {
			_, err := c.compare(urnOf(patch.Token), map[string]property.Value{"__pendingPatch": property.New(true)})
			return err
		},
		"of a patch whose wait has failed": func(c *postponedCalls) error {
			_, err := c.compare(urnOf(patch.Token), wait)
			return err
		},
		"of a wait that has failed": func(c *postponedCalls) error {
			_, err := c.compare(urnOf("k8sconnect:index:Wait"), wait)
			return err
		},
		"of a run that is not done": func(c *postponedCalls) error {
			run := property.New(map[string]property.Value{"unfinished": property.New("failed")})
			_, err := c.compare(urnOf(task.Token), map[string]property.Value{"__run": run})
			return err
		},
		"of what a set remembers": func(c *postponedCalls) error {
			_, err := c.compare(urnOf(sets.RecordToken), nil)
			return err
		},
		"of a set's guard": func(c *postponedCalls) error {
			_, err := c.compare(urnOf(sets.GuardToken), nil)
			return err
		},
		"of what a chart remembers": func(c *postponedCalls) error {
			_, err := c.compare(urnOf(chart.RecordToken), nil)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newPostponedCalls(t)
			err := compare(c)
			require.Error(t, err)
			assert.Equal(t, c.err, err)
			c.writes = nil
			require.NoError(t, c.update(urn))
			assert.Equal(t, []string{"update"}, c.writes, "nothing is kept of it")
		})
	}
}

func TestTypedResourcesFailAsKubeObjectsDo(t *testing.T) {
	for given, want := range map[tokens.Type]tokens.Type{
		"k8sconnect:apps/v1:Deployment": object.Token, "k8sconnect:index:Patch": "k8sconnect:index:Patch", "other:apps/v1:Deployment": "other:apps/v1:Deployment",
	} {
		assert.Equal(t, want, servedAs(given))
	}
}
