"""Every resource with every input: what the types have to accept."""

from typing import Mapping, Optional

import pulumi
import pulumi_k8sconnect as k8sconnect

token = pulumi.Output.secret("token")

connection = k8sconnect.ClusterConnectionArgs(
    client_certificate="certificate",
    client_key=pulumi.Output.secret("key"),
    cluster_ca_certificate="certificates",
    context="dev",
    exec_=k8sconnect.ExecArgs(
        api_version="client.authentication.k8s.io/v1",
        args=["get-token"],
        command="login",
        env={"REGION": "north"},
    ),
    host="https://127.0.0.1:6443",
    impersonate=k8sconnect.ImpersonationArgs(user="jane", groups=["dev"], extra={"scopes": ["view"]}),
    insecure=False,
    kubeconfig="kubeconfig",
    proxy_url="http://127.0.0.1:3128",
    tls_server_name="kubernetes",
    token=token,
)

provider = k8sconnect.Provider(
    "cluster",
    kubeconfig="kubeconfig",
    namespace="default",
    drift_detection=k8sconnect.DriftDetection.REFRESH,
    conflict_policy=k8sconnect.ConflictPolicy.FAIL,
    resume_within="30m",
    forget_clusters=["0b5e2a1c-0000-0000-0000-000000000000"],
    ignore=[
        k8sconnect.IgnoreRuleArgs(
            kinds=["Deployment.apps"], namespaces=["shop"], fields=["spec.replicas"], managers=["vpa-recommender"]
        )
    ],
    readiness=[
        k8sconnect.ReadinessRuleArgs(
            kinds=["*.example.org"], expression="object.status.up", fail_when="object.status.broken"
        )
    ],
)

wait_for = k8sconnect.WaitForArgs(
    condition="Ready",
    deleted=False,
    expression="object.status.readyReplicas >= 1",
    fail_when="object.status.phase == 'Lost'",
    field="status.phase",
    field_value={"status.phase": "Bound"},
    http=k8sconnect.WaitForHttpArgs(path="/healthz", port=8080, scheme=k8sconnect.HttpScheme.HTTPS, status=[200, 401]),
    ready=True,
    rollout=True,
    timeout="5m",
)

object_ = k8sconnect.KubeObject(
    "object",
    adopt=True,
    cluster_connection=connection,
    conflict_policy=k8sconnect.ConflictPolicy.FAIL,
    deletion_propagation=k8sconnect.DeletionPropagation.FOREGROUND,
    delete_instances=False,
    force_destroy=False,
    take_over_from=["helm"],
    ignore_fields=["spec.replicas"],
    ignore_managers=["vpa-recommender"],
    manifest={
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "object", "labels": {"stack": pulumi.get_stack()}},
        "data": {"token": token},
    },
    on_immutable=k8sconnect.OnImmutable.FAIL,
    opts=pulumi.ResourceOptions(provider=provider),
)

# What has an enum takes strings, computed ones too.
from_text = k8sconnect.KubeObject(
    "text",
    yaml="kind: ConfigMap",
    conflict_policy="fail",
    deletion_propagation="Foreground",
    on_immutable=pulumi.Output.from_input("fail"),
    opts=pulumi.ResourceOptions(provider=k8sconnect.Provider("other", drift_detection="refresh")),
)

wait = k8sconnect.Wait(
    "wait",
    cluster_connection=connection,
    # The type checker tells what comes out of one resource from what goes into another, though they are the same.
    resource_ref=object_.resource_ref.apply(
        lambda ref: k8sconnect.ResourceRefArgs(
            api_version=ref.api_version,
            kind=ref.kind,
            name=ref.name,
            namespace=ref.namespace,
            revision=ref.revision,
            uid=ref.uid,
        )
    ),
    triggers=[object_.resource_ref.revision, 1],
    wait_for=wait_for,
    on_failure=k8sconnect.OnFailure.WARN,
)

k8sconnect.Wait(
    "literal",
    resource_ref={"api_version": "v1", "kind": "Pod", "name": "pod", "namespace": "default", "uid": "u", "revision": "1"},
    wait_for={"condition": "Ready"},
    opts=pulumi.ResourceOptions(depends_on=[wait]),
)

selector = k8sconnect.WaitSelectorArgs(api_version="v1", kind="Pod", namespace="default", label_selector="app=web")
k8sconnect.Wait("at-least", selector=selector, count=k8sconnect.WaitCountArgs(at_least=3), wait_for={"ready": True})
k8sconnect.Wait("exactly", selector=selector, count=k8sconnect.WaitCountArgs(exactly=3), wait_for={"ready": True})
k8sconnect.Wait("all", selector=selector, count=k8sconnect.WaitCountArgs(all=True), wait_for={"ready": True})

