package object

import (
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// isLeftOut reports whether checked inputs let go of the object. The state keeps what it knew, so that the resource can manage the
// object again once the input is gone.
func isLeftOut(inputs property.Map) bool { return values.Flag(inputs.Get(tracked.KeyLeftOut)) }

// createLeftOut returns a resource that lets go of an object that its state does not know, as after `pulumi state
// delete`. Whether the object is ours is found out when the resource manages it again.
func (r *kubeObject) createLeftOut(req p.CreateRequest, in inputs) (p.CreateResponse, error) {
	id, _ := in.identity()
	t := target{tracked.Target{Ref: tracked.RefOf(id), Manager: tracked.ManagerOf(req.Urn)}}
	out, err := t.unconfirmed("", tracked.NewHashKey()).encode(in)
	return p.CreateResponse{ID: id.String(), Properties: out}, err
}
