package connection

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/connect"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// ErrUnknown means that a part of a connection is not known yet, for example because the same run creates the cluster.
// Test for it with errors.Is.
var ErrUnknown = errors.New("the connection is not known yet")

// UnknownError names the part of a connection that is not known yet. It is an [ErrUnknown].
type UnknownError struct {
	// Property is the name of the unknown part; empty if the whole connection is unknown.
	Property string
}

func (e *UnknownError) Error() string {
	if e.Property == "" {
		return ErrUnknown.Error()
	}
	return fmt.Sprintf("%v: %s is known only after apply", ErrUnknown, e.Property)
}

// Is makes every UnknownError an [ErrUnknown].
func (e *UnknownError) Is(target error) bool { return target == ErrUnknown }

// DecodeValue reads a clusterConnection input. It returns false if there is none, so that the provider's connection
// applies.
func DecodeValue(value property.Value) (connect.Connection, bool, error) {
	switch value = unpack(value); {
	case value.IsNull():
		return connect.Connection{}, false, nil
	case value.IsComputed():
		return connect.Connection{}, true, &UnknownError{}
	case !value.IsMap():
		return connect.Connection{}, true, failure.Errorf(failure.ReasonInvalidConfiguration, "the connection is not an object")
	}
	decoded, err := Decode(value.AsMap())
	return decoded, true, err
}

// Decode reads a connection from raw properties: a clusterConnection input, or the provider's configuration with its
// namespace. It ignores properties that it does not know or cannot read; reporting them is [Check]'s business. If a
// part is unknown, at any depth, the error is an [UnknownError].
func Decode(properties property.Map) (connect.Connection, error) {
	for _, name := range append(fields.Names(), namespaceField) {
		if unpackField(name, properties.Get(name)).HasComputed() {
			return connect.Connection{}, &UnknownError{Property: name}
		}
	}
	text := func(name string) string { return values.Scalar(properties.Get(name)) }
	secret := func(name string) connect.Secret { return connect.NewSecret(text(name)) }
	return connect.Connection{
		Kubeconfig:           secret("kubeconfig"),
		Context:              text("context"),
		Host:                 secret("host"),
		ClusterCACertificate: secret("clusterCaCertificate"),
		Insecure:             boolOf(properties.Get("insecure")),
		TLSServerName:        text("tlsServerName"),
		ProxyURL:             secret("proxyUrl"),
		Token:                secret("token"),
		ClientCertificate:    secret("clientCertificate"),
		ClientKey:            secret("clientKey"),
		Exec:                 execOf(unpack(properties.Get("exec"))),
		Impersonate:          impersonationOf(unpack(properties.Get("impersonate"))),
		Namespace:            text(namespaceField),
	}, nil
}

func execOf(value property.Value) *connect.Exec {
	if !value.IsMap() {
		return nil
	}
	fields := value.AsMap()
	decoded := &connect.Exec{
		APIVersion: values.Scalar(fields.Get("apiVersion")),
		Command:    values.Scalar(fields.Get("command")),
	}
	for _, arg := range values.Scalars(fields.Get("args")) {
		decoded.Args = append(decoded.Args, connect.NewSecret(arg))
	}
	if env := fields.Get("env"); env.IsMap() {
		decoded.Env = map[string]connect.Secret{}
		for name, entry := range env.AsMap().All {
			decoded.Env[name] = connect.NewSecret(values.Scalar(entry))
		}
	}
	return decoded
}

func impersonationOf(value property.Value) *connect.Impersonation {
	if !value.IsMap() {
		return nil
	}
	fields := value.AsMap()
	decoded := &connect.Impersonation{User: values.Scalar(fields.Get("user")), Groups: values.Scalars(fields.Get("groups"))}
	if extra := fields.Get("extra"); extra.IsMap() {
		decoded.Extra = map[string][]string{}
		for name, entry := range extra.AsMap().All {
			decoded.Extra[name] = values.Scalars(entry)
		}
	}
	return decoded
}

func boolOf(value property.Value) bool {
	if value.IsBool() {
		return value.AsBool()
	}
	parsed, err := strconv.ParseBool(values.Scalar(value))
	return err == nil && parsed
}
