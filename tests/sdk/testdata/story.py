"""The story as an inline program of the Automation API: story.py PROJECT STEP INPUTS."""

import json
import sys
from typing import Any, Dict, List, TypedDict

import pulumi
import pulumi_k8sconnect as k8sconnect
from pulumi import automation as auto


class Inputs(TypedDict):
    """What differs from step to step."""

    space: str  # the namespace that is made
    others: str  # a namespace of someone else, with an object in it
    image: str
    timeout: str
    token: str
    releases: List[str]


def program(inputs: Inputs) -> None:
    namespace = k8sconnect.KubeObject(
        "namespace",
        manifest={"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": inputs["space"]}},
    )
    space = namespace.resource_ref.name
    token = k8sconnect.KubeObject(
        "token",
        manifest={
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "token", "namespace": space},
            "stringData": {"token": pulumi.Output.secret(inputs["token"])},
        },
    )
    labels = {"app": "web"}
    container = {
        "name": "web",
        "image": inputs["image"],
        # The API server gives the uid, so a preview does not know it.
        "env": [{"name": "TENANT", "value": namespace.resource_ref.uid}],
    }
    cluster = k8sconnect.Provider("cluster", drift_detection=k8sconnect.DriftDetection.PREVIEW)
    web = k8sconnect.KubeObject(
        "web",
        conflict_policy=k8sconnect.ConflictPolicy.FORCE,
        deletion_propagation=k8sconnect.DeletionPropagation.FOREGROUND,
        on_immutable=k8sconnect.OnImmutable.FAIL,
        manifest={
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "web", "namespace": space},
            "spec": {
                "replicas": 2,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            },
        },
        opts=pulumi.ResourceOptions(provider=cluster),
    )
    rolled_out = k8sconnect.Wait(
        "rolled-out",
        resource_ref=web.resource_ref.apply(
            lambda ref: k8sconnect.ResourceRefArgs(
                api_version=ref.api_version,
                kind=ref.kind,
                name=ref.name,
                namespace=ref.namespace,
                revision=ref.revision,
                uid=ref.uid,
            )
        ),
        wait_for=k8sconnect.WaitForArgs(rollout=True, timeout=inputs["timeout"]),
    )
    for release in inputs["releases"]:
        k8sconnect.KubeObject(
            release,
            manifest={
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": release, "namespace": space},
                "data": {"image": inputs["image"]},
            },
            opts=pulumi.ResourceOptions(depends_on=[rolled_out]),
        )
    registered = k8sconnect.Patch(
        "registered",
        target=k8sconnect.PatchTargetArgs(
            api_version="v1", kind="ConfigMap", namespace=inputs["others"], name="tenants"
        ),
        patch={"data": {"newest": space}},
        take_ownership=True,
        on_destroy=k8sconnect.OnDestroy.LEAVE,
        opts=pulumi.ResourceOptions(depends_on=[rolled_out]),
    )
    tenants = k8sconnect.get_object(
        api_version="v1", kind="ConfigMap", namespace=inputs["others"], name="tenants"
    )

    pulumi.export("region", tenants.manifest and tenants.manifest["data"]["region"])
    pulumi.export("uid", web.resource_ref.uid)
    pulumi.export("previousOwners", registered.previous_owners)
    pulumi.export("token", token.manifest.apply(lambda manifest: manifest and manifest["stringData"]["token"]))


def run(project: str, step: str, inputs: Inputs) -> Dict[str, Any]:
    """Returns what is known after the step."""
    stack = auto.create_or_select_stack(
        stack_name="test",
        project_name=project,
        program=lambda: program(inputs),
        opts=auto.LocalWorkspaceOptions(work_dir="."),
    )
    if step == "preview":
        preview = stack.preview(diff=True)
        return {"changes": preview.change_summary, "printed": preview.stdout}
    if step == "up":
        up = stack.up()
        outputs = {name: {"value": out.value, "secret": out.secret} for name, out in up.outputs.items()}
        return {"changes": up.summary.resource_changes, "printed": up.stdout, "outputs": outputs}
    if step == "refresh":
        refreshed = stack.refresh()
        return {"changes": refreshed.summary.resource_changes, "printed": refreshed.stdout}
    if step == "destroy":
        destroyed = stack.destroy()
        return {"changes": destroyed.summary.resource_changes, "printed": destroyed.stdout}
    raise ValueError(f"there is no step {step}")


try:
    print(json.dumps(run(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))))
except auto.CommandError as failure:
    sys.exit(str(failure))
