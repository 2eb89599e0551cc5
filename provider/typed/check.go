package typed

import (
	"fmt"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/check"
)

// checkTop checks what only a typed resource can have wrong, and returns the rest of the inputs. was are the inputs of the last run, as
// an object has them: with the resource option ignoreChanges, the engine puts a manifest as text back from there.
func (a adapter) checkTop(program, was property.Map) (rest property.Map, wrong []p.CheckFailure) {
	fail := func(path, format string, args ...any) {
		wrong = append(wrong, p.CheckFailure{Property: path, Reason: fmt.Sprintf(format, args...)})
	}
	for name, want := range map[string]string{"apiVersion": a.kind.APIVersion(), "kind": a.kind.Kind} {
		v, given := program.GetOk(name)
		if given && !isText(v, want) {
			fail(name, "The type of the resource says it: %s. Leave it out.", want)
		}
	}
	program = program.Delete("apiVersion", "kind", unusualKey)
	for name := range program.AllStable {
		if _, restored := was.GetOk(name); isHidden(name) && !restored {
			fail(name, "There is no field %q.", name)
			program = program.Delete(name)
		}
	}
	own, given := program.GetOk(Options)
	if !given || own.IsNull() || own.IsComputed() {
		return program, wrong
	}
	if !own.IsMap() {
		fail(Options, "The value must be an object with options, such as {adopt: true}.")
		return program.Delete(Options), wrong
	}
	options := a.checkOptions(own.AsMap(), was, fail)
	return program.Set(Options, property.WithGoValue(own, options)), wrong
}

// checkOptions finds what is no option, and returns the rest.
func (a adapter) checkOptions(options, was property.Map, fail func(path, format string, args ...any)) property.Map {
	for name, v := range options.AllStable {
		at := Options + "." + name
		switch {
		case name == textKey && v.Equals(was.Get(textKey)): // The engine has put it there.
			continue
		case slices.Contains(manifestKeys, name):
			fail(at, "There is no option %q: the fields of the object are at the top of the resource.", name)
		case len(a.options) > 0 && !slices.Contains(a.options, name):
			fail(at, "%s", check.NoSuch("option", name, a.options))
		default:
			continue
		}
		options = options.Delete(name)
	}
	return options
}
