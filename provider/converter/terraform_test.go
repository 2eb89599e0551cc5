package converter

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/manifest"
)

// stateWith is a state of Terraform with these resources.
func stateWith(resources string) []byte {
	return []byte(`{"version": 4, "terraform_version": "1.9.8", "resources": [` + resources + `]}`)
}

// stateWithOne is a state with one resource with these attributes.
func stateWithOne(resourceType, attributes string) []byte {
	return stateWith(`{"mode": "managed", "type": "` + resourceType + `", "name": "x", "instances": [{"attributes": ` + attributes + `}]}`)
}

func TestAStateOfTerraform(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("testdata/terraform.tfstate")
	require.NoError(t, err)
	state, err := readTerraformState(content)
	require.NoError(t, err)
	var addresses []string
	for _, object := range state.objects {
		addresses = append(addresses, object.address)
	}
	assert.Equal(t, []string{
		"kubernetes_manifest.web", `module.shop["eu"].module.config.kubernetes_config_map_v1.settings["a.b"]`, "kubernetes_service.web[0]",
		"kubernetes_cron_job.report", "kubectl_manifest.account", "k8sconnect_object.reader", "kubernetes_secret.password",
		"kubernetes_config_map.gone", "kubernetes_config_map.elsewhere", "kubernetes_pod_security_policy.old",
	}, addresses, "[M56]")
	assert.Equal(t, []string{"kubernetes_labels.team", "k8sconnect_patch.tune"}, state.parts, "[M58]")
	assert.Equal(t, []stateRelease{{"helm_release.redis", "redis", "SPACE"}}, state.releases, "[M58]")
	assert.Equal(t, map[string]int{"random": 1, "aws": 2}, state.others, "[M58]")
	assert.Empty(t, state.unclear)
	assert.NotContains(t, strings.Join(state.notes(nil), ""), "swordfish", "[M58]")
}

