package chart

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// Helm's annotations on the objects of a release.
const (
	helmRelease   = "meta.helm.sh/release-name"
	helmNamespace = "meta.helm.sh/release-namespace"
)

// maxInherited is how deep draws whose arguments are drawn may be nested.
const maxInherited = 4

// inheritance are the values that a release that is taken over has in the cluster.
type inheritance struct {
	release *release
	values  draws.Values
	// live are the texts of objects of the release, by object and field. An object that is not there has none.
	live map[manifest.Identity]map[string]string
	// others are objects that are there and not of the release.
	others map[manifest.Identity]bool
}

// inherit finds the values that the templates of a release would draw in the objects that it takes over. A value is taken if its call
// could have drawn it and if, rendered with it, each field that shows it is what it is in the cluster. lost names the fields that get
// another value.
//
// It is done once: after that, the values are remembered. So what cannot be read now is an error, and never taken for what is not there.
func (r *release) inherit(ctx context.Context, known memory) (found draws.Values, lost []string, err error) {
	if known.known() || !r.adopt || r.cluster == nil || r.chart == nil || len(r.unknown) > 0 || values.HasUnknown(r.values) {
		return nil, nil, nil
	}
	r.lookups.begin(ctx, known.Found, nil)
	in := &inheritance{release: r, values: draws.Values{}, live: map[manifest.Identity]map[string]string{}, others: map[manifest.Identity]bool{}}
	now := time.Now()
	for range maxInherited {
		session := draws.NewSession(draws.Options{Stored: in.values, Missing: draws.Placeholder(0), Now: now})
		whole, err := r.chart.Render(ctx, r.release, r.values, chart.Functions{Lookup: r.lookups.Lookup, Draws: session})
		switch lookup := (*lookupError)(nil); {
		case errors.As(err, &lookup):
			return nil, nil, err
		case err != nil:
			return in.values, lost, nil // The rendering itself says why.
		}
		before := maps.Clone(in.values)
		if lost, err = in.find(ctx, whole.Objects, session.Wanted()); err != nil {
			return nil, nil, err
		}
		for i := range lost {
			lost[i] = r.redact(lost[i]) // The keys of a loop may be secret.
		}
		if reflect.DeepEqual(in.values, before) {
			break
		}
	}
	return in.values, lost, nil
}

// find finds values for placeholders. It returns what to say about the fields that it finds none for.
func (in *inheritance) find(ctx context.Context, objects []chart.Document, wanted []draws.Wanted) (lost []string, err error) {
	candidates, wrong, fields := map[string]map[string]bool{}, map[string]bool{}, map[string][]string{}
	for _, document := range objects {
		id := manifest.IdentityOf(document.Object)
		rendered := plainTexts(document.Object)
		for _, field := range slices.Sorted(maps.Keys(rendered)) {
			shows := in.shownIn(rendered[field], wanted)
			others := slices.DeleteFunc(slices.Clone(wanted), func(w draws.Wanted) bool { return w.IsText() || !w.IsShownIn(rendered[field]) })
			if len(shows)+len(others) == 0 {
				continue
			}
			texts, err := in.liveTexts(ctx, id)
			if err != nil {
				return nil, err
			}
			live, is := texts[field]
			if !is && !in.others[id] {
				continue // What is not there loses nothing.
			}
			for _, w := range others {
				fields[w.Key] = append(fields[w.Key], fmt.Sprintf("%s of %s %s", field, id.Kind, id.Name))
			}
			match := inPlacesOf(shows, rendered[field], live)
			for i, w := range shows {
				fields[w.Key] = append(fields[w.Key], fmt.Sprintf("%s of %s %s", field, id.Kind, id.Name))
				if match == nil || in.others[id] {
					wrong[w.Key] = true
					continue
				}
				if candidates[w.Key] == nil {
					candidates[w.Key] = map[string]bool{}
				}
				candidates[w.Key][match[i]] = true
			}
		}
	}
	for _, w := range wanted {
		found := slices.Collect(maps.Keys(candidates[w.Key]))
		if len(found) == 1 && !wrong[w.Key] {
			if value, fits := w.As(found[0]); fits {
				in.values[w.Key] = value
				continue
			}
		}
		if named := slices.Compact(fields[w.Key]); len(named) > 0 {
			lost = append(lost, strings.Join(named, ", "))
		}
	}
	slices.Sort(lost)
	return slices.Compact(lost), nil
}

// shownIn are the placeholders in a text, in the order in which they are there, each as often.
func (in *inheritance) shownIn(text string, wanted []draws.Wanted) (shows []draws.Wanted) {
	for text != "" {
		at, found := len(text), draws.Wanted{}
		for _, w := range wanted {
			if i := strings.Index(text, w.Placeholder); w.IsText() && i >= 0 && i < at {
				at, found = i, w
			}
		}
		if found.Key == "" {
			break
		}
		shows = append(shows, found)
		text = text[at+len(found.Placeholder):]
	}
	return shows
}

// inPlacesOf returns what a live text has in the places of the placeholders of a rendered one; nil if the rest of it is another.
func inPlacesOf(shows []draws.Wanted, rendered, live string) (found []string) {
	if len(live) != len(rendered) {
		return nil
	}
	for _, w := range shows {
		at := strings.Index(rendered, w.Placeholder)
		if rendered[:at] != live[:at] {
			return nil
		}
		end := at + len(w.Placeholder)
		found = append(found, live[at:end])
		rendered, live = rendered[end:], live[end:]
	}
	if rendered != live {
		return nil
	}
	return found
}

// liveTexts are the texts of an object of the release in the cluster.
func (in *inheritance) liveTexts(ctx context.Context, id manifest.Identity) (map[string]string, error) {
	if texts, known := in.live[id]; known {
		return texts, nil
	}
	r := in.release
	t, live, err := r.liveObject(ctx, id.In(r.release.Namespace), "")
	switch {
	case err != nil:
		return nil, t.Explain("read", err, r.sensitive())
	case live == nil:
		in.live[id] = nil
	case r.isOf(live):
		in.live[id] = plainTexts(live.Object)
	default:
		in.live[id], in.others[id] = nil, true
	}
	return in.live[id], nil
}

// isOf reports whether Helm has made an object for this release.
func (r *release) isOf(live *unstructured.Unstructured) bool {
	annotations := live.GetAnnotations()
	return annotations[helmRelease] == r.release.Name && annotations[helmNamespace] == r.release.Namespace
}

// plainTexts are the texts of an object by their fields, those of a Secret as they are decoded.
func plainTexts(object map[string]any) map[string]string {
	texts := map[string]string{}
	isSecret := manifest.IdentityOf(object).Kind == "Secret"
	for _, text := range chart.TextsOf(chart.Release{}, []chart.Document{{Object: object}}) {
		texts[text.Field] = text.Text
	}
	if data, is := object["data"].(map[string]any); is && isSecret {
		for key, value := range data {
			encoded, _ := value.(string)
			if decoded, err := base64.StdEncoding.DecodeString(encoded); err == nil {
				texts["data."+key] = string(decoded)
			}
		}
	}
	if data, is := object["stringData"].(map[string]any); is && isSecret {
		for key, value := range data {
			texts["data."+key] = fmt.Sprint(value)
		}
	}
	return texts
}

// explainLost says which values of a release that is taken over are drawn again.
func explainLost(fields []string) string {
	if len(fields) == 0 {
		return ""
	}
	return "The chart draws other values than the release has, because those in the cluster are not what it could have drawn, or differ from one " +
		"place to the other: " + strings.Join(fields, "; ") + ". To keep a value, set it in `values`."
}
