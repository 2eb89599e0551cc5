package connection

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/connect"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
)

// Problem is one mistake of the user.
type Problem struct {
	// Property is the path of the property, such as "clusterConnection.token".
	Property string
	// Reason says what is wrong. It never contains the value of a property.
	Reason string
}

// Check finds the mistakes in a connection that need neither the network nor a file to be seen. prefix is the path of
// the connection, empty for the provider's configuration; other are further properties that may stand beside it.
// A missing connection is fine, and values that are unknown pass.
func Check(value property.Value, prefix string, other ...string) []Problem {
	value = unpack(value)
	switch {
	case value.IsNull(), value.IsComputed():
		return nil
	case !value.IsMap():
		return []Problem{{Property: prefix, Reason: "must be an object such as { kubeconfig: … } or { host: …, token: … }"}}
	}
	c, properties := &checker{}, value.AsMap()
	c.object(properties, fields, prefix, other)
	if len(c.problems) > 0 {
		return c.problems // the following would only repeat them in other words
	}
	for _, mistake := range connect.Contradictions(func(name string) connect.Presence { return has(properties, name) }) {
		c.addError(prefix, mistake.Field, mistake)
	}
	c.values(properties, prefix)
	return c.problems
}

type checker struct{ problems []Problem }

func (c *checker) add(prefix, name, reason string) {
	c.problems = append(c.problems, Problem{Property: join(prefix, name), Reason: reason})
}

func join(prefix, name string) string {
	switch {
	case prefix == "":
		return name
	case strings.HasPrefix(name, "["):
		return prefix + name
	default:
		return prefix + "." + name
	}
}

// object finds unknown names and wrong types.
func (c *checker) object(properties property.Map, known map[string]field, prefix string, other []string) {
	for name, value := range properties.AllStable {
		description, ok := known[name]
		switch {
		case ok:
			c.shape(value, description, prefix, name)
		case slices.Contains(other, name), strings.HasPrefix(name, "__"):
		default:
			c.add(prefix, name, "is not a property of a connection"+suggestion(name, sortedNames(known)))
		}
	}
}

func (c *checker) shape(value property.Value, description field, prefix, name string) {
	if description.object {
		value = unpack(value)
	}
	if value.IsNull() || value.IsComputed() {
		return
	}
	switch description.shape {
	case text:
		if !value.IsString() {
			c.add(prefix, name, "must be a string")
		}
	case boolean:
		if _, err := strconv.ParseBool(textOf(value)); !value.IsBool() && (!value.IsString() || err != nil) {
			c.add(prefix, name, "must be true or false")
		}
	case textList:
		c.texts(value, prefix, name)
	case textMap, textsMap:
		if !value.IsMap() {
			c.add(prefix, name, "must be a map")
			return
		}
		inner := field{shape: text}
		if description.shape == textsMap {
			inner.shape = textList
		}
		for key, entry := range value.AsMap().AllStable {
			c.shape(entry, inner, join(prefix, name), fmt.Sprintf("[%q]", key))
		}
	case execObject:
		c.nested(value, execFields, join(prefix, name), "command")
	case impersonationObject:
		c.nested(value, impersonationFields, join(prefix, name), "user")
	}
}

func (c *checker) texts(value property.Value, prefix, name string) {
	if !value.IsArray() {
		c.add(prefix, name, "must be a list of strings")
		return
	}
	for i, entry := range value.AsArray().All {
		c.shape(entry, field{shape: text}, join(prefix, name), fmt.Sprintf("[%d]", i))
	}
}

func (c *checker) nested(value property.Value, known map[string]field, path, required string) {
	if !value.IsMap() {
		c.add("", path, "must be an object with "+strings.Join(sortedNames(known), ", "))
		return
	}
	c.object(value.AsMap(), known, path, nil)
	if has(value.AsMap(), required) == connect.Absent {
		c.add(path, required, "must be set")
	}
}

// has says whether a property is there.
func has(properties property.Map, name string) connect.Presence {
	value := unpackField(name, properties.Get(name))
	switch {
	case value.IsNull(), value.IsString() && strings.TrimSpace(value.AsString()) == "":
		return connect.Absent
	case value.IsBool() && !value.AsBool(), name == "insecure" && value.IsString() && !boolOf(value):
		return connect.Absent
	case value.IsComputed():
		return connect.Unknown
	default:
		return connect.Given
	}
}

// values finds values that cannot be right, whatever the cluster.
func (c *checker) values(properties property.Map, prefix string) {
	known := func(name string) string {
		if has(properties, name) != connect.Given {
			return ""
		}
		return properties.Get(name).AsString()
	}
	try := func(name string, parse func(string) error) {
		if value := known(name); value != "" {
			c.addError(prefix, name, parse(value))
		}
	}
	try("host", func(value string) error { _, err := connect.ParseHost(value); return err })
	try("proxyUrl", func(value string) error { _, err := connect.ParseProxy(value); return err })
	try("clusterCaCertificate", func(value string) error {
		_, err := connect.ParseCertificates("clusterCaCertificate", value)
		return err
	})
	if certificate, key := known("clientCertificate"), known("clientKey"); certificate != "" && key != "" {
		_, _, err := connect.ParseClientPair(certificate, key)
		c.addError(prefix, "clientKey", err)
		return
	}
	try("clientCertificate", func(value string) error {
		_, err := connect.ParseCertificates("clientCertificate", value)
		return err
	})
	try("clientKey", func(value string) error { _, err := connect.ParseKey("clientKey", value); return err })
}

func (c *checker) addError(prefix, name string, err error) {
	if err == nil {
		return
	}
	if mistake, ok := errors.AsType[*failure.FieldError](err); ok {
		c.add(prefix, mistake.Field, mistake.Reason)
		return
	}
	c.add(prefix, name, "is not valid")
}
