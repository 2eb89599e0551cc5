package rpc_test

import (
	"fmt"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// part is one resource in the stack of a life.
type part struct {
	*session
	what string
	// shows is the output that says what is on the object.
	shows resource.PropertyKey
	// dependsOn is the part whose outputs it is made of; it may be nil.
	dependsOn func() *part
	// wants is what the program says of it, made of the outputs of what it depends on. It is nil where the program does not
	// have it.
	wants func(of resource.PropertyMap) resource.PropertyMap
	// mayFail reports whether an up of it may fail that the preview could not foresee.
	mayFail func() bool
	// settled holds after an up that has succeeded.
	settled func(in resource.PropertyMap) error
}

// result is what a command did with a part.
type result struct {
	did     string
	in      resource.PropertyMap
	outputs resource.PropertyMap
	err     error
	// blocked says that what it depends on has failed.
	blocked bool
}

type results map[*part]result

// begin finds out what the program says of a part, unless what it depends on has failed.
func (r results) begin(p *part) (in resource.PropertyMap, blocked bool) {
	var of resource.PropertyMap
	if on := p.dependsOn(); on != nil {
		before := r[on]
		if before.err != nil || before.blocked {
			return nil, true
		}
		of = before.outputs
	}
	return p.wants(of), false
}

// read proves that no read has failed, nor the Diff after it: with that every command would fail, also those that put right
// what the read has met. What cannot be read is kept, and the program's own Diff fails.
func (r results) read() error {
	for p, result := range r {
		if result.did == "refresh" && result.err != nil {
			return law(noDeadEnd, "the refresh of the %s before everything else fails: %w", p.what, result.err)
		}
	}
	return nil
}

// failed is the first part that failed, in the order of the stack.
func (r results) failed(parts []*part) *part {
	for _, p := range parts {
		if r[p].err != nil {
			return p
		}
	}
	return nil
}

func (r results) String() string {
	text := ""
	for p, result := range r {
		text += fmt.Sprintf(" %s: %s %v", p.what, result.did, result.err)
	}
	return text
}

// preview is a preview of the stack.
func (l *life) preview() results {
	l.newRun()
	all := results{}
	for _, p := range l.parts {
		in, blocked := all.begin(p)
		switch {
		case blocked:
			all[p] = result{blocked: true}
		case in == nil:
			did, err := p.previewWithout()
			all[p] = result{did: did, err: err}
		default:
			did, outputs, err := p.session.preview(in)
			all[p] = result{did: did, in: in, outputs: outputs, err: err}
		}
	}
	return all
}

// previewWithout is a preview of a part that the program does not have.
func (p *part) previewWithout() (did string, err error) {
	before := p.stored
	defer func() { p.stored = before }()
	if err := p.readBefore(true); err != nil {
		return "refresh", err
	}
	if p.id == "" {
		return "same", nil
	}
	return "delete", nil
}

// apply is an up of the stack, as the engine makes it: it reads, does what the program says, and then deletes what the
// program does not have any more. A part that fails keeps those from being made that depend on it.
func (l *life) apply() results {
	l.newRun()
	all := results{}
	for _, p := range l.parts {
		if err := p.readBefore(false); err != nil {
			all[p] = result{did: "refresh", err: err}
			return all
		}
	}
	var gone []*part
	for _, p := range l.parts {
		in, blocked := all.begin(p)
		if p.lastRun != nil {
			p.session.in(p.process) // the program has configured the provider
		}
		switch {
		case blocked:
			all[p] = result{blocked: true}
		case in == nil:
			all[p] = result{did: "same"}
			if p.id != "" {
				gone = append(gone, p)
			}
		default:
			did, err := p.register(in)
			all[p] = result{did: did, in: in, outputs: p.outputs, err: err}
		}
	}
	if all.failed(l.parts) != nil {
		for _, p := range gone {
			all[p] = result{blocked: true}
		}
		return all
	}
	for _, p := range slices.Backward(gone) {
		all[p] = result{did: "delete", err: p.remove()}
	}
	return all
}

// removeAll deletes all of the stack, as a destroy does. What a part that is still there depends on stays.
func (l *life) removeAll() results {
	l.newRun()
	all := results{}
	for _, p := range l.parts {
		if p.lastRun != nil {
			p.session.in(p.lastRun)
		}
		if err := p.readBefore(false); err != nil {
			all[p] = result{did: "refresh", err: err}
			return all
		}
	}
	for _, p := range slices.Backward(l.parts) {
		if p.id == "" {
			continue
		}
		err := p.remove()
		all[p] = result{did: "delete", err: err}
		if err != nil {
			break
		}
	}
	return all
}

// newRun starts the provider again, as the engine does for every preview and every command after it.
func (l *life) newRun() {
	next, lastRun := l.object.process.again(l.t), l.object.lastRun
	if lastRun != nil {
		lastRun = lastRun.again(l.t)
	}
	for _, p := range l.parts {
		p.session.in(next).lastRun = lastRun
	}
}

// reconfigured continues with a program that configures the provider in another way than the last run did.
func (l *life) reconfigured(next *process) {
	lastRun := l.object.process.again(l.t)
	for _, p := range l.parts {
		p.session.in(next).lastRun = lastRun
	}
}

// isReconfigured reports whether no run has had the new configuration yet.
func (l *life) isReconfigured() bool { return l.object.lastRun != nil }
