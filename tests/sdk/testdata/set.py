"""A set and a chart in a cluster that is not the default one. Its objects are resources of their own before, while FORMER says so."""

import os
from typing import Optional

import pulumi
import pulumi_k8sconnect as k8sconnect

namespace = os.environ["SPACE"]
provider = k8sconnect.Provider("other", kubeconfig=os.environ["OTHER"])
settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": namespace}, "data": {"of": "shop"}}

its_namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
former = {f"shop:Namespace.{namespace}": "namespace", f"shop:ConfigMap.{namespace}.settings": "settings"}


def keep(args: pulumi.ResourceTransformArgs) -> Optional[pulumi.ResourceTransformResult]:
    if args.type_ != "k8sconnect:index:KubeObject" or args.name not in former:
        return None
    args.opts.aliases = [pulumi.Alias(name=former[args.name], parent=None)]
    return pulumi.ResourceTransformResult(props=args.props, opts=args.opts)


if os.environ.get("FORMER") == "now":
    first = k8sconnect.KubeObject("namespace", manifest=its_namespace, opts=pulumi.ResourceOptions(provider=provider))
    k8sconnect.KubeObject("settings", manifest=settings, opts=pulumi.ResourceOptions(provider=provider, depends_on=[first]))
else:
    shop = k8sconnect.Manifests(
        "shop",
        manifests=[settings, its_namespace],
        wait=k8sconnect.ManifestsWait.ALL,
        opts=pulumi.ResourceOptions(provider=provider, transforms=[keep]),
    )
    k8sconnect.Chart(
        "web",
        chart="./web",
        namespace=namespace,
        values={"color": "red"},
        opts=pulumi.ResourceOptions(provider=provider, depends_on=[shop]),
    )
