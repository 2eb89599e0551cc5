package chart

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"slices"
	"sync"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// lookups answer the function lookup of templates. All renderings of one run get the same answers.
//
// Templates do not find the objects of the release itself: a template that repeats what it finds of its own would keep the changes of
// others, and a second run would differ from the first. Exceptions are a release that was taken over, and a single object that the install
// of a release takes over: templates take passwords from them, so the objects are remembered as they were then, and are always found.
type lookups struct {
	// cluster is nil if nothing is looked up.
	cluster *cluster.Cluster
	// unknown means that it is not known yet where to look.
	unknown bool

	mu  sync.Mutex
	ctx context.Context // of the rendering that runs
	// looked means that templates have asked for anything.
	looked bool
	// found are objects of the release that templates find nevertheless.
	found   map[string]map[string]any
	answers map[manifest.Identity]map[string]any
	own     map[manifest.Identity]bool
	// adopted are objects of the release that it takes over one by one.
	adopted map[manifest.Identity]bool
	former  []string // the marks of the objects that the release had after the last run
}

// begin begins a rendering. Templates find some objects with their remembered content, and do not find the release's own objects, unless the
// release is taken over.
func (l *lookups) begin(ctx context.Context, remembered memory) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ctx, l.found, l.former = ctx, remembered.Found, remembered.Own
	if remembered.isAdopted() {
		l.former = nil
	}
}

// asked reports whether templates have looked anything up.
func (l *lookups) asked() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.looked
}

// firstFound returns the objects of a release that was taken over as templates first found them. An empty object means that there was none.
func (l *lookups) firstFound(own []manifest.Identity) map[string]map[string]any {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := map[string]map[string]any{}
	maps.Copy(found, l.found)
	for _, id := range own {
		answer, asked := l.answers[id]
		if _, before := found[id.String()]; asked && !before {
			found[id.String()] = answer
		}
	}
	return found
}

// firstFoundOrListed is firstFound for objects that are taken over one by one: objects that templates found in a list count, too. Once the
// release is installed, lists contain only those of its objects that are remembered.
func (l *lookups) firstFoundOrListed(own []manifest.Identity) map[string]map[string]any {
	found := l.firstFound(own)
	l.mu.Lock()
	defer l.mu.Unlock()
	for asked, answer := range l.answers {
		items, _ := answer["items"].([]any)
		for _, item := range items {
			object, _ := item.(map[string]any)
			id := manifest.IdentityOf(object)
			if _, before := found[id.String()]; asked.Name == "" && !before && slices.Contains(own, id) {
				found[id.String()] = object
			}
		}
	}
	return found
}

// secretTexts are the texts that templates found in Secrets, both encoded and decoded.
func (l *lookups) secretTexts() (texts []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	add := func(object map[string]any) {
		data, _ := object["data"].(map[string]any)
		for _, v := range data {
			encoded, _ := v.(string)
			decoded, _ := base64.StdEncoding.DecodeString(encoded)
			texts = append(texts, encoded, string(decoded))
		}
	}
	for id, answer := range l.answers {
		if id.Kind != "Secret" {
			continue
		}
		add(answer)
		items, _ := answer["items"].([]any)
		for _, item := range items {
			object, _ := item.(map[string]any)
			add(object)
		}
	}
	return texts
}

// isOwn reports whether an object belongs to the release and must be hidden.
func (l *lookups) isOwn(id manifest.Identity) bool {
	return !l.adopted[id] && (l.own[id] || len(l.former) > 0 && slices.Contains(l.former, mark(id)))
}

// mark is a short form of an identity, because many of them are remembered.
func mark(id manifest.Identity) string {
	sum := sha256.Sum256([]byte(id.String()))
	return base64.RawURLEncoding.EncodeToString(sum[:9])
}

