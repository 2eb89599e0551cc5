package converter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// stateVersion is the version of the state files that Terraform since 0.12 and OpenTofu write.
const stateVersion = 4

// terraformState is what a state file says about Kubernetes.
type terraformState struct {
	objects  []stateObject
	releases []stateRelease
	// parts are the addresses of resources that are no objects of their own, and unclear those that do not say which
	// object they are.
	parts, unclear []string
	// others are the numbers of the resources of other providers, by provider.
	others map[string]int
}

// stateObject is an object in a state. That of a kind with a resource type of its own says no apiVersion and kind; then
// typed is the resource type.
type stateObject struct {
	wanted
	typed string
}

// stateFile is the part of a state file that is read. FormatVersion and Encrypted tell other files that people take for one.
type stateFile struct {
	Version       json.Number     `json:"version"`
	FormatVersion string          `json:"format_version"` // terraform show -json
	Encrypted     json.RawMessage `json:"encrypted_data"` // OpenTofu
	Resources     []struct {
		Module    string          `json:"module"`
		Mode      string          `json:"mode"`
		Type      string          `json:"type"`
		Name      string          `json:"name"`
		Instances []stateInstance `json:"instances"`
	} `json:"resources"`
}

type stateInstance struct {
	IndexKey any `json:"index_key"`
	// Deposed marks an object that Terraform has replaced, and has not deleted yet.
	Deposed    string         `json:"deposed"`
	Attributes map[string]any `json:"attributes"`
}

// partsOfObjects are the resource types that are no object: they change or read one that belongs to another resource.
var partsOfObjects = map[string]bool{
	"kubernetes_labels": true, "kubernetes_annotations": true, "kubernetes_env": true, "kubernetes_node_taint": true,
	"kubernetes_config_map_v1_data": true, "kubernetes_secret_v1_data": true, "kubernetes_token_request_v1": true,
	"kubernetes_default_service_account": true, "kubernetes_default_service_account_v1": true,
	"k8sconnect_patch": true, "k8sconnect_wait": true, "kubectl_server_version": true,
}

// readTerraformState reads a state file. Its errors quote nothing of it, since it may hold secrets.
func readTerraformState(content []byte) (terraformState, error) {
	state := terraformState{others: map[string]int{}}
	file, err := decodeStateFile(content)
	if err != nil {
		return state, err
	}
	for _, r := range file.Resources {
		if r.Mode != "managed" {
			continue
		}
		for _, instance := range r.Instances {
			state.add(r.Type, addressOf(r.Module, r.Type, r.Name, instance.IndexKey), instance)
		}
	}
	return state, nil
}

// add sorts one instance of a resource.
func (s *terraformState) add(resourceType, address string, instance stateInstance) {
	prefix, _, _ := strings.Cut(resourceType, "_")
	switch attributes := instance.Attributes; {
	case resourceType == "helm_release":
		s.releases = append(s.releases, stateRelease{address, textAt(attributes, "name"), textAt(attributes, "namespace")})
	case prefix != "kubernetes" && prefix != "kubectl" && prefix != "k8sconnect":
		s.others[prefix]++
	case partsOfObjects[resourceType]:
		s.parts = append(s.parts, address)
	default:
		object := objectIn(resourceType, attributes)
		object.address = address
		if object.isClear() && instance.Deposed == "" {
			s.objects = append(s.objects, object)
		} else {
			s.unclear = append(s.unclear, address)
		}
	}
}

// isClear reports whether the state says which object it is.
func (o stateObject) isClear() bool {
	return o.Name != "" && (o.typed != "" || o.APIVersion != "" && o.Kind != "")
}

// decodeStateFile decodes the JSON, or says what the file is instead of a state.
func decodeStateFile(content []byte) (stateFile, error) {
	var file stateFile
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber() // an error would quote a number that is too large
	switch err := decoder.Decode(&file); {
	case bytes.HasPrefix(content, []byte("PK\x03\x04")):
		return file, failure.Errorf(failure.ReasonInvalid, "it is an archive, such as a saved plan")
	case err != nil:
		return file, failure.Errorf(failure.ReasonInvalid, "it is not JSON in the form of a state; a configuration is not one")
	case len(file.Encrypted) > 0:
		return file, failure.Errorf(failure.ReasonInvalid, "OpenTofu has encrypted it")
	case file.FormatVersion != "":
		return file, failure.Errorf(failure.ReasonInvalid, "it is what `terraform show -json` prints")
	case file.Version == "":
		return file, failure.Errorf(failure.ReasonInvalid, "it has no version")
	case file.Version.String() != strconv.Itoa(stateVersion):
		return file, failure.Errorf(failure.ReasonInvalid, "its version is not %d, which Terraform 0.12 and later write", stateVersion)
	}
	return file, nil
}

// objectIn reads which object an instance is.
func objectIn(resourceType string, attributes map[string]any) stateObject {
	switch resourceType {
	case "kubernetes_manifest":
		for _, name := range []string{"object", "manifest"} {
			value, _ := attributes[name].(map[string]any)
			if inner, typed := value["value"].(map[string]any); typed { // Terraform writes the type beside a value of any type
				value = inner
			}
			if id := manifest.IdentityOf(value); id.Name != "" {
				return stateObject{wanted: wanted{Identity: id}}
			}
		}
		return stateObject{}
	case "kubectl_manifest":
		object := stateObject{wanted: wanted{Identity: referenceIn(attributes), uid: types.UID(textAt(attributes, "live_uid"))}}
		if object.Name == "" {
			object.Identity = identityInYAML(attributes)
		}
		return object
	case "k8sconnect_object":
		reference, _ := attributes["object_ref"].(map[string]any)
		object := stateObject{wanted: wanted{Identity: referenceIn(reference)}}
		if object.Name == "" {
			object.Identity = identityInYAML(attributes)
		}
		return object
	}
	object := stateObject{typed: resourceType}
	if list, _ := attributes["metadata"].([]any); len(list) > 0 {
		metadata, _ := list[0].(map[string]any)
		object.Name, object.Namespace = textAt(metadata, "name"), textAt(metadata, "namespace")
		object.uid = types.UID(textAt(metadata, "uid"))
	}
	if object.Name == "" {
		namespace, name, namespaced := strings.Cut(textAt(attributes, "id"), "/")
		if !namespaced {
			namespace, name = "", namespace
		}
		object.Namespace, object.Name = namespace, name
	}
	return object
}

func referenceIn(attributes map[string]any) manifest.Identity {
	return manifest.Identity{
		APIVersion: textAt(attributes, "api_version"), Kind: textAt(attributes, "kind"),
		Namespace: textAt(attributes, "namespace"), Name: textAt(attributes, "name"),
	}
}

// identityInYAML reads the text of the manifest.
func identityInYAML(attributes map[string]any) manifest.Identity {
	var object map[string]any
	if yaml.Unmarshal([]byte(textAt(attributes, "yaml_body")), &object) != nil {
		return manifest.Identity{}
	}
	return manifest.IdentityOf(object)
}

func textAt(attributes map[string]any, name string) string {
	text, _ := attributes[name].(string)
	return text
}

// addressOf is how Terraform writes the address of an instance: module.shop["eu"].kubernetes_manifest.web[0].
func addressOf(module, resourceType, name string, key any) string {
	address := resourceType + "." + name
	if module != "" {
		address = module + "." + address
	}
	switch key := key.(type) {
	case string:
		address += "[" + strconv.Quote(key) + "]"
	case json.Number:
		address += fmt.Sprintf("[%s]", key)
	}
	return address
}
