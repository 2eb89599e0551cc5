package rpc_test

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// bakery is another stack that wants the object of a life.
type bakery struct {
	*session
	l *life

	value        int
	adopt, takes bool
}

// bakeryURN is the resource of the other stack.
var bakeryURN = bakeryURNOf("stolen")

func newBakery(l *life) *bakery {
	return &bakery{session: start(l.t, inline(l.book.user)).bakery(l.t, "stolen"), l: l}
}

// inputs is the program of the bakery.
func (b *bakery) inputs() resource.PropertyMap {
	in := wanted{value: b.value, label: true, adopt: b.adopt}.inputs(b.l.cast.object, b.l.world.namespace)
	if b.takes {
		in["takeOverFrom"] = resource.NewPropertyValue([]any{managerFor("k8sconnect-", b.l.object.urn)})
	}
	return in
}

func (b *bakery) tenant() tenant {
	manifest, _ := plain(b.inputs()["manifest"]).(m)
	who := tenant{managers: []string{managerFor("k8sconnect-", b.urn)}, manifest: manifest, ignores: func(string) bool { return false }}
	if known, ok := at(b.l.t, b.outputs, "__fieldManager").(string); ok {
		who.managers = append(who.managers, known)
	}
	if b.takes {
		who.takesOver = []string{managerFor("k8sconnect-", b.l.object.urn)}
	}
	return who
}

// run runs a command of the bakery.
func (b *bakery) run(command func() error) error { return b.runAs(b.tenant(), command) }

// runAs runs a command of the bakery as what it is to that.
func (b *bakery) runAs(who tenant, command func() error) error {
	b.in(b.process.again(b.t))
	before := b.l.live()
	err := command()
	if broken := b.l.apart(before, b.l.live(), who); broken != nil {
		return fmt.Errorf("the bakery: %w", broken)
	}
	return err
}

// bakeryUps is a preview and an up of the bakery.
func (l *life) bakeryUps() error {
	b := l.bakery
	before := versionOf(l.live())
	b.in(b.process.again(b.t))
	said, _, sayErr := b.preview(b.inputs())
	if versionOf(l.live()) != before {
		return law(foreseen, "the preview of the bakery has written")
	}
	did := ""
	err := b.run(func() (err error) {
		did, err = b.session.up(b.inputs())
		return err
	})
	l.book.count(fmt.Sprintf("up of the bakery: %s, failed: %t", did, err != nil))
	switch {
	case breaksLaw(err):
		return err
	case err != nil && l.isTroubled():
		return nil
	case (sayErr == nil) != (err == nil):
		return law(foreseen, "the preview of the bakery said %q: %v, and the up did %q: %w", said, sayErr, did, err)
	case err == nil && said != did:
		return law(foreseen, "the preview of the bakery said %q, and the up did %q", said, did)
	}
	return nil
}

// bakeryImports is an import of the object by the bakery.
func (l *life) bakeryImports() error {
	live := l.live()
	if live == nil || l.bakery.id != "" {
		return nil
	}
	return l.bakery.run(func() error {
		return l.bakery.importID(fmt.Sprintf("%s/%s/%s/it", live.GetAPIVersion(), live.GetKind(), live.GetNamespace()))
	})
}

// bakeryDestroys is a destroy of the bakery, which always succeeds: the object is its own, or is left alone.
func (l *life) bakeryDestroys() error {
	err := l.bakery.runAs(l.bakery.tenant().inState(l.bakery.session), l.bakery.destroy)
	switch {
	case breaksLaw(err):
		return err
	case err != nil && !l.isTroubled() && !l.refused:
		return law(noDeadEnd, "the destroy of the bakery fails: %w", err)
	}
	return nil
}

// aboutBakery are the steps of the other stack.
var aboutBakery = []chapter{
	{2, cast{}, "", one("the bakery imports the object", (*life).bakeryImports)},
	{3, cast{}, "", one("up of the bakery", (*life).bakeryUps)},
	{2, cast{}, "", one("the bakery changes its program", func(l *life) error {
		l.bakery.value++
		return nil
	})},
	{1, cast{}, "", one("the program of the bakery adopts, or does not any more", func(l *life) error {
		l.bakery.adopt = !l.bakery.adopt
		return nil
	})},
	{2, cast{}, "", one("the program of the bakery takes the object over, or does not any more", func(l *life) error {
		l.bakery.takes = !l.bakery.takes
		return nil
	})},
	{2, cast{}, "", one("destroy of the bakery", (*life).bakeryDestroys)},
	{1, cast{}, "", one("the object is moved to the state of the bakery", func(l *life) error {
		if l.bakery.id != "" || l.object.id == "" || l.isPending() || l.isReconfigured() {
			return nil
		}
		l.bakery.stored, l.object.stored = l.object.stored, stored{}
		return l.bakeryUps()
	})},
}