// marks are the marks of objects, sorted.
func marks(ids []manifest.Identity) (list []string) {
	for _, id := range ids {
		list = append(list, mark(id))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// hide hides objects of the release. It reports whether templates have already found one of them: then the rendering is wrong.
func (l *lookups) hide(own []manifest.Identity) (again bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range own {
		if l.own[id] {
			continue
		}
		if l.own == nil {
			l.own = map[manifest.Identity]bool{}
		}
		l.own[id] = true
		for asked, answer := range l.answers {
			again = again || len(answer) > 0 && (asked == id || asked.Name == "" && asked.Kind == id.Kind)
		}
	}
	return again
}

// separate hides the objects of the release, except the ones that are taken over. It reports whether the rendering is wrong as a result.
func (l *lookups) separate(own, adopted []manifest.Identity) (again bool) {
	again = l.adopt(adopted)
	return l.hide(own) || again
}

// adopt shows objects of the release that are taken over. It reports whether templates may already have asked for one of them.
func (l *lookups) adopt(ids []manifest.Identity) (again bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		if l.adopted == nil {
			l.adopted = map[manifest.Identity]bool{}
		}
		again = again || !l.adopted[id] && l.looked
		l.adopted[id] = true
	}
	return again
}

// Lookup finds an object or, without a name, all objects of a kind.
func (l *lookups) Lookup(apiVersion, kind, namespace, name string) (map[string]any, error) {
	id := manifest.Identity{APIVersion: apiVersion, Kind: kind, Namespace: namespace, Name: name}
	l.mu.Lock()
	l.looked = true
	hidden := l.isOwn(id)
	answer, known := l.answers[id]
	found, remembered := l.found[id.String()]
	l.mu.Unlock()
	switch {
	case remembered:
		return found, nil
	case l.unknown:
		return nil, chart.ErrUnknown
	case hidden || l.cluster == nil:
		return map[string]any{}, nil
	case !known:
		var err error
		if answer, err = l.read(id); err != nil {
			return nil, err
		}
		l.mu.Lock()
		if l.answers == nil {
			l.answers = map[manifest.Identity]map[string]any{}
		}
		l.answers[id] = answer
		l.mu.Unlock()
	}
	if name == "" {
		return l.withoutOwn(answer), nil
	}
	return answer, nil
}

// read asks the cluster. A kind that the cluster does not serve has no objects: this very release may bring its definition.
func (l *lookups) read(id manifest.Identity) (map[string]any, error) {
	var answer map[string]any
	var err error
	if id.Name == "" {
		list, failed := l.cluster.List(l.ctx, cluster.ListOptions{APIVersion: id.APIVersion, Kind: id.Kind, Namespace: id.Namespace})
		if err = failed; err == nil {
			answer = list.UnstructuredContent()
		}
	} else {
		object, failed := l.cluster.Get(l.ctx, cluster.Ref(id))
		if err = failed; err == nil {
			answer = object.Object
		}
	}
	if err = l.cluster.ConfirmGone(l.ctx, err); failure.Gone(err) {
		return map[string]any{}, nil
	}
	return answer, l.explain(id, err)
}

// lookupError is an error of the cluster during a lookup.
type lookupError struct{ error }

func (e *lookupError) Unwrap() error { return e.error }

// explain says why a lookup has failed.
func (l *lookups) explain(id manifest.Identity, err error) error {
	if err == nil {
		return nil
	}
	subject := cluster.Ref(id).String()
	if id.Name == "" {
		subject = id.Kind + " objects"
		if id.Namespace != "" {
			subject += " in namespace " + id.Namespace
		}
	}
	return &lookupError{failure.Explain(err, failure.Operation{Verb: "look up", Subject: subject + " at " + l.cluster.Server(), Server: l.cluster.Server()})}
}

// advise says that the chart of a release cannot be rendered because of a failed lookup, and what to do.
func (e *lookupError) advise(reason failure.Reason, name string, redact func(text string) string) error {
	return failure.Errorf(reason, "the chart of %q cannot be rendered: %s\n        If the chart works without what it looks up, set `lookup: none`.",
		name, redact(e.Error()))
}

// withoutOwn removes the objects of the release from a list. Remembered objects stay in it, as they were.
func (l *lookups) withoutOwn(list map[string]any) map[string]any {
	items, isList := list["items"].([]any)
	if !isList {
		return list
	}
	var others []any
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, item := range items {
		object, _ := item.(map[string]any)
		id := manifest.IdentityOf(object)
		if remembered, is := l.found[id.String()]; is && len(remembered) > 0 {
			others = append(others, remembered)
		} else if !l.isOwn(id) {
			others = append(others, item)
		}
	}
	copied := maps.Clone(list)
	copied["items"] = others
	return copied
}
