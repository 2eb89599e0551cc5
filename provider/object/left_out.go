package object

import (
	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// keyLeftOut is an input that says that the resource has let go of its object, which stays as it is: nothing reads, writes or deletes it.
// The state still has what it knew, so that the resource can take it up again when the input is gone. It is not in the schema: only
// components give it.
const keyLeftOut = "__leftOut"

// isLeftOut reports whether checked inputs let go of the object.
func isLeftOut(inputs property.Map) bool { return values.Flag(inputs.Get(keyLeftOut)) }

// createLeftOut returns a resource that lets go of an object of which its state knows nothing, as after `pulumi state delete`. Whether
// it is ours is to be found out when it is taken up again.
func (r *kubeObject) createLeftOut(req p.CreateRequest, in inputs) (p.CreateResponse, error) {
	id, _ := in.identity()
	t := target{tracked.Target{Ref: tracked.RefOf(id), Manager: tracked.ManagerOf(req.Urn)}}
	out, err := t.unconfirmed("", tracked.NewHashKey()).encode(in)
	return p.CreateResponse{ID: id.String(), Properties: out}, err
}
