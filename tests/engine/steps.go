package engine

import (
	pulumi "github.com/pulumi/pulumi/pkg/v3/engine"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// Step is what the engine does, or in a preview would do, with a resource. Op is "create", "same" and so on.
type Step struct {
	Op  string
	URN resource.URN
}

// listen notes the steps of an operation until done is called.
func (o *Operation) listen() (events chan<- pulumi.Event, done func()) {
	heard, over := make(chan pulumi.Event), make(chan struct{})
	go func() {
		defer close(over)
		for event := range heard {
			if step, is := event.Payload().(pulumi.ResourcePreEventPayload); is && !step.Internal {
				o.result.Steps = append(o.result.Steps, Step{string(step.Metadata.Op), step.Metadata.URN})
			}
		}
	}()
	return heard, func() {
		close(heard)
		<-over
	}
}
