package chart

import (
	"encoding/base64"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chart"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/draws"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// world is a release that is taken over, and the cluster's content: the texts of objects by their kinds and names, and fields.
type world struct {
	templates string
	live      map[string]map[string]string
	roles     map[string]role
	known     memory
}

// inherit looks for the values of a world.
func (w world) inherit(t *testing.T, missing draws.Missing) (inherited, *inheriting) {
	t.Helper()
	r := releaseOf(t, map[string]string{"templates/a.yaml": w.templates})
	r.adopt, w.known.adopt = true, true
	in := newInheriting(r, w.known)
	whole, err := r.chart.Render(t.Context(), r.release, nil, chart.Functions{})
	require.NoError(t, err)
	for _, object := range whole.Objects {
		id := manifest.IdentityOf(object.Object)
		one := &neighbour{}
		if texts, is := w.live[id.Kind+"/"+id.Name]; is {
			one.role, one.texts = source, texts
		}
		if role, is := w.roles[id.Kind+"/"+id.Name]; is {
			one.role = role
		}
		in.cluster.live[id] = one
	}
	found, err := in.run(t.Context(), missing)
	require.NoError(t, err)
	return found, in
}

// object is a template of an object with these lines of data.
func object(kind, name string, data ...string) string {
	text := fmt.Sprintf("---\napiVersion: v1\nkind: %s\nmetadata: { name: %s }\ndata:\n", kind, name)
	for _, line := range data {
		text += "  " + line + "\n"
	}
	return text
}

func TestWhichValuesAreTakenOver(t *testing.T) { // [D65]
	t.Parallel()
	const password = "{{- $p := randAlphaNum 16 }}\n"
	const hash = "$2a$10$hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh"
	const live = "liveLiveLiveLive"
	one, two := object("ConfigMap", "one", "p: {{ $p }}"), object("ConfigMap", "two", `p: "u:{{ $p }}"`)
	texts := func(pairs ...string) map[string]map[string]string {
		all := map[string]map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			name, key, _ := strings.Cut(pairs[i], ".")
			if all["ConfigMap/"+name] == nil {
				all["ConfigMap/"+name] = map[string]string{}
			}
			all["ConfigMap/"+name]["data."+key] = pairs[i+1]
		}
		return all
	}
	for name, c := range map[string]struct {
		world
		// kept are the texts of values, lost and changed the fields that are told.
		kept, lost, changed []string
	}{
		"what all places show":                 {world{templates: password + one + two, live: texts("one.p", live, "two.p", "u:"+live)}, []string{live}, nil, nil},
		"what one shows if another is gone":    {world{templates: password + one + two, live: texts("two.p", "u:"+live)}, []string{live}, nil, nil},
		"not what two show differently":        {world{templates: password + one + two, live: texts("one.p", live, "two.p", "u:evilEvilEvilEvil")}, nil, []string{"data.p of ConfigMap one, data.p of ConfigMap two"}, nil},
		"not what another tool has":            {world{templates: password + one, live: texts("one.p", live), roles: map[string]role{"ConfigMap/one": foreign}}, nil, []string{"data.p of ConfigMap one (which is not of this release)"}, nil},
		"nor if that has only one of them":     {world{templates: password + one + two, live: texts("one.p", live, "two.p", "u:"+live), roles: map[string]role{"ConfigMap/two": foreign}}, nil, []string{"data.p of ConfigMap one, data.p of ConfigMap two (which is not of this release)"}, nil},
		"nothing where nothing is":             {world{templates: password + one}, nil, nil, nil},
		"not what is not taken over":           {world{templates: password + one, live: texts("one.p", live), roles: map[string]role{"ConfigMap/one": absent}}, nil, nil, nil},
		"not what the release has written":     {world{templates: password + one, live: texts("one.p", live), roles: map[string]role{"ConfigMap/one": witness}}, nil, nil, nil},
		"what that agrees with":                {world{templates: password + one + two, live: texts("one.p", live, "two.p", "u:"+live), roles: map[string]role{"ConfigMap/one": witness}}, []string{live}, nil, nil},
		"not what that does not agree with":    {world{templates: password + one + two, live: texts("one.p", "evilEvilEvilEvil", "two.p", "u:"+live), roles: map[string]role{"ConfigMap/one": witness}}, nil, []string{"data.p of ConfigMap two"}, nil},
		"although its checksum is another one": {world{templates: password + one + object("ConfigMap", "sum", "p: {{ $p | sha256sum }}"), live: texts("one.p", live, "sum.p", "0")}, []string{live}, nil, []string{"data.p of ConfigMap sum"}},
		"not its checksum alone":               {world{templates: password + object("ConfigMap", "sum", "p: {{ $p | sha256sum }}"), live: texts("sum.p", "0")}, nil, []string{"data.p of ConfigMap sum"}, nil},
		"with other values in the same text":   {world{templates: password + object("ConfigMap", "one", `p: "{{ $p }} {{ now | date "2006" }}"`), live: texts("one.p", live+" 2020")}, []string{live}, []string{"data.p of ConfigMap one"}, nil},
		"not a checksum in the same text that does not go with it": {
			world{templates: password + object("ConfigMap", "one", `p: "{{ $p }} {{ $p | sha1sum }}"`), live: texts("one.p", live+" "+strings.Repeat("0", 40))}, nil, []string{"data.p of ConfigMap one"}, nil,
		},
		"a hash of what is shown nowhere": {world{templates: password + object("ConfigMap", "one", `h: {{ bcrypt $p }}`), live: texts("one.h", hash)}, []string{hash}, nil, nil},
		"a hash of what is shown nowhere, in an install that goes on": {
			world{templates: password + object("ConfigMap", "one", `h: {{ bcrypt $p }}`), live: texts("one.h", hash), known: memory{HashKey: "x", Installing: true}}, []string{hash}, nil, nil,
		},
		"a hash of what is kept":             {world{templates: password + object("ConfigMap", "one", `h: {{ bcrypt $p }}`, "p: {{ $p }}"), live: texts("one.h", hash, "one.p", live)}, []string{hash, live}, nil, nil},
		"not a hash of what becomes another": {world{templates: password + object("ConfigMap", "one", `h: {{ bcrypt $p }}`, "p: {{ $p }}"), live: texts("one.h", hash, "one.p", "short")}, nil, []string{"data.h of ConfigMap one", "data.p of ConfigMap one"}, nil},
		"not a hash of what comes back":      {world{templates: password + object("ConfigMap", "one", `h: {{ bcrypt $p }}`) + two, live: texts("one.h", hash)}, nil, []string{"data.h of ConfigMap one"}, nil},
		"what is drawn because of what is kept": {
			world{templates: password + one + object("ConfigMap", "q", `q: {{ if hasPrefix "live" $p }}{{ randAlpha 12 }}{{ else }}none{{ end }}`), live: texts("one.p", live, "q.q", "abcdefghijkl")},
			[]string{"abcdefghijkl", live}, nil, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, missing := range []draws.Missing{draws.Draw, draws.Placeholder(0)} {
				found, in := c.inherit(t, missing)
				var kept []string
				for _, key := range found.kept {
					kept = append(kept, found.values[key].Text)
				}
				assert.ElementsMatch(t, c.kept, kept)
				assert.Equal(t, c.lost, found.lost)
				assert.Equal(t, c.changed, found.changed)
				for _, from := range []draws.Missing{missing, draws.Placeholder(1)} { // Whatever else is drawn, they are known.
					session := draws.NewSession(draws.Options{Stored: found.values, Missing: from})
					_, err := in.release.chart.Render(t.Context(), in.release.release, nil, chart.Functions{Draws: session})
					require.NoError(t, err)
					for _, key := range found.kept {
						assert.NotContains(t, session.Missing(), key, "it is what is drawn from now on")
					}
				}
			}
		})
	}
}

