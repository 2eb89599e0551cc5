package values

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

const (
	// maxExact is the largest magnitude up to which a float64 tells every integer from its neighbours.
	maxExact = 1 << 53
	// maxKey is the length of the longest key that a property.Path can hold; it panics on a longer one.
	maxKey = 1<<14 - 1
)

// FromProperty splits a value into its plain tree and its secret marks.
//
// It refuses, naming the path, everything that cannot be in a Kubernetes object: assets, archives, references to
// resources, numbers that JSON does not have, and keys too long for a property path.
func FromProperty(v property.Value) (plain any, secrets Marks, err error) {
	plain, root, err := take(v, nil)
	if err != nil {
		return nil, Marks{}, err
	}
	return plain, Marks{root}, nil
}

// take converts one node. The path is only for errors: marks are built on the way back up, each node attaching those
// of its children, so that no two of them can share or overwrite a path.
func take(v property.Value, at *place) (any, *mark, error) {
	var node *mark
	if v.Secret() {
		node = &mark{secret: true}
	}
	switch {
	case v.IsComputed():
		return Unknown{}, node, nil
	case v.IsNull():
		return nil, node, nil
	case v.IsBool():
		return v.AsBool(), node, nil
	case v.IsString():
		return v.AsString(), node, nil
	case v.IsNumber():
		number := v.AsNumber()
		if math.IsNaN(number) || math.IsInf(number, 0) {
			return nil, nil, fmt.Errorf("%s: JSON has no number %v", at, number)
		}
		return Number(number), node, nil
	case v.IsArray():
		return takeList(v.AsArray(), node, at)
	case v.IsMap():
		return takeMap(v.AsMap(), node, at)
	default:
		return nil, nil, fmt.Errorf("%s: %s", at, notInObjects(v))
	}
}

// notInObjects says why a value that JSON does not have cannot be used.
func notInObjects(v property.Value) string {
	switch {
	case v.IsAsset():
		return "an asset cannot be part of a Kubernetes object; read it into a string"
	case v.IsArchive():
		return "an archive cannot be part of a Kubernetes object"
	case v.IsResourceReference():
		return "a resource cannot be part of a Kubernetes object; use one of its outputs"
	default:
		return "a value of this kind cannot be part of a Kubernetes object"
	}
}

func takeList(list property.Array, node *mark, at *place) (any, *mark, error) {
	items := make([]any, list.Len())
	for i, item := range list.All {
		segment := property.NewSegment(i)
		plain, child, err := take(item, at.below(segment))
		if err != nil {
			return nil, nil, err
		}
		items[i], node = plain, node.joined(segment, child)
	}
	return items, node, nil
}

func takeMap(m property.Map, node *mark, at *place) (any, *mark, error) {
	members := make(map[string]any, m.Len())
	for key, member := range m.AllStable {
		if len(key) > maxKey {
			return nil, nil, fmt.Errorf("%s: the key that begins with %q has %d bytes, Pulumi takes at most %d",
				at, key[:32], len(key), maxKey)
		}
		segment := property.NewSegment(key)
		plain, child, err := take(member, at.below(segment))
		if err != nil {
			return nil, nil, err
		}
		members[key], node = plain, node.joined(segment, child)
	}
	return members, node, nil
}

// joined returns the mark with that of a part attached; nil as long as there is nothing to mark.
func (n *mark) joined(segment property.PathSegment, child *mark) *mark {
	if child == nil {
		return n
	}
	if n == nil {
		n = &mark{}
	}
	n.attach(segment, child)
	return n
}

// Number converts a number to the type that Kubernetes stores it in: int64 if it is whole and within ±2^53, otherwise
// float64.
func Number(number float64) any {
	if math.Abs(number) <= maxExact && number == math.Trunc(number) {
		return int64(number)
	}
	return number
}

// ToProperty combines a plain tree and its marks again.
//
// Besides the types that [FromProperty] returns, it accepts int and json.Number. It ignores marks on paths that the
// tree does not have: there is nothing to keep secret. Pulumi has only float64, so an integer beyond ±2^53 may lose
// its last digits, as it would in every Pulumi program.
func ToProperty(plain any, secrets Marks) (property.Value, error) {
	return put(plain, secrets.root, nil)
}

func put(plain any, node *mark, at *place) (property.Value, error) {
	v, err := putBare(plain, node, at)
	if err != nil {
		return property.Value{}, err
	}
	return v.WithSecret(node != nil && node.secret), nil
}

// putBare is put without the mark of the node itself.
func putBare(plain any, node *mark, at *place) (property.Value, error) {
	switch plain := plain.(type) {
	case Unknown:
		return property.New(property.Computed), nil
	case nil:
		return property.New(property.Null), nil
	case bool:
		return property.New(plain), nil
	case string:
		return property.New(plain), nil
	case []any:
		return putList(plain, node, at)
	case map[string]any:
		return putMap(plain, node, at)
	default:
		return putNumber(plain, at)
	}
}

func putNumber(plain any, at *place) (property.Value, error) {
	switch plain := plain.(type) {
	case int:
		return property.New(float64(plain)), nil
	case int64:
		return property.New(float64(plain)), nil
	case float64:
		if math.IsNaN(plain) || math.IsInf(plain, 0) {
			return property.Value{}, fmt.Errorf("%s: JSON has no number %v", at, plain)
		}
		return property.New(plain), nil
	case json.Number:
		number, err := plain.Float64()
		if err != nil {
			return property.Value{}, fmt.Errorf("%s: %w", at, err)
		}
		return putNumber(number, at)
	default:
		return property.Value{}, fmt.Errorf("%s: %T is not a JSON value", at, plain)
	}
}

func putList(plain []any, node *mark, at *place) (property.Value, error) {
	items := make([]property.Value, len(plain))
	for i, item := range plain {
		segment := property.NewSegment(i)
		v, err := put(item, node.child(segment), at.below(segment))
		if err != nil {
			return property.Value{}, err
		}
		items[i] = v
	}
	return property.New(property.NewArray(items)), nil
}

func putMap(plain map[string]any, node *mark, at *place) (property.Value, error) {
	members := make(map[string]property.Value, len(plain))
	for key, member := range plain {
		segment := property.NewSegment(key)
		v, err := put(member, node.child(segment), at.below(segment))
		if err != nil {
			return property.Value{}, err
		}
		members[key] = v
	}
	return property.New(property.NewMap(members)), nil
}

// IsExact reports whether an integer stays the same number as a float64, which is what Pulumi converts it to.
func IsExact(number int64) bool {
	float := float64(number)
	// The integers just below 2^63 round to it, and it is not an int64.
	return float < 1<<63 && int64(float) == number
}
