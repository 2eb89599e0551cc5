package mutation

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// Evaluate returns the effect of the patch on the live object. The error is an [OperationError] if an operation cannot
// be carried out on it.
func (p JSONPatch) Evaluate(live *unstructured.Unstructured) (Effect, error) {
	fields, err := namedFields(live)
	if err != nil {
		return Effect{}, err
	}
	trace := newTrace(fields, len(p.operations))
	tree, err := p.apply(live.Object, trace)
	if err != nil {
		return Effect{}, err
	}
	object, isMap := tree.(map[string]any)
	if !isMap {
		return Effect{}, fmt.Errorf("jsonPatch: the object becomes %s", describe(tree))
	}
	return trace.effect(object), nil
}

// apply carries out the operations one by one on a copy of tree, and returns the copy.
func (p JSONPatch) apply(tree any, trace *trace) (any, error) {
	tree = normalized(tree)
	for i, operation := range p.operations {
		if operation.unknown || values.HasUnknown(operation.value) {
			return nil, &OperationError{Index: i, Operation: operation.name, Pointer: operation.path.String(), Reason: unknownReason}
		}
		e := evaluator{index: i, operation: operation, tree: tree, trace: trace}
		if err := e.run(); err != nil {
			return nil, err
		}
		tree = e.tree
	}
	return tree, nil
}

// evaluator carries out one operation.
type evaluator struct {
	index     int
	operation operation
	tree      any
	trace     *trace
}

// run reduces move and copy to remove and add, as the RFC defines them.
func (e *evaluator) run() error {
	o := e.operation
	switch o.name {
	case opAdd:
		return e.add(o.value)
	case opReplace:
		return e.replace()
	case opRemove:
		return e.remove(o.path)
	case opTest:
		if o.passed {
			return nil
		}
		return e.test()
	}
	value, _, reason := o.from.find(e.tree)
	if reason != "" {
		return e.fail(o.from, reason)
	}
	if o.name == opMove {
		if err := e.remove(o.from); err != nil {
			return err
		}
	}
	return e.add(value)
}

// add puts a value at the path of the operation. Only the operation add can be repeated: move and copy take the value
// from the object.
func (e *evaluator) add(value any) error {
	at, inList, reason := e.operation.path.findPlace(e.tree)
	if reason != "" {
		return e.fail(e.operation.path, reason)
	}
	value = normalized(value) // a copy operation must not put one value into the tree twice
	e.tree = edit(e.tree, at, func(container, last any) any { return inserted(container, last, value) })
	switch {
	case inList:
		e.trace.inserted(e.index, at)
	case e.operation.name == opAdd:
		e.trace.wrote(e.index, at)
	default:
		e.trace.wroteOnce(e.index, at)
	}
	return nil
}

func (e *evaluator) replace() error {
	_, at, reason := e.operation.path.find(e.tree)
	if reason != "" {
		return e.fail(e.operation.path, reason)
	}
	value := normalized(e.operation.value)
	e.tree = edit(e.tree, at, func(container, last any) any { return with(container, last, value) })
	e.trace.wrote(e.index, at)
	return nil
}

func (e *evaluator) remove(p pointer) error {
	_, at, reason := p.find(e.tree)
	if reason != "" {
		return e.fail(p, reason)
	}
	before := e.tree
	e.tree = edit(e.tree, at, dropped)
	e.trace.took(e.index, before, at)
	return nil
}

// test does the comparison itself, because the library cannot compare lists that contain null. Like the API server, it
// takes a missing value as equal to null if the container exists.
func (e *evaluator) test() error {
	o := e.operation
	have, at, reason := o.path.find(e.tree)
	if reason != "" {
		place, inList, missing := o.path.findPlace(e.tree)
		if o.value != nil || missing != "" || inList {
			return e.fail(o.path, reason)
		}
		at = place
	} else if reason = differs(have, o.value); reason != "" {
		return e.fail(o.path, reason)
	}
	e.trace.tested(e.index, at)
	return nil
}

// differs says how a value differs from what a test expects; it returns "" if they are equal.
func differs(have, want any) string {
	switch {
	case reflect.DeepEqual(have, want):
		return ""
	case have == nil || want == nil || reflect.TypeOf(have) != reflect.TypeOf(want):
		return fmt.Sprintf("there is %s, not %s", describe(have), describe(want))
	default:
		return fmt.Sprintf("there is %s, but another one than the test expects", describe(have))
	}
}

func (e *evaluator) fail(p pointer, reason string) error {
	return &OperationError{
		Index: e.index, Operation: e.operation.name, Pointer: p.String(), Reason: reason, Test: e.operation.name == opTest,
	}
}