func TestWhichCertificatesAreTakenOver(t *testing.T) { // [D65]
	t.Parallel()
	const chain = "{{- $ca := genCA \"ca\" 3650 }}\n{{- $crt := genSignedCert \"web\" nil (list \"web\") 365 $ca }}\n"
	const both = "tls.crt: {{ $crt.Cert | b64enc }}\n  tls.key: {{ $crt.Key | b64enc }}"
	tls := object("Secret", "tls", "ca.crt: {{ $ca.Cert | b64enc }}", both)
	hook := object("ConfigMap", "hook", "caBundle: {{ $ca.Cert | b64enc }}")
	// made renders as Helm does.
	made := func(t *testing.T, templates string) map[string]map[string]string {
		t.Helper()
		r := releaseOf(t, map[string]string{"templates/a.yaml": templates})
		whole, err := r.chart.Render(t.Context(), r.release, nil, chart.Functions{})
		require.NoError(t, err)
		all := map[string]map[string]string{}
		for _, object := range whole.Objects {
			id := manifest.IdentityOf(object.Object)
			all[id.Kind+"/"+id.Name] = plainTexts(object.Object)
		}
		return all
	}
	authority, child := "ca|genCA 3650", "crt|genSignedCert 365"
	for name, c := range map[string]struct {
		templates string
		change    func(live, other map[string]map[string]string)
		kept      []string
		lost      bool
	}{
		"with an authority without its key": {templates: chain + tls + hook, kept: []string{authority, child}},
		"that is shown in a webhook alone":  {templates: chain + object("Secret", "tls", both) + hook, kept: []string{authority, child}},
		"with the key of the authority":     {templates: chain + tls + object("Secret", "ca", "ca.key: {{ $ca.Key | b64enc }}"), kept: []string{authority, child}},
		"not if that key is gone": {templates: chain + tls + object("Secret", "ca", "ca.key: {{ $ca.Key | b64enc }}"), lost: true, change: func(live, _ map[string]map[string]string) {
			delete(live, "Secret/ca")
		}},
		"not if only the checksum of that key is there": {templates: chain + tls + object("ConfigMap", "ca", "sum: {{ $ca.Key | sha256sum }}"), lost: true},
		"not if a function wants that key":              {templates: chain + tls + object("ConfigMap", "ca", "ca: {{ (buildCustomCert (b64enc $ca.Cert) (b64enc $ca.Key)).Cert | b64enc }}"), lost: true},
		"not if another one has to be signed":           {templates: chain + tls + object("Secret", "more", "crt: {{ (genSignedCert \"more\" nil nil 9 $ca).Cert | sha256sum | b64enc }}"), lost: true},
		"not with another authority in a webhook": {templates: chain + tls + hook, lost: true, change: func(live, other map[string]map[string]string) {
			live["ConfigMap/hook"] = other["ConfigMap/hook"]
		}},
		"not with another key": {templates: chain + tls, lost: true, change: func(live, other map[string]map[string]string) {
			live["Secret/tls"]["data.tls.key"] = other["Secret/tls"]["data.tls.key"]
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live := made(t, c.templates)
			if c.change != nil {
				c.change(live, made(t, c.templates))
			}
			for _, missing := range []draws.Missing{draws.Draw, draws.Placeholder(0)} {
				found, in := world{templates: c.templates, live: live}.inherit(t, missing)
				if c.lost {
					assert.NotEmpty(t, found.lost)
					assert.Empty(t, found.kept)
					continue
				}
				assert.Empty(t, found.lost)
				assert.Empty(t, found.changed)
				require.Len(t, found.kept, len(c.kept))
				session := draws.NewSession(draws.Options{Stored: found.values, Missing: missing})
				whole, err := in.release.chart.Render(t.Context(), in.release.release, nil, chart.Functions{Draws: session})
				require.NoError(t, err)
				for _, object := range whole.Objects {
					id := manifest.IdentityOf(object.Object)
					assert.True(t, assert.ObjectsAreEqual(live[id.Kind+"/"+id.Name], plainTexts(object.Object)), "%s is another one", id)
				}
			}
		})
	}
}

