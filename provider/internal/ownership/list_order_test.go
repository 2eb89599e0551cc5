package ownership

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestReordered(t *testing.T) {
	t.Parallel()
	owned := fields(t, `{"f:spec": {
		"f:initContainers": {"k:{\"name\":\"a\"}": {".": {}, "f:name": {}}, "k:{\"name\":\"b\"}": {".": {}, "f:name": {}}},
		"f:containers": {"k:{\"name\":\"web\"}": {".": {}, "f:name": {}, "f:ports": {
			"k:{\"containerPort\":53,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}},
			"k:{\"containerPort\":53,\"protocol\":\"UDP\"}": {".": {}, "f:containerPort": {}, "f:protocol": {}}}}},
		"f:finalizers": {"v:\"x\"": {}, "v:\"z\"": {}},
		"f:args": {}}}`)
	for what, c := range map[string]struct {
		from, to string
		lists    []string
	}{
		"the same order": {
			"{spec: {initContainers: [{name: a}, {name: b}]}}", "{spec: {initContainers: [{name: a}, {name: b}]}}", nil},
		"two items change places": {
			"{spec: {initContainers: [{name: a}, {name: b}]}}", "{spec: {initContainers: [{name: b}, {name: a}]}}", []string{"spec.initContainers"}},
		"items of others between them do not count": {
			"{spec: {initContainers: [{name: a}, {name: x}, {name: b}]}}", "{spec: {initContainers: [{name: x}, {name: a}, {name: b}]}}", nil},
		"an item that is on one side only does not count": {
			"{spec: {initContainers: [{name: b}]}}", "{spec: {initContainers: [{name: a}, {name: b}]}}", nil},
		"a list that is on one side only has no other order": {
			"{spec: {}}", "{spec: {initContainers: [{name: b}, {name: a}]}}", nil},
		"items of which one leaves out a part of its key": {
			"{spec: {containers: [{name: web, ports: [{containerPort: 53}, {containerPort: 53, protocol: UDP}]}]}}",
			"{spec: {containers: [{name: web, ports: [{containerPort: 53, protocol: UDP}, {containerPort: 53, protocol: TCP}]}]}}",
			[]string{"spec.containers[name=web].ports"}},
		"the items of a set": {
			"{spec: {finalizers: [x, z]}}", "{spec: {finalizers: [z, x]}}", []string{"spec.finalizers"}},
		"an atomic list is a value": {
			"{spec: {args: [x, z]}}", "{spec: {args: [z, x]}}", nil},
	} {
		t.Run(what+" [D6]", func(t *testing.T) {
			t.Parallel()
			var lists []string
			for _, list := range Reordered(object(t, c.from), object(t, c.to), owned) {
				lists = append(lists, Format(list))
			}
			assert.Equal(t, c.lists, lists)
		})
	}
}
