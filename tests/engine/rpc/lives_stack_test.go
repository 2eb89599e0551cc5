package rpc_test

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
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
	// blocked says that nothing became of it because another part has failed.
	blocked bool
}

type results map[*part]result

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

// operate runs an operation of the engine on the stack. It continues on errors, so that what is independent of a part that has
// failed is tried as well: an up that ended there would leave all after it to the next one.
func (l *life) operate(kind engine.Kind, options engine.Options) results {
	l.newRun()
	options.ContinueOnError = true
	sessions := make([]*session, len(l.parts))
	for i, p := range l.parts {
		sessions[i] = p.session
	}
	l.running = newOperation(kind, options, l.program, sessions...)
	l.running.run()
	all := results{}
	for _, p := range l.parts {
		w := l.running.of(p.urn)
		all[p] = result{did: w.did(), in: w.program, outputs: w.told, err: w.cause()}
		if w.isBlocked() {
			all[p] = result{blocked: true}
		}
	}
	return all
}

// program registers the parts in their order. Of one that has failed, the SDKs tell a program that its outputs are unknown.
func (l *life) program(o *engineOperation) error {
	for _, p := range l.parts {
		of, madeOf := resource.PropertyMap(nil), map[resource.PropertyKey][]resource.URN(nil)
		if on := p.dependsOn(); on != nil {
			if of = o.of(on.urn).told; of == nil {
				of = resource.PropertyMap{"resourceRef": resource.MakeComputed(resource.NewProperty(""))}
			}
			madeOf = map[resource.PropertyKey][]resource.URN{"resourceRef": {on.urn}}
		}
		if in := p.wants(of); in != nil {
			if err := o.register(p.session, in, madeOf); err != nil {
				return err
			}
		}
	}
	return nil
}

// preview, apply and removeAll are a preview, an up and a destroy of the stack.
func (l *life) preview() results   { return l.operate(engine.Preview, engine.Options{}) }
func (l *life) apply() results     { return l.operate(engine.Up, engine.Options{}) }
func (l *life) removeAll() results { return l.operate(engine.Destroy, engine.Options{}) }

// previewEach is a preview of each part: alone where that of the stack has ended at another one.
func (l *life) previewEach() results {
	all := l.preview()
	for _, p := range l.parts {
		if all[p].blocked && p.isPossibleAlone() {
			all[p] = l.operate(engine.Preview, p.alone())[p]
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
