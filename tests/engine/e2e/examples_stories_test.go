package e2e

import (
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// stories are the examples' stories, by folder.
var stories = map[string]story{
	"quickstart": {
		promised: func(t *testing.T, e *example) {
			assert.Equal(t, map[string]any{"greeting": "hello", "log.level": "info"}, e.kube.value(t, "v1/ConfigMap/quickstart/settings", "data"))
			for _, name := range []string{"settings", "web", "service"} {
				e.follows(t, name, "namespace")
			}
		},
	},

	"pvc-wait": {
		during: func(t *testing.T, e *example) {
			waitsFor(t, e.cluster, e.user, e.mark, 1)
			assert.Equal(t, "Pending", e.kube.value(t, "v1/PersistentVolumeClaim/pvc-wait/data", "status", "phase"))
			e.kube.gone(t, "v1/Pod/pvc-wait/app")
			e.execute(t, "kubectl apply -f volume.yaml")
		},
		prints: map[string][]string{
			"pulumi stack output phase":                                    {"Bound"},
			"kubectl get persistentvolumeclaims,pods --namespace pvc-wait": {"persistentvolumeclaim/data", "Bound", "pod/app"},
		},
		promised: func(t *testing.T, e *example) { e.follows(t, "app", "bound") },
	},

	"rollout": {
		promised: func(t *testing.T, e *example) {
			const web, service = "apps/v1/Deployment/rollout/web", "v1/Service/rollout/web"
			assert.Equal(t, int64(2), e.kube.value(t, web, "status", "availableReplicas"))
			e.follows(t, "service", "rolled-out")
			// That the last replica was available is the last that was written to the Deployment.
			assert.Less(t, version(t, e, web), version(t, e, service), "the Service came after the rollout")
		},
	},

	"loadbalancer-dns": {
		variant: `sed -i.bak 's/\[0\]\.hostname/[0].ip/' Pulumi.yaml`,
		during: func(t *testing.T, e *example) {
			waitsFor(t, e.cluster, e.user, e.mark, 1)
			e.kube.gone(t, "v1/ConfigMap/loadbalancer-dns/settings")
			address := "hostname: shop.example"
			if e.second {
				address = "ip: 203.0.113.7"
			}
			e.kube.status(t, "v1/Service/loadbalancer-dns/shop", "{status: {loadBalancer: {ingress: [{"+address+"}]}}}")
		},
		promised: func(t *testing.T, e *example) {
			want := "shop.example"
			if e.second {
				want = "203.0.113.7"
			}
			assert.Equal(t, map[string]any{"hostname": want}, e.outputs(t))
			assert.Equal(t, "http://"+want+"/", e.kube.value(t, "v1/ConfigMap/loadbalancer-dns/settings", "data", "url"))
		},
	},

	"crd-and-cr": {
		prints: map[string][]string{
			"kubectl get backups.crd-and-cr.example.com --namespace crd-and-cr --output yaml": {"name: nightly", "keep: 7"},
		},
		promised: func(t *testing.T, e *example) {
			const definition, nightly = "apiextensions.k8s.io/v1/CustomResourceDefinition/backups.crd-and-cr.example.com",
				"crd-and-cr.example.com/v1/Backup/crd-and-cr/nightly"
			e.kube = kubeOf(t, e.cluster) // which knows the new kind
			e.kubes = []*kube{e.kube}
			e.follows(t, "nightly", "established")
			assert.Equal(t, map[string]any{"condition": "Established", "timeout": "1m"}, e.saved(t)["established"].Inputs["waitFor"])
			assert.Less(t, version(t, e, definition), version(t, e, nightly))
		},
	},

	"job-and-outputs": {
		during: func(t *testing.T, e *example) {
			const job = "batch/v1/Job/job-and-outputs/create-user"
			eventually(t, "there is the Job", func() bool { return e.kube.find(t, job) != nil })
			e.doesJob(t, job)
		},
		prints: map[string][]string{"pulumi stack output password": {"[secret]"}},
		promised: func(t *testing.T, e *example) {
			const secret, job = "v1/Secret/job-and-outputs/database-user", "batch/v1/Job/job-and-outputs/create-user"
			encoded := e.kube.value(t, secret, "data", "password").(string)
			password, err := base64.StdEncoding.DecodeString(encoded)
			require.NoError(t, err)
			assert.Len(t, string(password), 32)
			assert.Equal(t, string(password)+"\n", e.succeed(t, "stack", "output", "password", "--show-secrets").stdout)
			assert.Equal(t, "shop\n", e.succeed(t, "stack", "output", "username", "--show-secrets").stdout)
			for place, text := range map[string]string{"export": e.run(t, "stack", "export"), "backend": e.everythingSaved(t)} {
				assert.NotContains(t, text, string(password), place)
				assert.NotContains(t, text, encoded, place)
			}
			assert.NotContains(t, e.saved(t), "database-user")
			e.follows(t, "written", "complete")
			if e.second {
				return
			}
			// A changed Job is another Job, and what it writes is the output at the end of the same update.
			// As long as there can be no pod, it is not complete.
			const quota = "v1/ResourceQuota/job-and-outputs/none"
			e.kube.apply(t, quota, "test", "{apiVersion: v1, kind: ResourceQuota, metadata: {name: none, namespace: job-and-outputs}, spec: {hard: {pods: 0}}}")
			first := e.kube.get(t, job).GetUID()
			program, err := readFile(e.dir, "Pulumi.yaml")
			require.NoError(t, err)
			e.file(t, "Pulumi.yaml", replaceAll(program, "username=shop", "username=store"))
			update := e.start(t, "up", "--yes", "--skip-preview")
			eventually(t, "there is a new Job", func() bool {
				live := e.kube.find(t, job)
				return live != nil && live.GetUID() != first
			})
			e.doesJob(t, job)
			assert.Nil(t, e.kube.value(t, job, "status", "completionTime"))
			e.kube.delete(t, quota)
			update.wait(t).succeeded(t)
			assert.NotEqual(t, encoded, e.kube.value(t, secret, "data", "password"))
			assert.Equal(t, "store\n", e.succeed(t, "stack", "output", "username", "--show-secrets").stdout)
			e.file(t, "Pulumi.yaml", program)
		},
	},

	"task": {
		prints: map[string][]string{
			"pulumi stack output migrated":      {"true"},
			"kubectl get jobs --namespace task": {"migrate-", "Complete"},
			"pulumi preview --diff":             {"migrate", "will run: what it runs has changed", "nginx:1.30"},
		},
		promised: func(t *testing.T, e *example) {
			e.follows(t, "web", "migrate")
			assert.Equal(t, "nginx:1.29", e.kube.value(t, "apps/v1/Deployment/task/web", "spec", "template", "spec", "containers", 0, "image"))
			jobs, err := e.cluster.Client().BatchV1().Jobs("task").List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
			assert.Empty(t, jobs.Items, "the deleted Job was not made again")
		},
	},

	"chart": {
		prints: map[string][]string{
			"pulumi preview": {"Job chart/shop-migrate will run: it is new."},
			"kubectl get deployments,jobs --namespace chart": {"deployment.apps/shop-web", "job.batch/shop-migrate"},
			"pulumi stack output notes":                      {`shop says "good day" in chart.`},
			"pulumi preview --diff":                          {"replicas: 2 => 4", "Job chart/shop-migrate will run: the release has changed."},
		},
		promised: func(t *testing.T, e *example) {
			const web, migrate = "apps/v1/Deployment/chart/shop-web", "batch/v1/Job/chart/shop-migrate"
			assert.Equal(t, int64(2), e.kube.value(t, web, "spec", "replicas"), "the program is above the file")
			assert.Equal(t, "good day", e.kube.value(t, "v1/ConfigMap/chart/shop-settings", "data", "greeting"), "the file is above the chart")
			password, err := base64.StdEncoding.DecodeString(e.kube.value(t, "v1/Secret/chart/shop-credentials", "data", "password").(string))
			require.NoError(t, err)
			assert.Len(t, string(password), 24)
			assert.NotContains(t, e.everythingSaved(t), string(password))
			assert.False(t, e.kube.get(t, web).GetCreationTimestamp().Time.Before(e.kube.get(t, migrate).GetCreationTimestamp().Time))
		},
	},

	"kustomize": {
		prints: map[string][]string{
			"kubectl get deployments,configmaps,reports --namespace kustomize": {"deployment.apps/shop-web", "configmap/shop-settings", "report.kustomize.example.com/shop-nightly"},
			"pulumi stack output objects":                                      {`"ConfigMap.kustomize.shop-settings"`},
			"pulumi preview --diff":                                            {"replicas: 3 => 4", "~ 1 to update"},
		},
		promised: func(t *testing.T, e *example) {
			const web, settings, namespace = "apps/v1/Deployment/kustomize/shop-web", "v1/ConfigMap/kustomize/shop-settings", "v1/Namespace/kustomize"
			e.madeInOrder(t, namespace, settings, web)
			e.madeInOrder(t, namespace, "kustomize.example.com/v1/Report/kustomize/shop-nightly")
			e.madeInOrder(t, "apiextensions.k8s.io/v1/CustomResourceDefinition/reports.kustomize.example.com", "kustomize.example.com/v1/Report/kustomize/shop-nightly")
			assert.Equal(t, "nginx:1.29", e.kube.value(t, web, "spec", "template", "spec", "containers", 0, "image"))
			assert.Equal(t, int64(3), e.kube.value(t, web, "spec", "replicas"))
			assert.Equal(t, "shop-settings", e.kube.value(t, web, "spec", "template", "spec", "containers", 0, "envFrom", 0, "configMapRef", "name"))
			assert.Equal(t, map[string]any{"greeting": "hello", "log.level": "info"}, e.kube.value(t, settings, "data"))
		},
	},

	"manifests": {
		prints: map[string][]string{
			"pulumi stack graph order.dot": {"Wrote stack dependency graph to `order.dot`"},
			"kubectl get deployments,backups.manifests.example.com --namespace manifests": {
				"deployment.apps/operator", "backup.manifests.example.com/nightly", "backup.manifests.example.com/weekly",
			},
		},
		promised: func(t *testing.T, e *example) {
			const operator, nightly, definition = "apps/v1/Deployment/manifests/operator", "manifests.example.com/v1/Backup/manifests/nightly",
				"apiextensions.k8s.io/v1/CustomResourceDefinition/backups.manifests.example.com"
			e.madeInOrder(t, definition, operator, nightly)
			for _, id := range []string{"v1/ServiceAccount/manifests/operator", "rbac.authorization.k8s.io/v1/RoleBinding/manifests/operator", "v1/ConfigMap/manifests/operator"} {
				e.madeInOrder(t, "v1/Namespace/manifests", id, operator)
			}
			e.madeInOrder(t, operator, "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration/manifests")
			assert.Equal(t, "registry.example/backups:2.1", e.kube.value(t, operator, "spec", "template", "spec", "containers", 0, "image"))
			assert.Equal(t, "backups", e.kube.value(t, nightly, "metadata", "labels", "app.kubernetes.io/part-of"))
			e.kube.merge(t, nightly, `{"spec": {"keep": 9}}`)
			e.previewEmpty(t)
		},
	},

	"split-yaml-ordered": {
		prints: map[string][]string{
			"kubectl get snapshots,configmaps,secrets --namespace split-yaml-ordered": {"snapshot.split-yaml-ordered.example.com/nightly", "configmap/settings", "secret/credentials"},
		},
		promised: func(t *testing.T, e *example) {
			e.inOrder(t)
			const hush = "correct-horse"
			assert.Equal(t, base64.StdEncoding.EncodeToString([]byte(hush)), e.kube.value(t, "v1/Secret/split-yaml-ordered/credentials", "data", "password"))
			assert.NotContains(t, e.everythingSaved(t), hush)
		},
	},

	"hpa-ignore-fields": {
		promised: func(t *testing.T, e *example) {
			const web = "apps/v1/Deployment/hpa-ignore-fields/web"
			assert.Equal(t, int64(2), e.kube.value(t, web, "spec", "replicas"), "the autoscaler's number")
			if e.second {
				return
			}
			// A later update does not set it back.
			program, err := readFile(e.dir, "Pulumi.yaml")
			require.NoError(t, err)
			e.file(t, "Pulumi.yaml", replaceAll(program, "nginx:1.29", "nginx:1.30"))
			assert.Equal(t, []int32{2}, replicasDuring(t, e.cluster, e.kube, "hpa-ignore-fields", "web", func() { e.up(t) }))
			assert.Equal(t, "nginx:1.30", e.kube.value(t, web, "spec", "template", "spec", "containers", 0, "image"))
		},
	},

	"adopt-existing": {
		prints: map[string][]string{
			"pulumi preview --diff": {"will be adopted"},
			"kubectl get configmap settings --namespace adopt-existing --output yaml": {"log.level: debug"},
		},
		promised: func(t *testing.T, e *example) {
			live := e.kube.get(t, "v1/ConfigMap/adopt-existing/settings")
			assert.Equal(t, map[string]any{"greeting": "hello", "log.level": "debug"}, live.Object["data"])
			assert.Equal(t, map[string]any{"uid": string(live.GetUID())}, e.outputs(t))
		},
	},

	"import": {
		promised: func(t *testing.T, e *example) {
			live := e.kube.get(t, "v1/ConfigMap/import/settings")
			assert.Equal(t, string(live.GetUID()), e.saved(t)["settings"].uid())
			assert.Equal(t, map[string]any{"greeting": "hello", "log.level": "info"}, live.Object["data"])
		},
	},

	"patch-aws-node": {
		before: map[string]func(t *testing.T, e *example){
			// Unless it is told otherwise, it is about the DaemonSet of EKS.
			"pulumi config set namespace patch-aws-node": func(t *testing.T, e *example) {
				if !e.second {
					assert.Contains(t, e.preview(t), "DaemonSet kube-system/aws-node not found")
				}
			},
		},
		prints: map[string][]string{
			"pulumi preview --diff":              {"will take from eks: ", `"INFO" -> "WARN"`},
			"pulumi stack output previousOwners": {"env[name=AWS_VPC_K8S_CNI_LOGLEVEL].value", "eks"},
		},
		promised: func(t *testing.T, e *example) {
			env, _ := e.kube.value(t, "apps/v1/DaemonSet/patch-aws-node/aws-node", "spec", "template", "spec", "containers", 0, "env").([]any)
			assert.ElementsMatch(t, []any{
				map[string]any{"name": "AWS_VPC_K8S_CNI_LOGLEVEL", "value": "WARN"},
				map[string]any{"name": "WARM_ENI_TARGET", "value": "1"},
				map[string]any{"name": "WARM_IP_TARGET", "value": "5"},
			}, env)
		},
	},

	"patch-json": {
		prints: map[string][]string{
			"kubectl get deployment metrics --namespace patch-json --output 'jsonpath={.spec.template.spec.containers[0].args}'": {
				`["-e","/dev/stderr","-g","daemon off;"]`,
			},
		},
		before: map[string]func(t *testing.T, e *example){
			// Its test refuses what is not the right container.
			"pulumi up": func(t *testing.T, e *example) {
				if e.second {
					return
				}
				const metrics = "apps/v1/Deployment/patch-json/metrics"
				program, err := readFile(e.dir, "Pulumi.yaml")
				require.NoError(t, err)
				before := e.kube.get(t, metrics).GetGeneration()
				e.file(t, "Pulumi.yaml", replaceAll(program, "value: metrics", "value: other"))
				for _, out := range []string{e.previewFails(t), e.upFails(t)} {
					assert.Contains(t, out, "/spec/template/spec/containers/0/name")
				}
				assert.Equal(t, before, e.kube.get(t, metrics).GetGeneration())
				e.file(t, "Pulumi.yaml", program)
			},
		},
	},

	"patch-merge": {
		prints: map[string][]string{
			"kubectl get deployment dns --namespace patch-merge --output 'jsonpath={.spec.template.metadata.annotations}'": {
				`{"example.com/reviewed-by":"platform-team"}`,
			},
		},
		promised: func(t *testing.T, e *example) {
			if e.second {
				return
			}
			// What comes back is drift.
			const dns = "apps/v1/Deployment/patch-merge/dns"
			e.kube.merge(t, dns, `{spec: {template: {metadata: {annotations: {example.com/compute-type: dedicated}}}}}`)
			assert.Contains(t, e.preview(t), "~ 1 to update")
		},
	},

	"esc": {
		before: map[string]func(t *testing.T, e *example){
			"pulumi up": func(t *testing.T, e *example) {
				e.nowhere(t)
				e.open(t, newEnvironments(t, map[string]*cluster.Cluster{"east": e.cluster}), "token")
			},
		},
		promised: func(t *testing.T, e *example) {
			assert.Equal(t, "hello", e.kube.value(t, "v1/ConfigMap/esc/settings", "data", "greeting"))
		},
	},

	"two-clusters": {
		before: map[string]func(t *testing.T, e *example){
			"pulumi stack init dev": func(t *testing.T, e *example) {
				if e.second {
					return
				}
				other := shared.Get(t)
				user, err := other.AddUser("example-west", "system:masters")
				require.NoError(t, err)
				e.kubeconfig(t, "east", e.user)
				e.kubeconfig(t, "west", user)
				e.kubes = []*kube{e.kube, kubeOf(t, other)}
				e.nowhere(t)
			},
		},
		prints: map[string][]string{
			"kubectl --kubeconfig ~/.kube/east get service shop --namespace two-clusters":                     {"ClusterIP"},
			"kubectl --kubeconfig ~/.kube/west get configmap settings --namespace two-clusters --output yaml": {"shop.in.the.east: "},
		},
		promised: func(t *testing.T, e *example) {
			const service, settings = "v1/Service/two-clusters/shop", "v1/ConfigMap/two-clusters/settings"
			east, west := e.kubes[0], e.kubes[1]
			assert.Equal(t, east.value(t, service, "spec", "clusterIP"), west.value(t, settings, "data", "shop.in.the.east"))
			east.gone(t, settings)
			west.gone(t, service)
			assert.NotContains(t, e.everythingSaved(t), "client-certificate-data", "the kubeconfigs are encrypted")
		},
	},
}

// outputs are the outputs of the stack.
func (e *example) outputs(t *testing.T) map[string]any {
	t.Helper()
	for _, r := range e.saved(t) {
		if r.Type == "pulumi:pulumi:Stack" {
			return r.Outputs
		}
	}
	return nil
}

// version is when an object was written last, in the API server's count, which is one for all.
func version(t *testing.T, e *example, id string) uint64 {
	t.Helper()
	count, err := strconv.ParseUint(e.kube.get(t, id).GetResourceVersion(), 10, 64)
	require.NoError(t, err)
	return count
}

// doesJob runs what the container of a Job would run, as the Job's ServiceAccount: the nodes of the test
// cluster run nothing.
func (e *example) doesJob(t *testing.T, id string) {
	t.Helper()
	pod := at(e.kube.get(t, id).Object, "spec", "template", "spec")
	user, err := e.cluster.ServiceAccount(t.Context(), e.project, at(pod, "serviceAccountName").(string), time.Hour)
	require.NoError(t, err)
	config, err := user.Kubeconfig()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(path, config, 0o600))
	var args []string
	for _, arg := range at(pod, "containers", 0, "command").([]any) {
		args = append(args, arg.(string))
	}
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Env = []string{"PATH=" + e.env["PATH"], "HOME=" + t.TempDir(), "KUBECONFIG=" + path}
	printed, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", printed)
}

