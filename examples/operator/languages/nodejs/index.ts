import * as pulumi from "@pulumi/pulumi";
import * as k8sconnect from "@k8sconnect/pulumi";

// What the tenant has set, and the name of the object.
const config = new pulumi.Config();
const name = config.require("name");
const image = config.require("image");
const ports = config.requireObject<Record<string, number>>("ports");

new k8sconnect.KubeObject("settings", {
    manifest: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: `${name}-settings` },
        data: { image, ports: Object.keys(ports).sort().join(",") },
    },
});

const service = new k8sconnect.KubeObject("service", {
    manifest: {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name },
        spec: {
            selector: { app: name },
            ports: Object.entries(ports).map(([name, port]) => ({ name, port })),
        },
    },
});

const host = pulumi.interpolate`${service.resourceRef.name}.${service.resourceRef.namespace}`;

export const urls = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, pulumi.interpolate`http://${host}:${port}`]));
