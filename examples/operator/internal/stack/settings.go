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
func Settings(key Key, project *workspace.Project, plain map[string]json.RawMessage, secret map[string]string) (*workspace.ProjectStack, error) {
	settings := workspace.ProjectStack{EncryptionSalt: key.salt, Config: config.Map{}}
	for _, name := range slices.Sorted(maps.Keys(plain)) {
		if err := setPlain(settings.Config, project, name, plain[name]); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrConfig, name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(secret)) {
		if err := setSecret(settings.Config, project, name, secret[name], key); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrConfig, name, err)
		}
	}
	return &settings, nil
}

func setPlain(values config.Map, project *workspace.Project, name string, raw json.RawMessage) error {
	key, err := parseKey(project, name)
	if err != nil {
		return err
	}
	value, err := plainValue(raw, func(text string) string { return asText(project, key, text) })
	if err != nil {
		return err
	}
	return set(values, key, resource.PropertyPath{key.Name()}, value)
}

func setSecret(values config.Map, project *workspace.Project, name, text string, encrypter config.Encrypter) error {
	key, err := parseKey(project, name)
	if err != nil {
		return err
	}
	path, err := resource.ParsePropertyPath(key.Name())
	if err != nil {
		return fmt.Errorf("the key is no path: %w", err)
	}
	if root, isKey := path[0].(string); isKey && len(path) == 1 {
		text = asText(project, config.MustMakeKey(key.Namespace(), root), text)
	}
	encrypted, err := encrypter.EncryptValue(context.Background(), text)
	if err != nil {
		return err
	}
	return set(values, key, path, config.NewSecureValue(encrypted))
}

func parseKey(project *workspace.Project, name string) (config.Key, error) {
	if !strings.Contains(name, ":") {
		name = project.Name.String() + ":" + name
	}
	key, err := config.ParseKey(name)
	if err != nil {
		return key, fmt.Errorf("a key is \"name\" or \"namespace:name\": %w", err)
	}
	return key, nil
}

// set puts a value where its path says. A secret's path is in its key.
func set(values config.Map, key config.Key, path resource.PropertyPath, value config.Value) error {
	root, _ := path[0].(string)
	switch there, found := values[config.MustMakeKey(key.Namespace(), root)]; {
	case found && len(path) == 1:
		return errors.New("the value is given twice, with the project in the key and without")
	case found && !there.Object():
		return fmt.Errorf("%s is no list and no object, so nothing can be put into it", root)
	}
	return values.Set(key, value, value.Secure())
}

// plainValue keeps numbers and booleans what they are, and texts by the function it is given.
func plainValue(raw json.RawMessage, asText func(string) string) (config.Value, error) {
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
		return config.NewTypedValue(asText(value), config.TypeString), nil
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