func TestAValueThatCannotBeLookedForIsTold(t *testing.T) { // [D65]
	t.Parallel()
	const templates = "{{- $p := randAlphaNum 16 }}{{ if regexMatch \"^[b-z]\" $p }}{{ fail \"weak\" }}{{ end }}\n"
	r := releaseOf(t, map[string]string{"templates/a.yaml": templates + object("ConfigMap", "one", "p: {{ $p }}")})
	r.adopt = true
	_, err := newInheriting(r, memory{adopt: true}).run(t.Context(), draws.Draw)
	require.ErrorIs(t, err, errUnrendered)
	assert.Contains(t, inherited{unsought: true}.warnings(true)[0], "were not looked for in the cluster")
	assert.Empty(t, inherited{unsought: true}.warnings(false), "there is nothing to look for")
}

func TestWhoseObjectsValuesAreTakenFrom(t *testing.T) { // [D65]
	t.Parallel()
	r := releaseOf(t, nil)
	of := func(release, namespace string) map[string]string {
		return map[string]string{helmRelease: release, helmNamespace: namespace}
	}
	for name, c := range map[string]struct {
		annotations   map[string]string
		taken, ours   bool
		known         bool
		single, keeps bool
		role          role
	}{
		"of this release":                         {annotations: of("shop", "default"), taken: true, role: source},
		"of this release, not to be taken over":   {annotations: of("shop", "default"), role: absent},
		"of another one":                          {annotations: of("blog", "default"), taken: true, role: foreign},
		"of one in another namespace":             {annotations: of("shop", "blog"), taken: true, role: foreign},
		"of nobody":                               {taken: true, role: foreign},
		"that the release has made":               {taken: true, ours: true, role: source},
		"that it has made with what it remembers": {annotations: of("shop", "default"), taken: true, ours: true, known: true, role: witness},
		"that it has made, not to be taken over":  {ours: true, role: witness},
		"that nobody keeps":                       {taken: true, single: true, keeps: true, role: source},
		"that nobody keeps, as one of many":       {taken: true, keeps: true, role: foreign},
		"that another release keeps":              {annotations: of("blog", "default"), taken: true, single: true, keeps: true, role: foreign},
		"that nobody keeps, not on purpose":       {taken: true, single: true, role: foreign},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live := &unstructured.Unstructured{Object: map[string]any{}}
			annotations := map[string]string{}
			maps.Copy(annotations, c.annotations)
			if c.keeps {
				annotations[manifest.ResourcePolicy] = "keep"
			}
			live.SetAnnotations(annotations)
			assert.Equal(t, c.role, r.roleOf(live, taker{manager: "k8sconnect-x", taken: c.taken, single: c.single, ours: c.ours, remembered: c.known}))
		})
	}
}

func TestTheDataOfASecretIsComparedAsItIs(t *testing.T) { // [D65]
	t.Parallel()
	encoded := base64.StdEncoding.EncodeToString([]byte("plain"))
	texts := plainTexts(map[string]any{"kind": "Secret", "data": map[string]any{"a": encoded}, "stringData": map[string]any{"b": "plain"}})
	assert.Equal(t, "plain", texts["data.a"])
	assert.Equal(t, "plain", texts["data.b"])
	assert.Equal(t, encoded, plainTexts(map[string]any{"kind": "ConfigMap", "data": map[string]any{"a": encoded}})["data.a"])
}
