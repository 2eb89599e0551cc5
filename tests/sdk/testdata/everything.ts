// Every resource with every input: what the types have to accept.
import * as pulumi from "@pulumi/pulumi";
import * as k8sconnect from "@k8sconnect/pulumi";

const token = pulumi.secret("token");

const connection: k8sconnect.types.input.ClusterConnectionArgs = {
    clientCertificate: "certificate",
    clientKey: pulumi.secret("key"),
    clusterCaCertificate: "certificates",
    context: "dev",
    exec: {
        apiVersion: "client.authentication.k8s.io/v1",
        args: ["get-token"],
        command: "login",
        env: { REGION: "north" },
    },
    host: "https://127.0.0.1:6443",
    impersonate: { user: "jane", groups: ["dev"], extra: { scopes: ["view"] } },
    insecure: false,
    kubeconfig: "kubeconfig",
    proxyUrl: "http://127.0.0.1:3128",
    tlsServerName: "kubernetes",
    token,
};

const provider = new k8sconnect.Provider("cluster", {
    ...connection,
    namespace: "default",
    driftDetection: k8sconnect.DriftDetection.Refresh,
    conflictPolicy: k8sconnect.ConflictPolicy.Fail,
    resumeWithin: "30m",
    forgetClusters: ["0b5e2a1c-0000-0000-0000-000000000000"],
    ignore: [{ kinds: ["Deployment.apps"], namespaces: ["shop"], fields: ["spec.replicas"], managers: ["vpa-recommender"] }],
    readiness: [{ kinds: ["*.example.org"], expression: "object.status.up", failWhen: "object.status.broken" }],
});

const waitFor: k8sconnect.types.input.WaitForArgs = {
    condition: "Ready",
    deleted: false,
    expression: "object.status.readyReplicas >= 1",
    failWhen: "object.status.phase == 'Lost'",
    field: "status.phase",
    fieldValue: { "status.phase": "Bound" },
    http: { path: "/healthz", port: 8080, scheme: k8sconnect.HttpScheme.Https, status: [200, 401] },
    ready: true,
    rollout: true,
    timeout: "5m",
};

const object = new k8sconnect.KubeObject("object", {
    adopt: true,
    clusterConnection: connection,
    conflictPolicy: k8sconnect.ConflictPolicy.Fail,
    deletionPropagation: k8sconnect.DeletionPropagation.Foreground,
    deleteInstances: false,
    forceDestroy: false,
    takeOverFrom: ["helm"],
    ignoreFields: ["spec.replicas"],
    ignoreManagers: ["vpa-recommender"],
    manifest: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "object", labels: { stack: pulumi.getStack() } },
        data: { token },
    },
    onImmutable: k8sconnect.OnImmutable.Fail,
}, { provider });

// What has an enum takes strings, computed ones too.
const policy: string = "fail";
const fromText = new k8sconnect.KubeObject("text", {
    yaml: "kind: ConfigMap",
    conflictPolicy: policy,
    deletionPropagation: "Foreground",
    onImmutable: pulumi.output(policy),
}, { provider: new k8sconnect.Provider("other", { driftDetection: "refresh" }) });

const wait = new k8sconnect.Wait("wait", {
    clusterConnection: connection,
    resourceRef: object.resourceRef,
    triggers: [object.resourceRef.revision, 1],
    waitFor,
    onFailure: k8sconnect.OnFailure.Warn,
});

new k8sconnect.Wait("literal", {
    resourceRef: { apiVersion: "v1", kind: "Pod", name: "pod", namespace: "default", uid: "u", revision: "1" },
    waitFor: { condition: "Ready" },
}, { provider, dependsOn: wait });

const selector = { apiVersion: "v1", kind: "Pod", namespace: "default", labelSelector: "app=web" };
new k8sconnect.Wait("at-least", { selector, count: { atLeast: 3 }, waitFor: { ready: true } });
new k8sconnect.Wait("exactly", { selector, count: { exactly: 3 }, waitFor: { ready: true } });
new k8sconnect.Wait("all", { selector, count: { all: true }, waitFor: { ready: true } });

const patch = new k8sconnect.Patch("patch", {
    clusterConnection: connection,
    patch: { data: { a: "1" } },
    takeOwnership: true,
    takeOverFrom: ["k8sconnect-shop.*"],
    onDestroy: k8sconnect.OnDestroy.Remove,
    target: { apiVersion: "v1", kind: "ConfigMap", name: "other", namespace: "kube-system" },
    waitFor,
});

