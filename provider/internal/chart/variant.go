package chart

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// variant is one of the renderings that are compared. The zero variant is the actual rendering.
type variant struct {
	// stands says what replaces each unknown value. If it is shorter than the list of places, the rest gets the first placeholder.
	stands []standing
	// secrets selects the replacement for secret values; 0 keeps the real ones.
	secrets int
	// standsIn is the text that replaces each secret text; if it is empty, secrets selects the replacement.
	standsIn string
	// otherwise are the calls whose decision is inverted.
	otherwise map[call]bool
	// only, if set, are the templates to render. The others are as in the actual rendering.
	only map[string]bool
}

// exchangesSecrets reports whether secret values are replaced.
func (v variant) exchangesSecrets() bool { return v.secrets > 0 || v.standsIn != "" }

// inPlaceOf returns the replacement for a secret value.
func (v variant) inPlaceOf(value, model any) any {
	if v.standsIn != "" {
		return inPlaceOf(value, model, v.standsIn)
	}
	return exchanged(value, model, v.secrets)
}

// with is the variant in which one more decision is inverted.
func (v variant) with(decision call) variant {
	otherwise := maps.Clone(v.otherwise)
	if otherwise == nil {
		otherwise = map[call]bool{}
	}
	otherwise[decision] = true
	v.otherwise = otherwise
	return v
}

// standing is a replacement for an unknown value.
type standing int

const (
	placeholder standing = iota
	otherPlaceholder
	noBooleans // the placeholder, except for booleans, which are false
	noValue
)

// all is a variant with the same replacement for all unknown values.
func (p *partly) all(stands standing) variant {
	return variant{stands: slices.Repeat([]standing{stands}, len(p.places))}
}

// emptied is the variant in which unknown values are empty.
func (p *partly) emptied() variant { return p.all(noValue) }

// maxApart bounds how many unknown values are emptied one by one.
const maxApart = 6

// emptyings are the variants in which unknown values are empty: all values, all booleans, each value alone, and all values except one. In
// all other variants, an unknown boolean is true.
func (p *partly) emptyings() []variant {
	if len(p.places) == 0 {
		return nil
	}
	found := []variant{p.emptied()}
	if slices.ContainsFunc(p.places, func(place []any) bool { return hasBoolean(p.defaultAt(place)) }) {
		found = append(found, p.all(noBooleans))
	}
	if len(p.places) == 1 {
		return found
	}
	if len(p.places) > maxApart {
		return found
	}
	for i := range p.places {
		one, others := p.all(placeholder), p.all(noValue)
		one.stands[i], others.stands[i] = noValue, placeholder
		found = append(found, one, others)
	}
	return found
}

// unknownIn finds the places of unknown values, in order.
func unknownIn(tree any, at []any) (places unknownPlaces) {
	switch tree := tree.(type) {
	case values.Unknown:
		return unknownPlaces{slices.Clone(at)}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(tree)) {
			places = append(places, unknownIn(tree[key], append(slices.Clip(at), key))...)
		}
	case []any:
		for i, item := range tree {
			places = append(places, unknownIn(item, append(slices.Clip(at), i))...)
		}
	}
	return places
}

// replaced are the values of a variant.
func (p *partly) replaced(v variant) map[string]any {
	given, _ := asInFile(p.Values).(map[string]any)
	if given == nil {
		given = map[string]any{}
	}
	for i, place := range p.places {
		made := &placeholders{texts: 97 * i, numbers: i}
		stands := placeholder
		if i < len(v.stands) {
			stands = v.stands[i]
		}
		setAt(given, place, made.like(p.defaultAt(place), stands))
	}
	if v.exchangesSecrets() {
		for _, path := range p.Secrets.Paths() {
			if inner, there := valueAt(given, path); there {
				exchanged := v.inPlaceOf(inner, p.defaultAt(path))
				if len(path) == 0 {
					given, _ = exchanged.(map[string]any)
					continue
				}
				setAt(given, path, exchanged)
			}
		}
	}
	return given
}

// exchangedTexts are the texts in unknown or secret values. It leaves out single letters, because they may occur anywhere.
func (p *partly) exchangedTexts(given map[string]any) (texts []string) {
	var collect func(tree any)
	collect = func(tree any) {
		switch tree := tree.(type) {
		case string:
			if len(tree) > 1 {
				texts = append(texts, tree)
			}
		case map[string]any:
			for _, member := range tree {
				collect(member)
			}
		case []any:
			for _, item := range tree {
				collect(item)
			}
		}
	}
	for _, place := range append(p.Secrets.Paths(), p.places...) {
		inner, _ := valueAt(given, place)
		collect(inner)
	}
	return texts
}

// valueAt returns the value at a path.
func valueAt(tree any, path []any) (any, bool) {
	for _, key := range path {
		switch held := tree.(type) {
		case map[string]any:
			name, _ := key.(string)
			member, there := held[name]
			if !there {
				return nil, false
			}
			tree = member
		case []any:
			i, isIndex := key.(int)
			if !isIndex || i < 0 || i >= len(held) {
				return nil, false
			}
			tree = held[i]
		default:
			return nil, false
		}
	}
	return tree, true
}

// setAt changes an existing value at a path.
func setAt(tree any, path []any, value any) {
	holder, _ := valueAt(tree, path[:len(path)-1])
	switch key := path[len(path)-1].(type) {
	case string:
		if held, isMap := holder.(map[string]any); isMap {
			held[key] = value
		}
	case int:
		if held, isList := holder.([]any); isList && key < len(held) {
			held[key] = value
		}
	}
}

