package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/events"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
)

type eventStream = chan<- events.EngineEvent

// follow runs a command and prints what happens. Its error says in one line what failed; notReady is true if only waits
// failed.
func follow(tenant string, command func(eventStream) error) (notReady bool, err error) {
	p := progress{tenant: tenant, last: map[urn.URN]string{}}
	stream, ended := make(chan events.EngineEvent), make(chan error)
	go func() { ended <- command(stream) }()
	for reading := stream; ; {
		select {
		case event, open := <-reading:
			if !open {
				reading = nil // the command has an end of its own, also where it never sends an event
				continue
			}
			p.print(event)
		case err = <-ended:
			if failed := append(p.waits, p.others...); err != nil && len(failed) > 0 {
				err = errors.New(strings.Join(failed, "; "))
			}
			return err != nil && len(p.waits) > 0 && len(p.others) == 0, err
		}
	}
}

type progress struct {
	tenant        string
	last          map[urn.URN]string // what was said last of a resource
	waits, others []string           // what failed
}

func (p *progress) print(event events.EngineEvent) {
	switch done, failed, said := event.ResOutputsEvent, event.ResOpFailedEvent, event.DiagnosticEvent; {
	case done != nil:
		resource := urn.URN(done.Metadata.URN)
		if op := done.Metadata.Op; op != "same" && op != "refresh" && strings.HasPrefix(done.Metadata.Type, "k8sconnect:") {
			p.say(resource, string(op)+" done")
		}
	case failed != nil:
		// A failed wait is in the state, with its reasons.
		if resource := urn.URN(failed.Metadata.URN); isWait(resource) && failed.Metadata.New != nil {
			p.waits = append(p.waits, p.say(resource, strings.Join(failed.Metadata.New.InitErrors, "\n")))
		}
	case said != nil && said.URN != "":
		resource, isError := urn.URN(said.URN), said.Severity == "error"
		if isError && !isWait(resource) {
			p.others = append(p.others, p.say(resource, said.Message))
		} else if !isError && p.last[resource] != said.Message {
			p.say(resource, said.Message)
			p.last[resource] = said.Message
		}
	}
}

// say prints lines about a resource, each after the name of the tenant, and returns the first.
func (p *progress) say(resource urn.URN, text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = resource.Name() + ": " + line
		if line != "" {
			fmt.Println(p.tenant + ": " + lines[i])
		}
	}
	return lines[0]
}

func isWait(resource urn.URN) bool { return resource.Type() == "k8sconnect:index:Wait" }