// inOrder wants that a definition, the namespace and an object in it came in this order.
func (e *example) inOrder(t *testing.T) {
	t.Helper()
	e.kube = kubeOf(t, e.cluster) // which knows the new kind
	e.kubes = []*kube{e.kube}
	order := []string{"definition", "established", "namespace", "nightly"}
	saved := e.saved(t)
	for i, name := range order[1:] {
		e.follows(t, name, order[i])
	}
	assert.Less(t, version(t, e, saved["definition"].ID), version(t, e, saved["namespace"].ID))
	assert.Less(t, version(t, e, saved["namespace"].ID), version(t, e, saved["nightly"].ID))
	for name, r := range saved {
		if r.Type == "k8sconnect:index:KubeObject" && name != "definition" && name != "namespace" {
			e.follows(t, name, "namespace")
		}
	}
}

// madeInOrder wants that each of these objects depends on the one before, directly or by way of others.
func (e *example) madeInOrder(t *testing.T, ids ...string) {
	t.Helper()
	e.kube = kubeOf(t, e.cluster) // which knows the new kinds
	e.kubes = []*kube{e.kube}
	saved, _, err := e.checkpoint()
	require.NoError(t, err)
	dependencies, urns := map[string][]string{}, map[string]string{}
	for _, r := range saved.Resources {
		dependencies[r.URN] = r.Dependencies
		if r.Type == "k8sconnect:index:KubeObject" {
			urns[r.ID] = r.URN
		}
	}
	var reaches func(from, to string) bool
	reaches = func(from, to string) bool {
		return from == to || slices.ContainsFunc(dependencies[from], func(next string) bool { return reaches(next, to) })
	}
	for i, id := range ids[1:] {
		require.Contains(t, urns, ids[i])
		require.Contains(t, urns, id)
		assert.True(t, reaches(urns[id], urns[ids[i]]), "%s comes after %s", id, ids[i])
	}
}
