package ownership_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/ownership"
)

// withEntries is a Deployment with these entries of managedFields.
func withEntries(t *testing.T, annotations string, entries ...string) *unstructured.Unstructured {
	t.Helper()
	text := `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web, team: shop}
  annotations: {` + annotations + `}
  managedFields:
`
	for _, entry := range entries {
		text += "  - {apiVersion: apps/v1, fieldsType: FieldsV1, " + entry + "}\n"
	}
	text += `
spec:
  replicas: 5
  progressDeadlineSeconds: 600
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}
  template:
    spec:
      containers:
      - {name: web, image: "web:2", imagePullPolicy: IfNotPresent, terminationMessagePath: /dev/termination-log}
      - {name: injected, image: "proxy:1"}
`
	content, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	object := &unstructured.Unstructured{}
	require.NoError(t, object.UnmarshalJSON(append([]byte(nil), content...)))
	return object
}

// What one client has sent, and what the API server has recorded of it.
const (
	sentImage  = `f:spec: {f:template: {f:spec: {f:containers: {'k:{"name":"web"}': {.: {}, f:name: {}, f:image: {}}}}}}`
	recordsAll = `f:metadata: {f:annotations: {.: {}, f:kubectl.kubernetes.io/last-applied-configuration: {}}, f:labels: {.: {}, f:app: {}}}, ` +
		`f:spec: {f:replicas: {}, f:progressDeadlineSeconds: {}, f:strategy: {f:type: {}, f:rollingUpdate: {.: {}, f:maxSurge: {}, f:maxUnavailable: {}}}, ` +
		`f:template: {f:spec: {f:containers: {'k:{"name":"web"}': {.: {}, f:name: {}, f:image: {}, f:imagePullPolicy: {}, f:terminationMessagePath: {}}}}}}`
	configured = `kubectl.kubernetes.io/last-applied-configuration: '{"metadata":{"name":"web","labels":{"app":"web"},"annotations":{}},` +
		`"spec":{"replicas":2,"progressDeadlineSeconds":600,"template":{"spec":{"containers":[{"name":"web","image":"web:1"}]}}}}'`
)

