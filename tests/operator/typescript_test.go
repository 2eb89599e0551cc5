package operator

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/kubelet"
)

// typeScript is the folder of the program, with its class.
const typeScript = "../../examples/operator/languages/nodejs"

var webService = schema.GroupVersionKind{Group: "apps.platform.example.com", Version: "v1alpha1", Kind: "WebService"}

// nodejsImage is the image with the program in TypeScript, as "make operator-image-nodejs" leaves it.
func nodejsImage() (name string, image kubelet.Image, err error) {
	return kubelet.ReadImage(filepath.Join(binaries(), "operator-image-nodejs.tar"), filepath.Join(binaries(), "operator-nodejs-root"))
}

// typeScriptImage is how a class names that image. The test is skipped where it cannot be made.
func typeScriptImage(t *testing.T) string {
	t.Helper()
	needsNode(t)
	if onRealNode() {
		t.Skip("a real node finds an image by its digest only if a registry has it")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not on the PATH, and the image with Node is made by it")
	}
	name, image, err := nodejsImage()
	require.NoError(t, err, `run "make operator-image-nodejs" first`)
	return name + "@" + image.Digest
}

func TestAClassInTypeScript(t *testing.T) {
	t.Parallel()
	image := typeScriptImage(t)
	s := with(t)
	runs := s.cluster.Namespace(t)
	s.run("apply", "-n", runs, "-f", runner)
	manifest, err := os.ReadFile(filepath.Join(typeScript, "class.yaml"))
	require.NoError(t, err)
	text := regexp.MustCompile(`registry\.example\.com/\S+`).ReplaceAllString(string(manifest), image)
	file := filepath.Join(t.TempDir(), "class.yaml")
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(text, platform, runs)), 0o600))
	s.run("apply", "-f", file)
	s.run("wait", "environmentclass/webservice", "--for=condition=Ready", "--timeout=60s")
	s.run("label", "namespace", s.namespace, "tenant=true")
	t.Cleanup(func() {
		if t.Failed() {
			s.explain()
			(&surroundings{T: t, cluster: s.cluster, node: s.node, client: s.client, namespace: runs}).explain()
		}
	})

	user, err := s.cluster.AddUser("developer-of-" + s.namespace)
	require.NoError(t, err)
	tenant := s.permit(user, rbacv1.PolicyRule{APIGroups: []string{webService.Group}, Resources: []string{"webservices"}, Verbs: []string{"*"}})
	object := func(spec fields) *unstructured.Unstructured {
		object := &unstructured.Unstructured{Object: fields{"spec": spec}}
		object.SetGroupVersionKind(webService)
		object.SetNamespace(s.namespace)
		object.SetName("shop")
		return object
	}
	shown := func() (shown status) {
		read := object(nil)
		require.NoError(t, tenant.client.Get(t.Context(), client.ObjectKeyFromObject(read), read))
		encoded, err := json.Marshal(read.Object["status"])
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(encoded, &shown))
		return shown
	}
	host := "http://shop." + s.namespace

	s.eventually(func() bool {
		return tenant.client.Create(t.Context(), object(fields{"image": "shop:1.4", "ports": fields{"http": int64(80)}})) == nil
	}, "the role is known")
	s.eventually(func() bool { return shown().condition("Ready").Status == "True" }, "it is Ready")
	assert.Equal(t, fields{"urls": fields{"http": host + ":80"}}, shown().Outputs)
	made := s.configMap("shop-settings")
	assert.Equal(t, map[string]string{"image": "shop:1.4", "ports": "http"}, made.Data)

	t.Run("a change of the object is one update in place", func(t *testing.T) {
		patch := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"ports":{"metrics":9100}}}`))
		require.NoError(t, tenant.client.Patch(t.Context(), object(nil), patch))
		s.eventually(func() bool {
			return assert.ObjectsAreEqual(fields{"urls": fields{"http": host + ":80", "metrics": host + ":9100"}}, shown().Outputs)
		}, "the outputs are the new ones")
		s.eventually(func() bool { return shown().condition("Ready").Status == "True" }, "it is Ready")
		after := s.configMap("shop-settings")
		assert.Equal(t, "http,metrics", after.Data["ports"])
		assert.Equal(t, made.UID, after.UID)
		service := &corev1.Service{}
		require.NoError(t, s.client.Get(t.Context(), client.ObjectKey{Namespace: s.namespace, Name: "shop"}, service))
		assert.Len(t, service.Spec.Ports, 2)
	})
	t.Run("its deletion leaves nothing", func(t *testing.T) {
		require.NoError(t, tenant.client.Delete(t.Context(), object(nil)))
		s.eventually(func() bool {
			read := object(nil)
			return apierrors.IsNotFound(tenant.client.Get(t.Context(), client.ObjectKeyFromObject(read), read))
		}, "it is gone")
		assert.Nil(t, s.configMap("shop-settings"))
		s.run("delete", "environmentclass", "webservice", "--timeout=60s")
	})
}

// addNodejsImage adds the image with the program in TypeScript to those of a played node, if it was made.
func addNodejsImage(images map[string]kubelet.Image) error {
	name, image, err := nodejsImage()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	images[name] = image
	return err
}
