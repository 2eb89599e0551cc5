package values

import (
	"context"
	"net"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	"pgregory.net/rapid"
)

// serveEcho serves a provider whose Create takes every input apart and returns it put together again.
func serveEcho(t testing.TB) pulumirpc.ResourceProviderClient {
	t.Helper()
	server, err := p.RawServer("echo", "1.0.0", p.Provider{
		Create: func(_ context.Context, req p.CreateRequest) (p.CreateResponse, error) {
			echoed := map[string]property.Value{}
			for name, input := range req.Properties.All {
				plain, secrets, err := FromProperty(input)
				if err != nil {
					return p.CreateResponse{}, err
				}
				if echoed[name], err = ToProperty(plain, secrets); err != nil {
					return p.CreateResponse{}, err
				}
			}
			return p.CreateResponse{ID: "echo", Properties: property.NewMap(echoed)}, nil
		},
	})(nil)
	require.NoError(t, err)

	listener := bufconn.Listen(1 << 20)
	serving := grpc.NewServer()
	pulumirpc.RegisterResourceProviderServer(serving, server)
	go func() { _ = serving.Serve(listener) }()
	t.Cleanup(serving.Stop)

	conn, err := grpc.NewClient("passthrough:echo",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return pulumirpc.NewResourceProviderClient(conn)
}

// spellings are the ways in which engines write messages.
var spellings = map[string]plugin.MarshalOptions{
	"secrets and unknowns": {KeepUnknowns: true, KeepSecrets: true, KeepResources: true},
	"output values":        {KeepUnknowns: true, KeepSecrets: true, KeepResources: true, KeepOutputValues: true},
	"everything an output value": {
		KeepUnknowns: true, KeepSecrets: true, KeepResources: true, KeepOutputValues: true, UpgradeToOutputValues: true,
	},
}

// echo sends a value through the provider and reads the answer as the engine does.
func echo(t require.TestingT, client pulumirpc.ResourceProviderClient, v resource.PropertyValue,
	spelling plugin.MarshalOptions,
) resource.PropertyValue {
	sent, err := plugin.MarshalProperties(resource.PropertyMap{"manifest": v}, spelling)
	require.NoError(t, err)
	answer, err := client.Create(context.Background(), &pulumirpc.CreateRequest{
		Urn: "urn:pulumi:stack::project::echo:index:Echo::name", Preview: true, Properties: sent,
	})
	require.NoError(t, err)
	received, err := plugin.UnmarshalProperties(answer.GetProperties(), plugin.MarshalOptions{
		KeepUnknowns: true, KeepSecrets: true, KeepResources: true, KeepOutputValues: spelling.KeepOutputValues,
	})
	require.NoError(t, err)
	return received["manifest"]
}

func TestEveryLeafComesBackFromTheWireAsItWas(t *testing.T) {
	client := serveEcho(t)
	for name, spelling := range spellings {
		t.Run(name+" [O78] [O6]", func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				v := drawWire(t, rapid.IntRange(0, maxDepth).Draw(t, "depth"))
				back := echo(t, client, v, spelling)
				require.Equal(t, leavesOf(v, "", false, map[string]leaf{}), leavesOf(back, "", false, map[string]leaf{}))
			})
		})
	}
}

func FuzzWire(f *testing.F) {
	client := serveEcho(f)
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		v := drawWire(t, rapid.IntRange(0, maxDepth).Draw(t, "depth"))
		for _, spelling := range spellings {
			back := echo(t, client, v, spelling)
			require.Equal(t, leavesOf(v, "", false, map[string]leaf{}), leavesOf(back, "", false, map[string]leaf{}))
		}
	}))
}

func TestMarksStayAtEveryDepthOnTheWire(t *testing.T) {
	client := serveEcho(t)
	for depth := range maxDepth + 1 {
		for _, inner := range []property.Value{
			property.New("hush").WithSecret(true),
			property.New(property.Computed),
			property.New(property.Computed).WithSecret(true),
			property.New(map[string]property.Value{"x": property.New(1.0).WithSecret(true)}).WithSecret(true),
		} {
			v := nest(depth, inner)
			for name, spelling := range spellings {
				back := resource.FromResourcePropertyValue(echo(t, client, resource.ToResourcePropertyValue(v), spelling))
				assert.True(t, v.Equals(back), "depth %d, %s: %#v", depth, name, back)
			}
		}
	}
}

// What the wire does to a value before a provider sees it, so that a change of it is noticed.
func TestTheWireNormalises(t *testing.T) {
	client := serveEcho(t)
	secretOf := func(v property.Value) property.Value { return v.WithSecret(true) }
	for name, c := range map[string]struct {
		sent resource.PropertyValue
		want property.Value
	}{
		"the type of an unknown is forgotten": {
			resource.MakeComputed(resource.NewProperty([]resource.PropertyValue{})), property.New(property.Computed),
		},
		"an unknown that was promised to be null is null": {
			resource.MakeComputed(resource.NewNullProperty()), property.New(property.Null),
		},
		"an unknown output keeps no element": {
			resource.NewProperty(resource.Output{Element: resource.NewProperty("x")}), property.New(property.Computed),
		},
		"a secret in a secret is one secret": {
			resource.MakeSecret(resource.MakeSecret(resource.NewProperty("x"))), secretOf(property.New("x")),
		},
		"a secret output is a secret": {
			resource.NewProperty(resource.Output{Element: resource.NewProperty("x"), Known: true, Secret: true}),
			secretOf(property.New("x")),
		},
		"an unknown in a secret is a secret unknown": {
			resource.MakeSecret(resource.MakeComputed(resource.NewProperty(""))), secretOf(property.New(property.Computed)),
		},
		"a known output of an unknown is unknown": {
			resource.NewProperty(resource.Output{Element: resource.MakeComputed(resource.NewProperty("")), Known: true}),
			property.New(property.Computed),
		},
		"a secret leaf in a secret map keeps both marks": {
			resource.MakeSecret(resource.NewProperty(resource.PropertyMap{
				"x": resource.MakeSecret(resource.NewProperty("y")),
			})),
			secretOf(property.New(map[string]property.Value{"x": secretOf(property.New("y"))})),
		},
		"dependencies are dropped": {
			resource.NewProperty(resource.Output{
				Element: resource.NewProperty("x"), Known: true, Dependencies: []resource.URN{"urn:pulumi:s::p::t::n"},
			}),
			property.New("x"),
		},
		"nulls, empty maps and empty lists stay": {
			resource.NewProperty(resource.PropertyMap{
				"n": resource.NewNullProperty(), "m": resource.NewProperty(resource.PropertyMap{}),
				"l": resource.NewProperty([]resource.PropertyValue{}), "": resource.NewProperty(""),
			}),
			property.New(map[string]property.Value{
				"n": property.New(property.Null), "m": property.New(property.NewMap(nil)),
				"l": property.New(property.NewArray(nil)), "": property.New(""),
			}),
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := resource.FromResourcePropertyValue(echo(t, client, c.sent, spellings["output values"]))
			assert.True(t, c.want.Equals(got), "%#v", got)
		})
	}
}
