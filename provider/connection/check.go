package connection

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/connect"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/fieldtags"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/spelling"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// Check finds the mistakes in a connection that can be found without the network and without reading files. prefix is
// the path of the connection, empty for the provider's configuration; other are further properties that may be beside
// it. A missing connection is valid, and unknown values pass. No reason contains the value of a property.
func Check(value property.Value, prefix string, other ...string) []p.CheckFailure {
	value = unpack(value)
	switch {
	case value.IsNull(), value.IsComputed():
		return nil
	case !value.IsMap():
		return []p.CheckFailure{{Property: prefix, Reason: "must be an object such as { kubeconfig: … } or { host: …, token: … }"}}
	}
	c, properties := &checker{}, value.AsMap()
	c.object(properties, fields, prefix, other)
	if len(c.problems) > 0 {
		return c.problems // further checks would only repeat them in other words
	}
	for _, mistake := range connect.Contradictions(func(name string) connect.Presence { return has(properties, name) }) {
		c.addError(prefix, mistake.Field, mistake)
	}
	c.values(properties, prefix)
	return c.problems
}

type checker struct{ problems []p.CheckFailure }

func (c *checker) add(prefix, name, reason string) {
	c.problems = append(c.problems, p.CheckFailure{Property: values.JoinPath(prefix, name), Reason: reason})
}

// object finds unknown names and wrong types.
func (c *checker) object(properties property.Map, known fieldtags.Fields, prefix string, other []string) {
	for name, value := range properties.AllStable {
		field, ok := known.Get(name)
		switch {
		case ok:
			c.shape(value, field.Type, prefix, name)
		case slices.Contains(other, name), strings.HasPrefix(name, "__"):
		default:
			hint := "it has " + strings.Join(known.Names(), ", ")
			if meant := spelling.Nearest(name, known.Names()); meant != "" {
				hint = "did you mean " + meant + "?"
			}
			c.add(prefix, name, "is not a property of a connection; "+hint)
		}
	}
}

// shape finds values that do not have the wanted Go type.
func (c *checker) shape(value property.Value, want reflect.Type, prefix, name string) {
	if want.Kind() == reflect.Struct {
		value = unpack(value)
	}
	if value.IsNull() || value.IsComputed() {
		return
	}
	path := values.JoinPath(prefix, name)
	switch want.Kind() {
	case reflect.String:
		if !value.IsString() {
			c.add(prefix, name, "must be a string")
		}
	case reflect.Bool:
		if !isBool(value) {
			c.add(prefix, name, "must be true or false")
		}
	case reflect.Slice:
		if !value.IsArray() {
			c.add(prefix, name, "must be a list of strings")
			return
		}
		for i, entry := range value.AsArray().All {
			c.shape(entry, want.Elem(), path, fmt.Sprintf("[%d]", i))
		}
	case reflect.Map:
		if !value.IsMap() {
			c.add(prefix, name, "must be a map")
			return
		}
		for key, entry := range value.AsMap().AllStable {
			c.shape(entry, want.Elem(), path, fmt.Sprintf("[%q]", key))
		}
	case reflect.Struct:
		c.nested(value, fieldtags.Of(want), path)
	}
}

// isBool reports whether a value is a boolean, or a text that means one: the CLI's configuration has only texts.
func isBool(value property.Value) bool {
	_, err := strconv.ParseBool(values.Scalar(value))
	return value.IsBool() || value.IsString() && err == nil
}

func (c *checker) nested(value property.Value, known fieldtags.Fields, path string) {
	if !value.IsMap() {
		c.add("", path, "must be an object with "+strings.Join(known.Names(), ", "))
		return
	}
	c.object(value.AsMap(), known, path, nil)
	for _, field := range known {
		if !field.Optional && has(value.AsMap(), field.Name) == connect.Absent {
			c.add(path, field.Name, "must be set")
		}
	}
}

// has says whether a property is set.
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

// values finds values that cannot be right for any cluster.
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
