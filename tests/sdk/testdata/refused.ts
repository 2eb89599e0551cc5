// What Manifest<T> refuses: the lines with a comment at the end, with the error that it says, and no others.
import * as pulumi from "@pulumi/pulumi";
import type { types } from "@pulumi/kubernetes";
import type { Deployment } from "kubernetes-types/apps/v1";
import type { ConfigMap } from "kubernetes-types/core/v1";
import type { Manifest } from "@k8sconnect/pulumi";

const text = pulumi.output("a");
const count = pulumi.output(1);
const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "config" } } as const;
const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } } as const;

export const deployment: Manifest<Deployment> = {
    ...web,
    spec: {
        replica: 3, // 'replica' does not exist
        selector: { matchLabels: { app: "web" } },
        template: { spec: { containers: [] } },
    },
};
export const deeper: Manifest<Deployment> = {
    ...web,
    spec: {
        replicas: "3", // Type 'string' is not assignable to type 'Value<number | undefined>'
        selector: { matchLabels: { app: count } }, // Type 'OutputInstance<number>' is not assignable to type 'Value<string>'
        template: {
            spec: {
                containers: [
                    { image: text }, // Property 'name' is missing
                    { name: "web", imag: text }, // 'imag' does not exist
                    { name: text, ports: [{ containerPort: text }] }, // Type 'Output<string>' is not assignable to type 'Value<number>'
                ],
            },
        },
    },
};
export const noSelector: Manifest<Deployment> = {
    ...web,
    spec: { template: { spec: { containers: [] } } }, // Property 'selector' is missing
};

export const noVersion: Manifest<ConfigMap> = { kind: "ConfigMap", metadata: { name: "x" } }; // Property 'apiVersion' is missing
export const noKind: Manifest<ConfigMap> = { apiVersion: "v1", metadata: { name: "x" } }; // Property 'kind' is missing
export const noMetadata: Manifest<ConfigMap> = { apiVersion: "v1", kind: "ConfigMap" }; // Property 'metadata' is missing
export const noName: Manifest<ConfigMap> = { ...config, metadata: { namespace: "x" } }; // Property 'name' is missing
export const theirs: Manifest<types.input.core.v1.ConfigMap> = { ...config, metadata: { namespace: "x" } }; // Property 'name' is missing
export const otherKind: Manifest<ConfigMap> = { ...config, kind: "Secret" }; // Type '"Secret"' is not assignable
export const typo: Manifest<ConfigMap> = { ...config, dta: {} }; // 'dta' does not exist
export const wholeOutput: Manifest<ConfigMap> = { ...config, metadata: pulumi.output({ name: 1 }) }; // is not assignable to type 'Value<ObjectMeta

interface Tenant {
    apiVersion: "example.com/v1";
    kind: "Tenant";
    metadata: { name: string };
    spec: {
        size: "small" | "large";
        range: [number, number];
        store: { kind: "disk"; gigabytes: number } | { kind: "bucket"; url: string };
        extra?: { [key: string]: string };
        items: readonly { a: string }[];
    };
}
const id = { apiVersion: "example.com/v1", kind: "Tenant", metadata: { name: "tenant" } } as const;
const rest: Tenant["spec"] = { size: "small", range: [1, 2], store: { kind: "disk", gigabytes: 1 }, items: [] };
export const word: Manifest<Tenant> = { ...id, spec: { ...rest, size: "medium" } }; // Type '"medium"' is not assignable
export const later: Manifest<Tenant> = { ...id, spec: { ...rest, size: text } }; // Type 'Output<string>' is not assignable
export const short: Manifest<Tenant> = { ...id, spec: { ...rest, range: [1] } }; // Source has 1 element(s) but target requires 2
export const mixed: Manifest<Tenant> = { ...id, spec: { ...rest, store: { kind: "disk", url: text } } }; // is not assignable
export const index: Manifest<Tenant> = { ...id, spec: { ...rest, extra: { a: count } } }; // is not assignable to type 'Value<string>'
export const item: Manifest<Tenant> = { ...id, spec: { ...rest, items: [{ a: text }, { a: 1 }] } }; // Type 'number' is not assignable
export const more: Manifest<Tenant> = { ...id, spec: { ...rest, items: [{ a: text, b: 1 }] } }; // 'b' does not exist
export const missing: Manifest<Tenant> = { ...id, spec: { size: "small" } }; // missing the following properties