// defaultAt returns the default that the chart and its subcharts, enabled or not, have at a place; nil if there is none.
func (p *partly) defaultAt(place []any) any {
	if p.defaults == nil {
		p.defaults = map[string]any{}
		if prepared, err := p.chart.prepare(Release{Name: "defaults", KubeVersion: p.Release.KubeVersion}, nil, preparing{withAll: true}); err == nil {
			p.defaults = prepared.values
		}
	}
	found, _ := valueAt(p.defaults, place)
	return found
}

// placeholders make values that stand for unknown ones. Each differs from the others.
type placeholders struct{ texts, numbers int }

// like makes a placeholder of the type of a default. A map has the keys of the default. A list has the same items as the default, and one
// more for the second placeholder.
func (p *placeholders) like(model any, stands standing) any {
	switch model := model.(type) {
	case map[string]any:
		return p.likeMap(model, stands)
	case []any:
		return p.likeList(model, stands)
	case bool:
		return stands == placeholder || stands == otherPlaceholder
	case float64, int, int64:
		p.numbers++
		number := float64(2 * (1 + p.numbers%8))
		switch stands {
		case otherPlaceholder:
			return number + 1
		case noValue:
			return 0.0
		}
		return number
	default:
		return p.text(stands)
	}
}

func (p *placeholders) likeMap(model map[string]any, stands standing) map[string]any {
	made := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(model)) {
		made[key] = p.like(model[key], stands)
	}
	if len(made) == 0 && stands != noValue {
		text := p.text(stands)
		made["key"+text] = text
	}
	return made
}

func (p *placeholders) likeList(model []any, stands standing) []any {
	if stands == noValue {
		return []any{}
	}
	var items []any
	for _, item := range model {
		items = append(items, p.like(item, stands))
	}
	if len(items) == 0 {
		items = append(items, p.text(stands))
	}
	if stands == otherPlaceholder {
		items = append(items, items[0])
	}
	return items
}

func (p *placeholders) text(stands standing) string {
	p.texts++
	switch stands {
	case otherPlaceholder:
		return number7(p.texts, 1) + "263547"
	case noValue:
		return ""
	}
	return number7(p.texts, 0) + "51"
}

// hasBoolean reports whether a value is a boolean or contains one.
func hasBoolean(model any) bool {
	switch model := model.(type) {
	case bool:
		return true
	case map[string]any:
		for _, member := range model {
			if hasBoolean(member) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(model, hasBoolean)
	}
	return false
}

// number7 is a text of digits that differs for each n. For the same n, every digit differs for each shift below 7. It contains no 0, 8 and
// 9, so every parser reads it as a number.
func number7(n, shift int) string {
	var text strings.Builder
	const digits = "1234567"
	text.WriteByte(digits[(1+shift)%7])
	for range 6 {
		text.WriteByte(digits[(n+shift)%7])
		n /= 7
	}
	return text.String()
}

// exchanged is another value of the same type. With number 1 it looks like the real one: each letter becomes another letter, and each digit
// another digit. With number 2 it has another length, and keys that the chart does not know change, too.
func exchanged(value, model any, number int) any {
	switch value := value.(type) {
	case map[string]any:
		known, _ := model.(map[string]any)
		copied := make(map[string]any, len(value))
		for key, member := range value {
			if _, isKnown := known[key]; !isKnown && number > 1 {
				key = similar(key)
			}
			copied[key] = exchanged(member, known[key], number)
		}
		return copied
	case []any:
		copied := make([]any, len(value))
		for i, item := range value {
			copied[i] = exchanged(item, nil, number)
		}
		if number > 1 && len(copied) > 0 {
			copied = append(copied, copied[0])
		}
		return copied
	case bool:
		return !value
	case float64:
		return value + float64(number)
	case string:
		if number == 1 || value == "" {
			return similar(value)
		}
		return unlike(value)
	default:
		return value
	}
}

// similar replaces each letter of a text by another letter, and each digit by another digit.
func similar(text string) string {
	return strings.Map(func(letter rune) rune {
		switch {
		case letter >= 'a' && letter <= 'z':
			return 'a' + (letter-'a'+1)%26
		case letter >= 'A' && letter <= 'Z':
			return 'A' + (letter-'A'+1)%26
		case letter >= '0' && letter <= '9':
			return '0' + (letter-'0'+1)%10
		}
		return letter
	}, text)
}

// unlike is a longer text of digits, each of which differs from the character that it replaces.
func unlike(text string) string {
	var digits strings.Builder
	for _, letter := range text {
		digit := '1' + letter%7
		if digit == letter {
			digit = '1' + (letter+1)%7
		}
		digits.WriteRune(digit)
	}
	return digits.String() + "7351"
}

// withOtherData copies a Secret, or a list of them, with other data.
func withOtherData(found map[string]any, number int) map[string]any {
	copied := maps.Clone(found)
	if items, isList := found["items"].([]any); isList {
		others := make([]any, len(items))
		for i, item := range items {
			if object, isMap := item.(map[string]any); isMap {
				others[i] = withOtherData(object, number)
			}
		}
		copied["items"] = others
		return copied
	}
	if data, has := found["data"].(map[string]any); has {
		others := map[string]any{}
		for key, value := range data {
			text, _ := value.(string)
			plain, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				plain = []byte(text)
			}
			other, _ := exchanged(string(plain), nil, number).(string)
			others[key] = encoded(other)
		}
		copied["data"] = others
	}
	return copied
}

func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
