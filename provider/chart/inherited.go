package chart

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
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
// could have drawn it and if, rendered with it, each field that shows it is what it is in the cluster. The warnings name the fields that
// get another value.
func (r *release) inherit(ctx context.Context, known memory) (found draws.Values, lost []string) {
	if known.known() || !r.adopt || r.cluster == nil || r.chart == nil || len(r.unknown) > 0 || values.HasUnknown(r.values) {
		return nil, nil
	}
	r.lookups.begin(ctx, known.Found, nil)
	in := &inheritance{release: r, values: draws.Values{}, live: map[manifest.Identity]map[string]string{}, others: map[manifest.Identity]bool{}}
	now := time.Now()
	for range maxInherited {
		session := draws.NewSession(draws.Options{Stored: in.values, Missing: draws.Placeholder(0), Now: now})
		whole, err := r.chart.Render(ctx, r.release, r.values, chart.Functions{Lookup: r.lookups.Lookup, Draws: session})
		if err != nil {
			return nil, nil // The rendering itself says why.
		}
		before := len(in.values)
		lost = in.find(ctx, whole.Objects, session.Wanted())
		if len(in.values) == before {
			for i := range lost {
				lost[i] = r.redact(lost[i]) // The keys of a loop may be secret.
			}
			return in.values, lost
		}
	}
	return in.values, lost
}

// find finds values for placeholders. It returns what to say about the fields that it finds none for.
func (in *inheritance) find(ctx context.Context, objects []chart.Document, wanted []draws.Wanted) (lost []string) {
	candidates, wrong, fields := map[string]map[string]bool{}, map[string]bool{}, map[string][]string{}
	for _, document := range objects {
		id := manifest.IdentityOf(document.Object)
		texts := plainTexts(document.Object)
		for _, field := range slices.Sorted(maps.Keys(texts)) {
			shows := in.shownIn(texts[field], wanted)
			others := slices.DeleteFunc(slices.Clone(wanted), func(w draws.Wanted) bool { return w.IsText() || !w.IsShownIn(texts[field]) })
			if len(shows)+len(others) == 0 {
				continue
			}
			live, is := in.liveTexts(ctx, id)[field]
			if !is && !in.others[id] {
				continue // What is not there loses nothing.
			}
			for _, w := range others {
				fields[w.Key] = append(fields[w.Key], fmt.Sprintf("%s of %s %s", field, id.Kind, id.Name))
			}
			match := patternOf(texts[field], shows).FindStringSubmatch(live)
			for i, w := range shows {
				fields[w.Key] = append(fields[w.Key], fmt.Sprintf("%s of %s %s", field, id.Kind, id.Name))
				if match == nil || in.others[id] {
					wrong[w.Key] = true
					continue
				}
				if candidates[w.Key] == nil {
					candidates[w.Key] = map[string]bool{}
				}
				candidates[w.Key][match[i+1]] = true
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
	return slices.Compact(lost)
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

// patternOf matches a text with other values in the places of its placeholders.
func patternOf(text string, shows []draws.Wanted) *regexp.Regexp {
	var pattern strings.Builder
	pattern.WriteString(`(?s)\A`)
	for _, w := range shows {
		before, after, _ := strings.Cut(text, w.Placeholder)
		fmt.Fprintf(&pattern, "%s(.{%d})", regexp.QuoteMeta(before), len(w.Placeholder))
		text = after
	}
	return regexp.MustCompile(pattern.String() + regexp.QuoteMeta(text) + `\z`)
}

// liveTexts are the texts of an object of the release in the cluster.
func (in *inheritance) liveTexts(ctx context.Context, id manifest.Identity) map[string]string {
	if texts, known := in.live[id]; known {
		return texts
	}
	in.live[id] = nil
	r := in.release
	t, err := tracked.Resolve(ctx, r.cluster, id.In(r.release.Namespace), "")
	if err != nil {
		return nil // The object itself says why.
	}
	live, err := r.cluster.Get(ctx, t.Ref)
	switch {
	case err != nil:
	case r.isOf(live):
		in.live[id] = plainTexts(live.Object)
	default:
		in.others[id] = true
	}
	return in.live[id]
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
		"place to the other: " + strings.Join(fields[:min(len(fields), maxNamed)], "; ") + ". To keep a value, set it in `values`."
}