patch = k8sconnect.Patch(
    "patch",
    cluster_connection=connection,
    patch={"data": {"a": "1"}},
    take_ownership=True,
    take_over_from=["k8sconnect-shop.*"],
    on_destroy=k8sconnect.OnDestroy.REMOVE,
    target=k8sconnect.PatchTargetArgs(api_version="v1", kind="ConfigMap", name="other", namespace="kube-system"),
    wait_for=wait_for,
)

target = k8sconnect.PatchTargetArgs(api_version="v1", kind="ConfigMap", name="other")
k8sconnect.Patch(
    "json",
    target=target,
    take_ownership=True,
    on_destroy="remove",
    json_patch=[{"op": "add", "path": "/data/a", "value": "1"}],
)
k8sconnect.Patch("merge", target=target, take_ownership=True, merge_patch={"data": {"a": None}})

ref = patch.resource_ref
k8sconnect.Patch(
    "after",
    target=k8sconnect.PatchTargetArgs(api_version=ref.api_version, kind=ref.kind, namespace=ref.namespace, name=ref.name),
    take_ownership=True,
    patch={"data": {"b": "1"}},
)

task = k8sconnect.Task(
    "task",
    manifest={"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "task"}},
    run_on=[k8sconnect.RunOn.CREATE, "delete"],
    triggers=[object_.resource_ref.revision],
    with_=[{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "token"}, "stringData": {"token": token}}],
    timeout="5m",
    keep=k8sconnect.Keep.ALWAYS,
    log_lines=5,
    force_destroy=True,
    cluster_connection=connection,
)
pulumi.export("log", task.log)

set_ = k8sconnect.Manifests(
    "set",
    manifests=[object_.manifest, {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "token"}, "stringData": {"token": token}}],
    namespace="shop",
    edits=k8sconnect.ManifestsEditsArgs(
        labels={"team": "shop"},
        annotations={"owner": "shop"},
        images=[k8sconnect.ManifestsImageArgs(name="web", new_name="mirror.example/web", new_tag="2", digest="sha256:0")],
        patches=[
            k8sconnect.ManifestsPatchArgs(
                patch="- {op: remove, path: /data}",
                target=k8sconnect.ManifestsPatchTargetArgs(
                    group="apps",
                    version="v1",
                    kind="Deployment",
                    name="web",
                    namespace="shop",
                    label_selector="app=web",
                    annotation_selector="owner",
                ),
            )
        ],
    ),
    overrides=[
        k8sconnect.ManifestsOverrideArgs(
            select=k8sconnect.ManifestsSelectArgs(api_version="v1", kind="Secret", namespace="shop", name="t*"),
            optional=True,
            adopt=True,
            conflict_policy=k8sconnect.ConflictPolicy.FAIL,
            on_immutable=k8sconnect.OnImmutable.REPLACE,
        )
    ],
    wait=k8sconnect.ManifestsWait.ALL,
    cluster_connection=connection,
    opts=pulumi.ResourceOptions(provider=provider),
)
k8sconnect.Manifests("files", files=["manifests/*.yaml"], wait="none")
k8sconnect.Manifests("text", content=pulumi.Output.secret("kind: ConfigMap"))
k8sconnect.Manifests("built", kustomization="overlays/production")

release = k8sconnect.Chart(
    "release",
    chart="shop",
    repo="https://charts.example.com",
    version="^1.2",
    digest="sha256:0",
    repo_username="reader",
    repo_password=token,
    repo_ca_certificate="-----BEGIN CERTIFICATE-----",
    values={"replicas": 2, "database": {"password": token}},
    value_files=["values.yaml"],
    release_name="shop",
    namespace="shop",
    crds=k8sconnect.ChartCrds.INCLUDE,
    hooks=k8sconnect.ChartHooks.RUN,
    lookup="none",
    kube_version="1.36",
    api_versions=["monitoring.coreos.com/v1"],
    is_upgrade=False,
    unset=["image.tag"],
    rotate=["password"],
    wait="all",
    take_over_from=["helm"],
    opts=pulumi.ResourceOptions(provider=provider),
)
pulumi.export("notes", release.notes)

pulumi.export("references", set_.resources)
owners: pulumi.Output[Optional[Mapping[str, str]]] = patch.previous_owners
pulumi.export("uid", object_.resource_ref.uid)
pulumi.export("live", [object_.manifest, object_.field_ownership, from_text.manifest, patch.managed_fields, wait.status])

# The types are not Any: mypy --strict reports an ignore that ignores nothing.
k8sconnect.WaitForArgs(rollout=[])  # type: ignore[arg-type]
