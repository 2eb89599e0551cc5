package sets

import (
	"strconv"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Timeouts are the resource option customTimeouts of a component, for its children: the engine does not bound the operations of a
// component itself.
type Timeouts struct{ create, update, remove string }

// TimeoutsOf returns the timeouts of a component.
func TimeoutsOf(req p.ConstructRequest) Timeouts {
	if req.CustomTimeouts == nil {
		return Timeouts{}
	}
	seconds := func(of float64) string {
		if of == 0 {
			return ""
		}
		return strconv.FormatFloat(of, 'f', -1, 64) + "s"
	}
	return Timeouts{seconds(req.CustomTimeouts.Create), seconds(req.CustomTimeouts.Update), seconds(req.CustomTimeouts.Delete)}
}

// OfWait is the option of a child that waits for something.
func (t Timeouts) OfWait() pulumi.ResourceOption {
	return pulumi.Timeouts(&pulumi.CustomTimeouts{Create: t.create, Update: t.update, Delete: t.remove})
}

// OfObject is the option of a child that is an object. Its apply succeeds or fails at once: only its deletion may take long.
func (t Timeouts) OfObject() pulumi.ResourceOption {
	return pulumi.Timeouts(&pulumi.CustomTimeouts{Delete: t.remove})
}