func TestWrittenByPeople(t *testing.T) {
	t.Parallel()
	entry := func(manager, operation, subresource, fields string) string {
		return fmt.Sprintf("manager: %s, operation: %s, subresource: %q, fieldsV1: {%s}", manager, operation, subresource, fields)
	}
	const container = "spec.template.spec.containers[name=web]"
	for _, example := range []struct {
		name        string
		annotations string
		entries     []string
		want        []string // nil means that it is not known
	}{
		{
			"what was applied by server-side apply, defaults and all", "",
			[]string{entry("kubectl", "Apply", "", sentImage+", f:metadata: {f:labels: {f:app: {}}}"), entry("kube-controller-manager", "Update", "status", "f:status: {}")},
			[]string{"metadata.labels.app", container, container + ".image", container + ".name"},
		},
		{
			"of a client-side apply, what its configuration has", configured,
			[]string{entry("kubectl-client-side-apply", "Update", "", recordsAll)},
			[]string{
				"metadata.labels", "metadata.labels.app", "spec.progressDeadlineSeconds", "spec.replicas",
				container, container + ".image", container + ".name",
			},
		},
		{
			"of a client-side apply, not the replicas of an autoscaler, but the image that a script has set", configured,
			[]string{
				entry("kubectl-client-side-apply", "Update", "", `f:metadata: {f:annotations: {f:kubectl.kubernetes.io/last-applied-configuration: {}}, f:labels: {f:app: {}}}`),
				entry("kube-controller-manager", "Update", "scale", "f:spec: {f:replicas: {}}"),
				entry("deploy.sh", "Update", "", sentImage),
			},
			[]string{"metadata.labels.app", container, container + ".image", container + ".name"},
		},
		{
			"of a client-side apply, not what the control plane has written since", configured,
			[]string{
				entry("kubectl-client-side-apply", "Update", "", `f:metadata: {f:annotations: {f:kubectl.kubernetes.io/last-applied-configuration: {}}, f:labels: {f:app: {}}}`),
				entry("kube-controller-manager", "Update", "", "f:spec: {f:replicas: {}}"),
			},
			[]string{"metadata.labels.app"},
		},
		{
			"of a create, all but defaults", "",
			[]string{entry("helm", "Update", "", recordsAll)},
			[]string{"metadata.labels", "metadata.labels.app", "spec.replicas", container, container + ".image", container + ".name"},
		},
		{
			"with what people have changed by hand", "",
			[]string{
				entry("helm", "Apply", "", sentImage), entry("kubectl-label", "Update", "", "f:metadata: {f:labels: {f:team: {}}}"),
				entry("kubectl", "Update", "scale", "f:spec: {f:replicas: {}}"), entry("kubectl-rollout", "Update", "", "f:spec: {f:paused: {}}"),
			},
			[]string{"metadata.labels.team", "spec.replicas", container, container + ".image", container + ".name"},
		},
		{
			"not what a webhook or an operator has added", "",
			[]string{
				entry("argocd-controller", "Apply", "", sentImage),
				entry("sidecar-injector", "Update", "", `f:spec: {f:template: {f:spec: {f:containers: {'k:{"name":"injected"}': {.: {}, f:name: {}, f:image: {}}}}}}`),
				entry("k8sconnect-patch-shop.prod.tune-00000000", "Apply", "", "f:metadata: {f:labels: {f:team: {}}}"),
			},
			[]string{container, container + ".image", container + ".name"},
		},
		{
			"not how the Terraform provider k8sconnect marks its objects", `k8sconnect.terraform.io/terraform-id: 0a1b2c, note: a`,
			[]string{entry("k8sconnect", "Apply", "", `f:metadata: {f:annotations: {'f:k8sconnect.terraform.io/terraform-id': {}, f:note: {}}}, `+sentImage)},
			[]string{"metadata.annotations.note", container, container + ".image", container + ".name"},
		},
		{"nothing of what has only a name", "", []string{entry("kubectl-create", "Update", "", "f:spec: {f:progressDeadlineSeconds: {}}")}, []string{}},
		{"not known of what nobody known has made", "", []string{entry("operator", "Update", "", recordsAll), entry("kubectl-label", "Update", "", "f:metadata: {f:labels: {f:team: {}}}")}, nil},
		{"not known without managed fields", "", nil, nil},
		{
			"whatever the version in which the control plane writes", "",
			[]string{entry("kubectl", "Apply", "", sentImage), "manager: kube-controller-manager, operation: Update, subresource: status, fieldsV1: {f:status: {}}, apiVersion: apps/v2"},
			[]string{container, container + ".image", container + ".name"},
		},
		{"not known where another client writes in another version", "", []string{entry("kubectl", "Apply", "", sentImage), "manager: deploy.sh, operation: Update, fieldsV1: {" + sentImage + "}, apiVersion: apps/v2"}, nil},
		{"not known in another version", "", []string{"manager: kubectl, operation: Apply, fieldsV1: {" + sentImage + "}, apiVersion: apps/v1beta1"}, nil},
	} {
		t.Run(example.name+" [M51]", func(t *testing.T) {
			t.Parallel()
			object := withEntries(t, example.annotations, example.entries...)
			fields, known, err := ownership.WrittenByPeople(object)
			require.NoError(t, err)
			assert.Equal(t, example.want != nil, known)
			if known {
				assert.ElementsMatch(t, example.want, formatted(fields))
			}
		})
	}
}

func formatted(fields *fieldpath.Set) []string {
	var paths []string
	fields.Iterate(func(path fieldpath.Path) { paths = append(paths, ownership.Format(path)) })
	return paths
}

func TestWhoHasMadeAnObject(t *testing.T) {
	t.Parallel()
	for manager, made := range map[string]bool{
		"kubectl": true, "kubectl-client-side-apply": true, "kubectl-create": true, "helm": true, "Terraform": true, "HashiCorp": true,
		"pulumi-kubernetes-1a2b3c4d": true, "kustomize-controller": true, "argocd-controller": true, "k8sconnect-shop.prod.web-00000000": true,
		"kubectl-edit": false, "kubectl-rollout": false, "kube-controller-manager": false, "k8sconnect-patch-shop.prod.web-00000000": false,
		"helmet": false, "operator": false, "OpenAPI-Generator": false,
	} {
		object := withEntries(t, "", fmt.Sprintf("manager: %s, operation: Apply, fieldsV1: {%s}", manager, sentImage))
		assert.Equal(t, made, ownership.IsMadeByPeople(object), "%s [M51]", manager)
	}
	object := withEntries(t, "", "manager: kubectl, operation: Update, subresource: scale, fieldsV1: {f:spec: {f:replicas: {}}}")
	assert.False(t, ownership.IsMadeByPeople(object), "scaling makes nothing")
	object = withEntries(t, "", "manager: operator, operation: Update, fieldsV1: {f:spec: {f:replicas: {}}}",
		"manager: kube-controller-manager, operation: Update, fieldsV1: {f:spec: {f:paused: {}}}")
	assert.Equal(t, []string{"operator"}, ownership.OtherManagers(object))
}