func TestWhichObjectAStateNames(t *testing.T) {
	t.Parallel()
	web := manifest.Identity{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web"}
	typed := manifest.Identity{Namespace: "shop", Name: "web"}
	const written = `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}}`
	for _, example := range []struct {
		name, resourceType, attributes string
		want                           manifest.Identity
		uid                            types.UID
	}{
		{"a manifest with the type of its value", "kubernetes_manifest", `{"manifest": {"value": ` + written + `, "type": ["object", {}]}}`, web, ""},
		{"a manifest without", "kubernetes_manifest", `{"manifest": ` + written + `}`, web, ""},
		{"what the API server has made of it", "kubernetes_manifest", `{"manifest": {"kind": "Deployment"}, "object": {"value": ` + written + `}}`, web, ""},
		{"a manifest of the provider kubectl", "kubectl_manifest", `{"api_version": "apps/v1", "kind": "Deployment", "name": "web", "namespace": "shop", "uid": "u", "live_uid": "v"}`, web, "v"},
		{"as text", "kubectl_manifest", `{"yaml_body": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}"}`, web, ""},
		{"a k8sconnect_object", "k8sconnect_object", `{"object_ref": {"api_version": "apps/v1", "kind": "Deployment", "name": "web", "namespace": "shop"}}`, web, ""},
		{"as text, too", "k8sconnect_object", `{"object_ref": null, "yaml_body": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}"}`, web, ""},
		{"a resource of its own type", "kubernetes_deployment", `{"id": "other/other", "metadata": [{"name": "web", "namespace": "shop", "uid": "u"}]}`, typed, "u"},
		{"by its ID alone", "kubernetes_deployment", `{"id": "shop/web"}`, typed, ""},
		{"without a namespace", "kubernetes_cluster_role", `{"id": "web", "metadata": null}`, manifest.Identity{Name: "web"}, ""},
		{"nothing", "kubernetes_manifest", `null`, manifest.Identity{}, ""},
		{"nothing but a name", "kubernetes_manifest", `{"manifest": {"metadata": {"name": "web"}}}`, manifest.Identity{}, ""},
		{"text that is no manifest", "kubectl_manifest", `{"yaml_body": "a: ["}`, manifest.Identity{}, ""},
		{"attributes of another form", "kubernetes_deployment", `{"metadata": [1], "id": 2}`, manifest.Identity{}, ""},
	} {
		t.Run(example.name+" [M56]", func(t *testing.T) {
			t.Parallel()
			state, err := readTerraformState(stateWithOne(example.resourceType, example.attributes))
			require.NoError(t, err)
			if example.want.Name == "" {
				assert.Equal(t, []string{example.resourceType + ".x"}, state.unclear)
				assert.Empty(t, state.objects)
				return
			}
			require.Len(t, state.objects, 1)
			assert.Equal(t, wanted{Identity: example.want, address: example.resourceType + ".x", uid: example.uid}, state.objects[0].wanted)
		})
	}
	t.Run("not what Terraform has replaced, and is about to delete [M58]", func(t *testing.T) {
		t.Parallel()
		state, err := readTerraformState(stateWith(`{"mode": "managed", "type": "kubernetes_deployment", "name": "x", "instances": [
			{"attributes": {"id": "shop/web"}}, {"deposed": "0a1b2c3d", "attributes": {"id": "shop/old"}}]}`))
		require.NoError(t, err)
		require.Len(t, state.objects, 1)
		assert.Equal(t, "web", state.objects[0].Name)
		assert.Equal(t, []string{"kubernetes_deployment.x"}, state.unclear)
	})
}

func TestWhatIsNoStateOfTerraform(t *testing.T) {
	t.Parallel()
	for _, example := range []struct{ name, content, says string }{
		{"a saved plan", "PK\x03\x04\x14\x00", "a saved plan"},
		{"a configuration", `resource "kubernetes_manifest" "swordfish" {}`, "a configuration is not one"},
		{"an empty file", "", "not JSON"},
		{"a list", `["swordfish"]`, "not JSON in the form of a state"},
		{"a state that OpenTofu has encrypted", `{"serial": 1, "lineage": "a", "meta": {"key_provider.pbkdf2.a": "swordfish"}, "encrypted_data": "swordfish", "encryption_version": "v0"}`, "OpenTofu has encrypted it"},
		{"what terraform show prints", `{"format_version": "1.0", "terraform_version": "1.9.8", "values": {"root_module": {}}}`, "`terraform show -json` prints"},
		{"a state of an old version", `{"version": 3, "modules": []}`, "its version is not 4"},
		{"a state of a new version", `{"version": 5}`, "its version is not 4"},
		{"another file", `{}`, "it has no version"},
		{"a version that is no number", `{"version": "swordfish"}`, "not JSON in the form of a state"},
	} {
		t.Run(example.name+" [M56]", func(t *testing.T) {
			t.Parallel()
			_, err := readTerraformState([]byte(example.content))
			require.ErrorContains(t, err, example.says)
			assert.NotContains(t, err.Error(), "swordfish")
		})
	}
}

func TestTheKindOfAResourceType(t *testing.T) {
	t.Parallel()
	served := func(group, version, kind string) cluster.ServedKind {
		s := cluster.ServedKind{}
		s.Group, s.Version, s.Kind = group, version, kind
		return s
	}
	all := []cluster.ServedKind{
		served("serving.knative.dev", "v1", "Service"), served("", "v1", "Service"), served("", "v1", "ConfigMap"), served("", "v1", "Endpoints"),
		served("apps", "v1", "DaemonSet"), served("apiregistration.k8s.io", "v1", "APIService"), served("storage.k8s.io", "v1", "CSIDriver"),
		served("batch", "v1", "CronJob"), served("autoscaling", "v2", "HorizontalPodAutoscaler"), served("gateway.networking.k8s.io", "v1", "Gateway"),
	}
	for resourceType, want := range map[string]string{
		"kubernetes_service":                           "v1 Service",
		"kubernetes_config_map_v1":                     "v1 ConfigMap",
		"kubernetes_endpoints":                         "v1 Endpoints",
		"kubernetes_daemonset":                         "apps/v1 DaemonSet",
		"kubernetes_daemon_set_v1":                     "apps/v1 DaemonSet",
		"kubernetes_api_service":                       "apiregistration.k8s.io/v1 APIService",
		"kubernetes_csi_driver_v1":                     "storage.k8s.io/v1 CSIDriver",
		"kubernetes_cron_job":                          "batch/v1 CronJob",
		"kubernetes_horizontal_pod_autoscaler":         "autoscaling/v1 HorizontalPodAutoscaler",
		"kubernetes_horizontal_pod_autoscaler_v2":      "autoscaling/v2 HorizontalPodAutoscaler",
		"kubernetes_horizontal_pod_autoscaler_v2beta2": "autoscaling/v2beta2 HorizontalPodAutoscaler",
		"kubernetes_gateway_v1":                        "",
		"kubernetes_pod_security_policy":               "",
		"kubernetes_config_map_v1_binary":              "",
	} {
		apiVersion, kind, known := kindOf(resourceType, all)
		assert.Equal(t, want != "", known, resourceType+" [M56]")
		assert.Equal(t, want, strings.TrimSpace(apiVersion+" "+kind), resourceType+" [M56]")
	}
}

func TestHowTerraformForgets(t *testing.T) {
	t.Parallel()
	object := manifest.Identity{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "a"}
	text := forgetting(selection{objects: []manifest.Identity{object}, addresses: map[manifest.Identity]string{object: `kubernetes_manifest.a["it's"]`}})
	assert.True(t, strings.HasSuffix(text, `: terraform state rm 'kubernetes_manifest.a["it'\''s"]'`), text+" [M59]")
}

func FuzzReadTerraformState(f *testing.F) {
	content, err := os.ReadFile("testdata/terraform.tfstate")
	require.NoError(f, err)
	f.Add(content)
	f.Add(stateWithOne("kubectl_manifest", `{"yaml_body": "a: [{"}`))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, content []byte) {
		state, err := readTerraformState(content)
		for _, object := range state.objects {
			if err != nil || object.Name == "" || object.address == "" || object.typed == "" && object.Kind == "" {
				t.Fatalf("an object without its name or address: %v", err)
			}
		}
	})
}