const others = { target: { apiVersion: "v1", kind: "ConfigMap", name: "other" }, takeOwnership: true };
new k8sconnect.Patch("json", { ...others, onDestroy: "remove", jsonPatch: [{ op: "add", path: "/data/a", value: "1" }] });
new k8sconnect.Patch("merge", { ...others, mergePatch: { data: { a: null } } });
new k8sconnect.Patch("after", { target: patch.resourceRef, takeOwnership: true, patch: { data: { b: "1" } } });

const task = new k8sconnect.Task("task", {
    manifest: { apiVersion: "batch/v1", kind: "Job", metadata: { name: "task" }, spec: { template: { spec: { restartPolicy: "Never" } } } },
    runOn: [k8sconnect.RunOn.Create, "delete"],
    triggers: [object.resourceRef.revision],
    with: [{ apiVersion: "v1", kind: "Secret", metadata: { name: "token" }, stringData: { token } }],
    timeout: "5m",
    keep: k8sconnect.Keep.Always,
    logLines: 5,
    forceDestroy: true,
    clusterConnection: connection,
});

const set = new k8sconnect.Manifests("set", {
    manifests: [object.manifest, { apiVersion: "v1", kind: "Secret", metadata: { name: "token" }, stringData: { token } }],
    namespace: "shop",
    edits: {
        labels: { team: "shop" },
        annotations: { owner: "shop" },
        images: [{ name: "web", newName: "mirror.example/web", newTag: "2", digest: "sha256:0" }],
        patches: [{
            patch: "- {op: remove, path: /data}",
            target: {
                group: "apps", version: "v1", kind: "Deployment", name: "web", namespace: "shop", labelSelector: "app=web",
                annotationSelector: "owner",
            },
        }],
    },
    overrides: [{
        select: { apiVersion: "v1", kind: "Secret", namespace: "shop", name: "t*" },
        optional: true,
        adopt: true,
        conflictPolicy: k8sconnect.ConflictPolicy.Fail,
        onImmutable: "replace",
        deleteInstances: false,
        ignoreManagers: ["vpa-recommender"],
    }],
    ignoreManagers: ["cert-manager-cainjector"],
    wait: k8sconnect.ManifestsWait.All,
    clusterConnection: connection,
    adopt: true,
}, { provider });
new k8sconnect.Manifests("files", { files: ["manifests/*.yaml"], wait: "none" });
new k8sconnect.Manifests("text", { content: pulumi.secret("kind: ConfigMap") });
new k8sconnect.Manifests("built", { kustomization: "overlays/production" });
const release = new k8sconnect.Chart("release", {
    chart: "shop",
    repo: "https://charts.example.com",
    version: "^1.2",
    digest: "sha256:0",
    repoUsername: "reader",
    repoPassword: token,
    repoCaCertificate: "-----BEGIN CERTIFICATE-----",
    values: { replicas: 2, database: { password: token } },
    valueFiles: ["values.yaml"],
    releaseName: "shop",
    namespace: "shop",
    crds: k8sconnect.ChartCrds.Include,
    hooks: k8sconnect.ChartHooks.Run,
    lookup: "none",
    kubeVersion: "1.36",
    apiVersions: ["monitoring.coreos.com/v1"],
    isUpgrade: false,
    unset: ["image.tag"],
    rotate: ["password"],
    wait: "all",
    edits: { labels: { team: "shop" } },
    takeOverFrom: ["helm"],
}, { provider });
new k8sconnect.Wait("of-the-release", { resourceRef: release.resources.apply(refs => refs["apps/Deployment.shop"]), waitFor });
new k8sconnect.Wait("of-the-set", { resourceRef: set.resources.apply(refs => refs["Secret.token"]), waitFor });

export const uid: pulumi.Output<string | undefined> = object.resourceRef.apply(ref => ref.uid);
export const owners: pulumi.Output<{ [path: string]: string } | undefined> = patch.previousOwners;
export const code: pulumi.Output<number | undefined> = task.exitCodes.apply(codes => codes?.["main"]);
export const notes: pulumi.Output<string | undefined> = release.notes;
export const live = [object.manifest, object.fieldOwnership, fromText.manifest, patch.managedFields, wait.status];

// The types are not any.
// @ts-expect-error
new k8sconnect.Wait("wrong", { resourceRef: object.resourceRef, waitFor: { rollout: "yes" } });
// @ts-expect-error
new k8sconnect.Wait("missing", { resourceRef: object.resourceRef });
