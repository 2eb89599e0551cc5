"""Typed kinds: a Deployment, its Service, and a custom kind."""

import os

import k8sconnect_kinds as kinds
import pulumi
import pulumi_k8sconnect as k8sconnect

namespace = os.environ["SPACE"]
labels = {"app": "web"}
settings = kinds.core.v1.ConfigMap(
    "settings", metadata=kinds.meta.v1.NamedMetaArgs(name="settings", namespace=namespace), data={"log.level": "info"}
)
web = kinds.apps.v1.Deployment(
    "web",
    metadata={"name": "web", "namespace": namespace},
    spec={
        "replicas": 1,
        "selector": {"match_labels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "web:1"}]}},
    },
    k8sconnect={"ignore_fields": ["spec.paused"]},
)
kinds.core.v1.Service(
    "web",
    metadata={"name": "web", "namespace": namespace},
    spec={"selector": labels, "ports": [{"port": 80, "target_port": "http"}]},
)
kinds.example.v1.Crate(
    "crate",
    metadata={"name": "crate", "namespace": namespace},
    spec={"size": kinds.example.v1.CrateSpecSize.LARGE, "kebab__name": settings.metadata.name},
)
k8sconnect.Wait("web", resource_ref=web.k8sconnect.resource_ref, wait_for={"condition": "Available"})
pulumi.export("replicas", web.spec.apply(lambda spec: spec.replicas if spec else None))
pulumi.export("waitedFor", web.k8sconnect.resource_ref.name)
