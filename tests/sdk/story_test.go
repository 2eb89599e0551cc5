package sdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

func TestStoryInGo(t *testing.T) {
	selected(t, "go")
	t.Parallel()
	p := goPrograms.get(t)
	tell(t, inline(p.path("bin/story")))
}

func TestStoryInTypeScript(t *testing.T) {
	selected(t, "nodejs")
	t.Parallel()
	p := nodePrograms.get(t)
	tell(t, inline("node", p.path("compiled/story.js")))
}

func TestStoryInPython(t *testing.T) {
	selected(t, "python")
	t.Parallel()
	p := pythonPrograms.get(t)
	tell(t, inline(p.path("venv/bin/python"), p.path("story.py")))
}

func TestStoryInYAML(t *testing.T) {
	t.Parallel()
	program, err := template.ParseFiles(filepath.Join("testdata", "story.yaml.tmpl"))
	require.NoError(t, err)
	tell(t, folder(func(t *testing.T, s *story) {
		var text strings.Builder
		require.NoError(t, program.Execute(&text, struct {
			storyInputs
			Project string
		}{s.storyInputs, s.project}))
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, "Pulumi.yaml"), []byte(text.String()), 0o600))
	}))
}

func TestStoryInJava(t *testing.T) {
	selected(t, "java")
	t.Parallel()
	p := javaPrograms.get(t)
	tell(t, folder(func(t *testing.T, s *story) {
		inputs, err := json.Marshal(s.storyInputs)
		require.NoError(t, err)
		s.env["STORY"], s.env["JAVA_TOOL_OPTIONS"] = string(inputs), shortLived
		require.NoError(t, os.WriteFile(filepath.Join(s.dir, "Pulumi.yaml"),
			fmt.Appendf(nil, "name: %s\nruntime: {name: java, options: {binary: %q}}\n", s.project, p.path("story.jar")), 0o600))
	}))
}

// storyToken is what must not be seen anywhere.
const storyToken = "hush-hush-hush"

// storyInputs are what differs from step to step.
type storyInputs struct {
	Space    string   `json:"space"`  // the namespace that is made
	Others   string   `json:"others"` // a namespace of someone else, with an object in it
	Image    string   `json:"image"`
	Timeout  string   `json:"timeout"` // of the wait for the rollout
	Token    string   `json:"token"`
	Releases []string `json:"releases"` // objects that are made after the rollout
}

// storyResult is what the program knows after a step.
type storyResult struct {
	Changes map[string]int         `json:"changes"`
	Printed string                 `json:"printed"`
	Outputs map[string]storyOutput `json:"outputs"`
}

type storyOutput struct {
	Value  any  `json:"value"`
	Secret bool `json:"secret"`
}

// story is a program with its stack.
type story struct {
	storyInputs
	client  kubernetes.Interface
	teller  teller
	tools   cli.Tools
	project string
	dir     string
	backend string
	env     map[string]string
}

func newStory(t *testing.T, by teller) *story {
	t.Helper()
	c := workloads.Get(t)
	others := c.Namespace(t)
	s := &story{
		storyInputs: storyInputs{
			Space: "story-of-" + others, Others: others, Image: "web:1", Timeout: "2m",
			Token: storyToken, Releases: []string{"first"},
		},
		client: c.Client(), teller: by,
		project: "story-" + strings.ToLower(strings.TrimPrefix(t.Name(), "TestStoryIn")),
		dir:     t.TempDir(), backend: t.TempDir(),
	}
	for _, tool := range []string{"pulumi", "pulumi-resource-k8sconnect"} {
		_, err := cluster.Tool(tool)
		require.NoError(t, err)
	}
	var err error
	s.tools, err = cli.Prepare(t.TempDir(), nil)
	require.NoError(t, err)
	s.env = s.tools.Environment(s.backend, c.KubeconfigFile())
	// Each command is several short processes, which need not collect their garbage.
	s.env["GOGC"], s.env["GOMEMLIMIT"] = "off", "400MiB"
	s.kubectl(t, c, `{apiVersion: v1, kind: ConfigMap, metadata: {name: tenants}, data: {region: north, newest: nobody}}`)
	t.Cleanup(func() {
		err := s.client.CoreV1().Namespaces().Delete(context.Background(), s.Space, metav1.DeleteOptions{})
		if !apierrors.IsNotFound(err) {
			assert.NoError(t, err, "tidying up")
		}
	})
	return s
}

// kubectl applies an object of someone else.
func (s *story) kubectl(t *testing.T, c *cluster.Cluster, manifest string) {
	t.Helper()
	kubectl, err := cluster.Tool("kubectl")
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), kubectl, "--kubeconfig", c.KubeconfigFile(), "--namespace", s.Others, "apply", "-f", "-")
	command.Stdin = strings.NewReader(manifest)
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// do wants a step to succeed.
func (s *story) do(t *testing.T, step string) storyResult {
	t.Helper()
	began := time.Now()
	result, said, err := s.teller(t, s, step)
	require.NoError(t, err, "%s: %s", step, said)
	assert.NotContains(t, said, s.Token)
	t.Logf("%s: %v after %v", step, result.Changes, time.Since(began).Round(time.Millisecond))
	return result
}

