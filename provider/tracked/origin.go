package tracked

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/connect"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// KeyCluster is the hidden output that says in which cluster an object is.
const KeyCluster = "__cluster"

// The members of that output.
const (
	keyID     = "id"
	keyServer = "server"
	keyCA     = "ca"
)

// Origin is the cluster of an object, as far as it is known. It is the zero value in states of older versions: we
// assume that such an object is in the cluster that the connection leads to.
type Origin struct {
	// ID distinguishes the cluster from all others, see [cluster.Cluster.ID]; empty if unknown.
	ID string
	// Target is how the cluster was last reached. The same cluster may now be reached in another way.
	Target connect.Target
}

// OriginOf returns the origin of an object that was just seen or written. This takes one request for each connection
// and process. If the id is unavailable now, OriginOf leaves it out, and a later read fills it in.
func OriginOf(ctx context.Context, clu *cluster.Cluster) Origin {
	id, err := clu.ID(ctx)
	if err != nil {
		id = ""
	}
	return Origin{ID: id, Target: clu.Target()}
}

// Seen returns the origin of an object that was just seen in clu, and that was known to be there. It does not ask
// again for a known id.
func (o Origin) Seen(ctx context.Context, clu *cluster.Cluster) Origin {
	if o.ID == "" {
		return OriginOf(ctx, clu)
	}
	return Origin{ID: o.ID, Target: clu.Target()}
}

// OriginAfter returns the origin of the object that was just written in clu, and that now has this uid.
func (s State) OriginAfter(ctx context.Context, clu *cluster.Cluster, uid string) Origin {
	if uid != "" && uid == s.Ref.UID {
		return s.Origin.Seen(ctx, clu)
	}
	return OriginOf(ctx, clu)
}

// IsZero reports whether nothing is known about the cluster.
func (o Origin) IsZero() bool { return o == Origin{} }

// String names the cluster for people. It contains no secret.
func (o Origin) String() string {
	const shownCA = 12
	switch {
	case o.ID != "":
		return o.Target.Server + " (cluster " + o.ID + ")"
	case len(o.Target.CA) > shownCA:
		return o.Target.Server + " (certificate authority " + o.Target.CA[:shownCA] + ")"
	default:
		return o.Target.Server
	}
}

// Key returns the name of the cluster in the setting forgetClusters: its id, or, if the id is unknown, a name made
// from its address and its certificate authority.
func (o Origin) Key() string {
	if o.ID != "" || o.IsZero() {
		return o.ID
	}
	const length = 8
	sum := sha256.Sum256([]byte(o.Target.Server + "\n" + o.Target.CA))
	return "address-" + hex.EncodeToString(sum[:length])
}

// Encode writes the origin; null if it is unknown. The server is secret because it is part of the connection, which
// no output repeats.
func (o Origin) Encode() property.Value {
	if o.IsZero() {
		return property.Value{}
	}
	members := map[string]property.Value{}
	for key, text := range map[string]string{keyID: o.ID, keyServer: o.Target.Server, keyCA: o.Target.CA} {
		if text != "" {
			members[key] = property.New(text).WithSecret(key == keyServer)
		}
	}
	return property.New(members)
}

// DecodeOrigin reads what [Origin.Encode] writes, and returns the zero value if there is nothing.
func DecodeOrigin(v property.Value) Origin {
	if !v.IsMap() {
		return Origin{}
	}
	text := func(key string) string { return values.Text(v.AsMap().Get(key)) }
	return Origin{ID: text(keyID), Target: connect.Target{Server: text(keyServer), CA: text(keyCA)}}
}

// relation is the result of comparing an origin with a cluster.
type relation int

const (
	same relation = iota
	other
	undecided
)

// relationTo compares the origin of an object with a cluster, and returns the origin of that cluster. Ids decide, even
// if the addresses differ. If one of the ids is unknown, an equal address with an equal certificate authority means the
// same cluster; otherwise the result is unknown.
func (o Origin) relationTo(ctx context.Context, clu *cluster.Cluster) (relation, Origin, error) {
	here := Origin{Target: clu.Target()}
	if o.IsZero() {
		return same, here, nil
	}
	if o.ID != "" {
		var err error
		if here.ID, err = clu.ID(ctx); err != nil {
			return undecided, here, err
		}
	}
	switch {
	case here.ID != "" && here.ID == o.ID:
		return same, here, nil
	case here.ID != "":
		return other, here, nil
	case here.Target == o.Target:
		return same, here, nil
	default:
		return undecided, here, nil
	}
}
