// Typed children of a component, in the cluster that its provider leads to.
import * as pulumi from "@pulumi/pulumi";
import * as k8sconnect from "@k8sconnect/pulumi";
import * as kinds from "@k8sconnect/kinds";

const labels = { typed: "yes" };
class Shop extends pulumi.ComponentResource {
    constructor(name: string, opts: pulumi.ComponentResourceOptions) {
        super("test:index:Shop", name, {}, opts);
        new kinds.core.v1.ConfigMap(name, { metadata: { name, namespace: "default", labels } }, { parent: this });
    }
}

const other = new k8sconnect.Provider("other", { kubeconfig: process.env.OTHER });
new Shop("by-provider", { provider: other });
new Shop("by-providers", { providers: { k8sconnect: other } });
new Shop("by-list", { providers: [other] });
new kinds.core.v1.ConfigMap("explicit", { metadata: { name: "explicit", namespace: "default", labels } }, { provider: other });
if (!process.env.EXPLICIT) {
    new Shop("in-component", {});
    new kinds.core.v1.ConfigMap("alone", { metadata: { name: "alone", namespace: "default", labels } });
}