func (s *story) web(t *testing.T) *appsv1.Deployment {
	t.Helper()
	web, err := s.client.AppsV1().Deployments(s.Space).Get(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err)
	return web
}

func (s *story) tenants(t *testing.T) map[string]string {
	t.Helper()
	tenants, err := s.client.CoreV1().ConfigMaps(s.Others).Get(t.Context(), "tenants", metav1.GetOptions{})
	require.NoError(t, err)
	return tenants.Data
}

// releases are the images of the objects that are made after the rollout.
func (s *story) releases(t *testing.T) map[string]string {
	t.Helper()
	found, err := s.client.CoreV1().ConfigMaps(s.Space).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	images := map[string]string{}
	for _, release := range found.Items {
		if image, ours := release.Data["image"]; ours {
			images[release.Name] = image
		}
	}
	return images
}

// ready says of the pods with an image what a kubelet says when they run.
func ready(t *testing.T, client kubernetes.Interface, namespace, image string) {
	t.Helper()
	pods := client.CoreV1().Pods(namespace)
	list, err := pods.List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for _, pod := range list.Items {
		if pod.Spec.Containers[0].Image == image {
			_, err := pods.Patch(t.Context(), pod.Name, types.MergePatchType, []byte(
				`{"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}`), metav1.PatchOptions{}, "status")
			require.NoError(t, err)
		}
	}
}

// step is a part of the story: where it fails, the rest is not told.
func step(t *testing.T, name string, run func(t *testing.T)) {
	t.Helper()
	if !t.Run(name, run) {
		t.FailNow()
	}
}

