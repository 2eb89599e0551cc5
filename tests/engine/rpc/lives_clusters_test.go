package rpc_test

import (
	"context"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
)

// there is another cluster with a namespace of the same name.
func (l *life) there() world {
	l.t.Helper()
	client, err := dynamic.NewForConfig(second.Get(l.t).RESTConfig())
	require.NoError(l.t, err)
	w := world{l.t, client, l.world.namespace}
	if !w.exists("Namespace", w.namespace) {
		w.create(m{"apiVersion": "v1", "kind": "Namespace", "metadata": m{"name": w.namespace}})
		l.t.Cleanup(func() { _ = w.objects("Namespace").Delete(context.Background(), w.namespace, metav1.DeleteOptions{}) })
	}
	return w
}

// versionsIn are those of what is in a cluster.
func (l *life) versionsIn(w world) (versions string) {
	l.t.Helper()
	for _, of := range [][2]string{{l.cast.object, "it"}, {l.target, "theirs"}} {
		live, err := w.objects(of[0]).Get(l.t.Context(), of[1], metav1.GetOptions{})
		if !apierrors.IsNotFound(err) {
			require.NoError(l.t, err)
			versions += uidOf(live) + " " + versionOf(live)
		}
		versions += "/"
	}
	return versions
}

// exchanged is a preview, a refresh and a destroy while the address of the cluster leads to another one, as it does after
// kubectl config use-context. What the state has is neither forgotten nor deleted, and nothing is written there.
func (l *life) exchanged() error {
	if l.isReconfigured() {
		return nil
	}
	here, there := l.world, l.there()
	before := l.versionsOf(here, there)
	l.gateway.heal()
	l.gateway.leadTo(l.t, second.Get(l.t).Admin())
	l.world = there
	defer func() {
		l.world = here
		l.gateway.leadTo(l.t, l.book.user)
	}()
	known := map[*part]string{}
	for _, p := range l.parts {
		// A create that was not confirmed, in a cluster that did not say its id either, has nothing but the address to
		// tell clusters apart. While that is the same, it is taken for the same cluster.
		if p.id != "" && (p == l.wait || origin(l.t, p.session)["id"] != nil) {
			known[p] = asJSON(at(l.t, p.outputs, "resourceRef"))
		}
	}
	for p, said := range l.previewEach() {
		// The preview of a Wait that waits does not look.
		if known[p] != "" && p != l.wait && said.in != nil && !said.blocked && said.err == nil && said.did != "replace" {
			return law(elsewhere, "%s: the preview says %q", p.what, said.did)
		}
	}
	if err := l.refresh(); err != nil {
		return err
	}
	for p := range known {
		if p.id == "" {
			return law(elsewhere, "%s: the refresh forgets it", p.what)
		}
	}
	did := l.removeAll()
	for p := range known {
		// A Wait has nothing in a cluster.
		if p != l.wait && (p.id == "" || did[p].did == "delete" && did[p].err == nil) {
			return law(elsewhere, "%s: the destroy says that it has deleted it", p.what)
		}
		if was := known[p]; p.id != "" && was != asJSON(at(l.t, p.outputs, "resourceRef")) {
			return law(elsewhere, "%s: it was %s, and the state says %s", p.what, was, asJSON(at(l.t, p.outputs, "resourceRef")))
		}
	}
	if l.versionsOf(here, there) != before {
		return law(elsewhere, "what is of the same name there was written, or what is here")
	}
	return nil
}

func (l *life) versionsOf(here, there world) string {
	if l.homeless {
		return l.versionsIn(there)
	}
	return l.versionsIn(here) + l.versionsIn(there)
}

// emigrates is an up in another cluster, and another one back in this one. renamed says that the program names the other
// cluster; else the address leads there.
func emigrates(renamed bool) func(*life) error {
	return func(l *life) error {
		if l.isReconfigured() || l.isTroubled() || l.refused || l.wants.invalid {
			return nil
		}
		here, there := l.world, l.there()
		l.gateway.heal()
		for _, journey := range []struct {
			from, to world
			lead     func()
		}{
			{here, there, func() { l.leadTo(renamed, true) }},
			{there, here, func() { l.leadTo(renamed, false) }},
		} {
			journey.lead()
			l.world = journey.to
			l.makeTarget()
			before := l.versionsIn(journey.from)
			if err := l.up(); err != nil {
				return err
			}
			if l.versionsIn(journey.from) != before {
				return law(elsewhere, "the up writes what the other cluster has")
			}
		}
		return nil
	}
}

// leadTo has the program or the address lead to the other cluster, or back.
func (l *life) leadTo(renamed, other bool) {
	user := l.book.user
	if other {
		user = second.Get(l.t).Admin()
	}
	if !renamed {
		l.gateway.leadTo(l.t, user)
		return
	}
	l.gateway = newGatewayOf(l.t, user)
	l.reconfigured(start(l.t, l.gateway.connection()))
}

// aboutClusters is what happens with two clusters.
var aboutClusters = []chapter{
	{3, cast{}, "", one("preview, refresh and destroy while the address leads to another cluster", (*life).exchanged)},
	{1, cast{}, "", one("up while the address leads to another cluster, and up back here", emigrates(false))},
	{1, cast{}, "", one("up with a program that names another cluster, and up back here", emigrates(true))},
}
