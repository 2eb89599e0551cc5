package stack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
)

// ErrConfig says that the configuration of an Environment cannot be one of Pulumi.
var ErrConfig = errors.New("the configuration is invalid")

// Settings is what Pulumi.<stack>.yaml says: the salt and the configuration. A key without a colon belongs to the project.
// The key of a secret may be a path into a list or an object, as with "pulumi config set --path".
func Settings(key Key, project string, plain map[string]json.RawMessage, secret map[string]string) (*workspace.ProjectStack, error) {
	settings := workspace.ProjectStack{EncryptionSalt: key.salt, Config: config.Map{}}
	for _, name := range slices.Sorted(maps.Keys(plain)) {
		value, err := plainValue(plain[name])
		if err == nil {
			err = set(settings.Config, project, name, value, false)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrConfig, name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(secret)) {
		encrypted, err := key.EncryptValue(context.Background(), secret[name])
		if err == nil {
			err = set(settings.Config, project, name, config.NewSecureValue(encrypted), true)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrConfig, name, err)
		}
	}
	return &settings, nil
}

func set(values config.Map, project, name string, value config.Value, path bool) error {
	if !strings.Contains(name, ":") {
		name = project + ":" + name
	}
	key, err := config.ParseKey(name)
	if err != nil {
		return fmt.Errorf("a key is \"name\" or \"namespace:name\": %w", err)
	}
	into := resource.PropertyPath{key.Name()}
	if path {
		if into, err = resource.ParsePropertyPath(key.Name()); err != nil {
			return fmt.Errorf("the key is no path: %w", err)
		}
	}
	root, _ := into[0].(string)
	switch there, found := values[config.MustMakeKey(key.Namespace(), root)]; {
	case found && len(into) == 1:
		return errors.New("the value is given twice, with the project in the key and without")
	case found && !there.Object():
		return fmt.Errorf("%s is no list and no object, so nothing can be put into it", root)
	}
	return values.Set(key, value, path)
}

// plainValue keeps numbers and booleans what they are.
func plainValue(raw json.RawMessage) (config.Value, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return config.Value{}, err
	}
	switch value := value.(type) {
	case nil:
		return config.Value{}, errors.New("null is no value. Leave the key out")
	case string:
		return config.NewTypedValue(value, config.TypeString), nil
	case bool:
		return config.NewTypedValue(strconv.FormatBool(value), config.TypeBool), nil
	case json.Number:
		if _, err := strconv.Atoi(value.String()); err == nil {
			return config.NewTypedValue(value.String(), config.TypeInt), nil
		}
		return config.NewTypedValue(value.String(), config.TypeFloat), nil
	}
	if reserved(value) {
		return config.Value{}, errors.New("objects whose only key is \"secure\" are reserved for what Pulumi has encrypted. Use secretConfig for a secret")
	}
	var composite config.Value
	return composite, composite.UnmarshalJSON(raw)
}

// reserved says whether Pulumi would take something in a value for a ciphertext.
func reserved(value any) bool {
	switch value := value.(type) {
	case []any:
		return slices.ContainsFunc(value, reserved)
	case map[string]any:
		if _, found := value["secure"]; found && len(value) == 1 {
			return true
		}
		return slices.ContainsFunc(slices.Collect(maps.Values(value)), reserved)
	}
	return false
}