// tell tells the story, which is the same in every language.
func tell(t *testing.T, by teller) {
	s := newStory(t, by)
	var made *appsv1.Deployment

	step(t, "a preview of all new knows that a value is unknown, and writes nothing", func(t *testing.T) {
		preview := s.do(t, "preview")
		assert.Equal(t, map[string]int{"create": 8}, preview.Changes, "the stack, namespace, token, cluster, web, rolled-out, first, registered")
		assert.Contains(t, preview.Printed, "value: [unknown]")
		// Some languages see nothing of an output of which a part is unknown: the name of the namespace is in one.
		hidden := regexp.MustCompile(`^TestStoryIn(Go|Java)/`).MatchString(t.Name())
		assert.Equal(t, hidden, strings.Contains(preview.Printed, "namespace: [unknown]"))
		_, err := s.client.CoreV1().Namespaces().Get(t.Context(), s.Space, metav1.GetOptions{})
		assert.True(t, apierrors.IsNotFound(err), "%v", err)
		assert.Equal(t, "nobody", s.tenants(t)["newest"])
	})

	step(t, "up makes it all, what follows the rollout after the rollout", func(t *testing.T) {
		up := s.do(t, "up")
		assert.Equal(t, map[string]int{"create": 8}, up.Changes)
		namespace, err := s.client.CoreV1().Namespaces().Get(t.Context(), s.Space, metav1.GetOptions{})
		require.NoError(t, err)
		made = s.web(t)
		assert.Equal(t, []corev1.EnvVar{{Name: "TENANT", Value: string(namespace.UID)}}, made.Spec.Template.Spec.Containers[0].Env)
		assert.Equal(t, int32(2), made.Status.AvailableReplicas)
		assert.Equal(t, map[string]string{"first": "web:1"}, s.releases(t))
		assert.Equal(t, map[string]string{"region": "north", "newest": s.Space}, s.tenants(t))

		assert.Equal(t, "north", up.Outputs["region"].Value)
		assert.Equal(t, string(made.UID), up.Outputs["uid"].Value)
		assert.False(t, up.Outputs["uid"].Secret)
		assert.Equal(t, map[string]any{"data.newest": "kubectl-client-side-apply"}, up.Outputs["previousOwners"].Value)
		assert.Equal(t, storyToken, up.Outputs["token"].Value)
		assert.True(t, up.Outputs["token"].Secret)
	})

	step(t, "a secret value reaches the cluster and is secret everywhere else", func(t *testing.T) {
		live, err := s.client.CoreV1().Secrets(s.Space).Get(t.Context(), "token", metav1.GetOptions{})
		require.NoError(t, err)
		assert.Equal(t, storyToken, string(live.Data["token"]))
		manifest, _ := s.state(t)["token"]["manifest"].(map[string]any)
		data, _ := manifest["stringData"].(map[string]any)
		assert.Contains(t, data, "ciphertext")
		s.assertNotSaved(t, storyToken)
	})

	step(t, "the values of enums are their words [E5]", func(t *testing.T) {
		inputs := s.inputs(t)
		assert.Equal(t, "preview", inputs["cluster"]["driftDetection"])
		assert.Equal(t, []any{"force", "Foreground", "fail"},
			[]any{inputs["web"]["conflictPolicy"], inputs["web"]["deletionPropagation"], inputs["web"]["onImmutable"]})
		assert.Equal(t, "leave", inputs["registered"]["onDestroy"])
	})

	step(t, "a preview of the same has no changes", func(t *testing.T) {
		assert.Equal(t, map[string]int{"same": 8}, s.do(t, "preview").Changes)
	})

	step(t, "drift is in the preview: of an object, and of a patch", func(t *testing.T) {
		_, err := s.client.AppsV1().Deployments(s.Space).Patch(t.Context(), "web", types.MergePatchType,
			[]byte(`{"spec": {"replicas": 3}}`), metav1.PatchOptions{FieldManager: "someone"})
		require.NoError(t, err)
		_, err = s.client.CoreV1().ConfigMaps(s.Others).Patch(t.Context(), "tenants", types.MergePatchType,
			[]byte(`{"data": {"newest": "someone"}}`), metav1.PatchOptions{FieldManager: "someone"})
		require.NoError(t, err)
		preview := s.do(t, "preview")
		assert.Equal(t, 3, preview.Changes["update"], "web, rolled-out, which waits for it again, and registered: %s", preview.Printed)
		assert.Contains(t, preview.Printed, "3 => 2")
		assert.Contains(t, preview.Printed, `"someone" => "`+s.Space+`"`)
		assert.Equal(t, int32(3), *s.web(t).Spec.Replicas, "a preview writes nothing")
	})

	step(t, "a refresh takes it into the state and leaves the cluster alone", func(t *testing.T) {
		assert.Equal(t, 2, s.do(t, "refresh").Changes["update"])
		manifest, _ := s.state(t)["web"]["manifest"].(map[string]any)
		spec, _ := manifest["spec"].(map[string]any)
		assert.EqualValues(t, 3, spec["replicas"])
		assert.Equal(t, int32(3), *s.web(t).Spec.Replicas)
		assert.Equal(t, "someone", s.tenants(t)["newest"])
	})

	step(t, "an update changes what was asked for and puts the drift right, in place", func(t *testing.T) {
		s.Image = "web:2"
		up := s.do(t, "up")
		assert.Equal(t, 4, up.Changes["update"], "web, rolled-out, first and registered: %s", up.Printed)
		web := s.web(t)
		assert.Equal(t, made.UID, web.UID)
		assert.Equal(t, int32(2), *web.Spec.Replicas)
		assert.Equal(t, "web:2", web.Spec.Template.Spec.Containers[0].Image)
		assert.Equal(t, web.Generation, web.Status.ObservedGeneration)
		assert.Equal(t, int32(2), web.Status.UpdatedReplicas)
		assert.Equal(t, map[string]string{"first": "web:2"}, s.releases(t))
		assert.Equal(t, s.Space, s.tenants(t)["newest"])
	})

	step(t, "a failed wait fails the update, and what depends on it is not made", func(t *testing.T) {
		s.Image, s.Timeout, s.Releases = missingImage, "3s", []string{"first", "second"}
		_, said, err := s.teller(t, s, "up")
		require.Error(t, err, said)
		assert.NotContains(t, said, s.Token)
		assert.Contains(t, said, "rollout")
		assert.Contains(t, said, "3s")
		assert.Equal(t, made.UID, s.web(t).UID)
		assert.Equal(t, missingImage, s.web(t).Spec.Template.Spec.Containers[0].Image)
		assert.Equal(t, map[string]string{"first": "web:2"}, s.releases(t))
		saved := s.state(t)
		assert.Equal(t, true, saved["rolled-out"]["__pendingWait"])
		assert.NotContains(t, saved, "second")
	})

	step(t, "when the cluster is well again, so is the next update, in place", func(t *testing.T) {
		failed := s.web(t)
		s.Timeout = "2m"
		s.recover(t)
		up := s.do(t, "up")
		assert.Equal(t, 2, up.Changes["update"], "rolled-out and first: %s", up.Printed)
		assert.Equal(t, 1, up.Changes["create"], "second: %s", up.Printed)
		web := s.web(t)
		assert.Equal(t, made.UID, web.UID)
		assert.Equal(t, failed.Generation, web.Generation, "the Deployment was not touched")
		assert.Equal(t, map[string]string{"first": missingImage, "second": missingImage}, s.releases(t))
		assert.Nil(t, s.state(t)["rolled-out"]["__pendingWait"])
	})

	step(t, "destroy leaves what was there before", func(t *testing.T) {
		s.do(t, "destroy")
		assert.Empty(t, s.state(t))
		_, err := s.client.CoreV1().Namespaces().Get(t.Context(), s.Space, metav1.GetOptions{})
		assert.True(t, apierrors.IsNotFound(err), "%v", err)
		assert.Equal(t, map[string]string{"region": "north", "newest": s.Space}, s.tenants(t), "a patch leaves its values")
		s.assertNotSaved(t, storyToken)
	})
}

// recover plays the kubelet that can pull the image at last, until the rollout has what it needs.
func (s *story) recover(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		ready(t, s.client, s.Space, missingImage)
		// An old pod can be one of two that are available, and a new one is not then.
		status := s.web(t).Status
		return status.AvailableReplicas == 2 && status.UpdatedReplicas == 2 && status.Replicas == 2
	}, 30*time.Second, 100*time.Millisecond)
}
