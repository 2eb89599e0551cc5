// What Manifest<T> accepts: Outputs at every depth, in every shape of a type.
import * as pulumi from "@pulumi/pulumi";
import * as k8sconnect from "@k8sconnect/pulumi";
import type { types } from "@pulumi/kubernetes";
import type { CustomResourceDefinition } from "kubernetes-types/apiextensions/v1";
import type { Deployment, StatefulSet } from "kubernetes-types/apps/v1";
import type { ConfigMap, Container, Pod, Secret } from "kubernetes-types/core/v1";
import type { Manifest } from "@k8sconnect/pulumi";

const text = pulumi.output("a");
const maybe: pulumi.Output<string | undefined> = text;
const count = pulumi.output(1);
const yes = pulumi.output(true);
const later = Promise.resolve("a");
const container: Container = { name: "web", image: "web:1" };

export const deployment: Manifest<Deployment> = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: text, namespace: maybe, labels: { app: text }, annotations: pulumi.output({ a: "b" }) },
    spec: {
        replicas: count,
        paused: yes,
        selector: pulumi.output({ matchLabels: { app: "web" } }),
        template: {
            metadata: { labels: { app: "web" } },
            spec: pulumi.output({ containers: [container] }),
        },
    },
};
new k8sconnect.KubeObject("deployment", { manifest: deployment });
new k8sconnect.KubeObject("inline", {
    manifest: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: text }, data: { a: text } } satisfies Manifest<ConfigMap>,
});

const args = ["a", "b"] as const;
export const pod: Manifest<Pod> = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "pod" },
    spec: {
        containers: [container, pulumi.output(container), {
            name: later,
            args: [text, "b", later],
            ports: [{ containerPort: count }],
            livenessProbe: { httpGet: { port: count, path: text } },
        }, { name: "constant", args }],
        initContainers: pulumi.output([container]),
    },
};
export const either: Manifest<ConfigMap | Secret> = {
    apiVersion: "v1", kind: "Secret", metadata: { name: "secret" }, stringData: { a: pulumi.secret("a") },
};
export const definition: Manifest<CustomResourceDefinition> = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "tenants.example.com" },
    spec: {
        group: "example.com",
        names: { kind: "Tenant", plural: "tenants" },
        scope: "Namespaced",
        versions: [{
            name: "v1", served: true, storage: true,
            schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: text } } } },
        }],
    },
};

// A custom kind, with all that a type can have in it.
interface Tenant {
    apiVersion: "example.com/v1";
    kind: "Tenant";
    metadata: { name: string; namespace?: string; labels?: Record<string, string> };
    spec: {
        readonly size: "small" | "large";
        limits?: readonly number[];
        range: [number, number];
        rest: readonly [string, ...number[]];
        store: { kind: "disk"; gigabytes: number } | { kind: "bucket"; url: string };
        extra: { [key: string]: string | number };
        pods?: types.input.core.v1.PodTemplateSpec;
        deep: { a: { b: { c: boolean | null }[] }[] };
        anything?: any;
        unknown?: unknown;
    };
}
const size: pulumi.Output<"small" | "large"> = pulumi.output("small" as const);
const store: pulumi.Output<Tenant["spec"]["store"]> = pulumi.output({ kind: "disk", gigabytes: 1 } as const);
const id = { apiVersion: "example.com/v1", kind: "Tenant", metadata: { name: "tenant", namespace: maybe } } as const;
export const tenant: Manifest<Tenant> = {
    ...id,
    spec: {
        size,
        limits: [1, count],
        range: [count, 2],
        rest: [text, 1, count],
        store: { kind: "bucket", url: text },
        extra: { a: text, b: 1, c: count },
        pods: { spec: { containers: [{ name: text }] } },
        deep: { a: [{ b: [{ c: yes }, { c: null }] }] },
        anything: text,
        unknown: text,
    },
};
export const stored: Manifest<Tenant> = {
    ...id, spec: { size: "large", range: [1, 2], rest: ["a"], store, extra: {}, deep: pulumi.output({ a: [] }) },
};
declare const plain: Tenant;
export const whole: Manifest<Tenant> = plain;
export const generic = <T extends Deployment | StatefulSet>(manifest: Manifest<T>) => new k8sconnect.KubeObject("it", { manifest });
generic<Deployment>(deployment);
