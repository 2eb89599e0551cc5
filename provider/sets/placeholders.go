package sets

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// placeholders are texts that stand for secret and unknown values while kustomize edits the objects around them. Kustomize would
// print secret values, and cannot carry unknown ones.
type placeholders struct {
	prefix  string
	pattern *regexp.Regexp
	hidden  []hidden
}

// hidden is the value behind a placeholder.
type hidden struct {
	plain  any
	secret bool
}

func newPlaceholders() *placeholders {
	// No one can guess a prefix, and so write a text that would be taken for a placeholder.
	prefix := "k8sconnect-" + strings.ToLower(rand.Text()) + "-"
	return &placeholders{prefix: prefix, pattern: regexp.MustCompile(prefix + `\d{6}`)}
}

// hide returns the placeholder of a value.
func (p *placeholders) hide(value hidden) string {
	p.hidden = append(p.hidden, value)
	return fmt.Sprintf("%s%06d", p.prefix, len(p.hidden)-1)
}

// mask replaces all secret and unknown values of a tree. In a map that is secret as a whole, it replaces the values inside, so
// that they can still be edited, and returns the path of the map: it stays secret. An edit may move the items of a list, so a
// secret value below a list is replaced as a whole.
func (p *placeholders) mask(tree any, secrets values.Marks) (masked any, maps []property.Path) {
	var walk func(tree any, path []property.PathSegment, secret, listed bool) any
	walk = func(tree any, path []property.PathSegment, secret, listed bool) any {
		here := secrets.IsSecret(property.PathFromSegments(path...))
		object, isMap := tree.(map[string]any)
		switch {
		case values.IsUnknown(tree):
			return p.hide(hidden{plain: tree, secret: here})
		case here && (listed || !isMap || len(object) == 0):
			return p.hide(hidden{plain: tree, secret: true})
		case here && !secret:
			maps = append(maps, property.PathFromSegments(slices.Clone(path)...))
		}
		switch tree := tree.(type) {
		case map[string]any:
			copied := make(map[string]any, len(tree))
			for key, member := range tree {
				copied[key] = walk(member, append(slices.Clip(path), property.NewSegment(key)), here, listed)
			}
			return copied
		case []any:
			copied := make([]any, len(tree))
			for i, item := range tree {
				copied[i] = walk(item, append(slices.Clip(path), property.NewSegment(i)), here, true)
			}
			return copied
		default:
			return tree
		}
	}
	return walk(tree, nil, false, false), maps
}

// restore puts the values back where their placeholders are now, and says which places are secret. A text that contains a
// placeholder is unknown or secret as a whole.
func (p *placeholders) restore(tree any) (restored any, secrets values.Marks) {
	var walk func(tree any, path []property.PathSegment) any
	walk = func(tree any, path []property.PathSegment) any {
		switch tree := tree.(type) {
		case map[string]any:
			copied := make(map[string]any, len(tree))
			for key, member := range tree {
				copied[key] = walk(member, append(slices.Clip(path), property.NewSegment(key)))
			}
			return copied
		case []any:
			copied := make([]any, len(tree))
			for i, item := range tree {
				copied[i] = walk(item, append(slices.Clip(path), property.NewSegment(i)))
			}
			return copied
		case string:
			if !strings.Contains(tree, p.prefix) {
				return tree
			}
			plain, secret := p.reveal(tree)
			if secret {
				secrets.Add(property.PathFromSegments(slices.Clone(path)...))
			}
			return plain
		default:
			return tree
		}
	}
	return walk(tree, nil), secrets
}

// reveal returns the value of a text with placeholders.
func (p *placeholders) reveal(text string) (plain any, secret bool) {
	var unknown any
	revealed := p.pattern.ReplaceAllStringFunc(text, func(found string) string {
		value := p.at(found)
		secret = secret || value.secret
		if values.IsUnknown(value.plain) {
			unknown = value.plain
		}
		if found == text {
			plain = value.plain
		}
		return fmt.Sprint(value.plain)
	})
	switch {
	case p.pattern.FindString(text) == text:
		return plain, secret
	case unknown != nil:
		return unknown, secret
	default:
		return revealed, secret
	}
}

// at returns the value behind a placeholder.
func (p *placeholders) at(placeholder string) hidden {
	var number int
	if _, err := fmt.Sscanf(strings.TrimPrefix(placeholder, p.prefix), "%06d", &number); err != nil || number >= len(p.hidden) {
		return hidden{plain: placeholder}
	}
	return p.hidden[number]
}

// holdsUnknown reports whether a tree has a placeholder for an unknown value.
func (p *placeholders) holdsUnknown(tree any) bool {
	restored, _ := p.restore(tree)
	return values.HasUnknown(restored)
}
