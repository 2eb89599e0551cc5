import * as pulumi from "@pulumi/pulumi";

/**
 * The manifest of an object of type `T`, in which every value may be an Output. `T` is the plain type of a Kubernetes
 * object: one of a package such as `kubernetes-types`, or an interface of your own for a custom kind. `apiVersion`,
 * `kind` and `metadata.name` are required, also where `T` does not require them.
 *
 * ```typescript
 * const web: k8sconnect.Manifest<Deployment> = { apiVersion: "apps/v1", kind: "Deployment", ... };
 * new k8sconnect.KubeObject("web", { manifest: web });
 * ```
 */
export type Manifest<T> = Plain<Named<{ [K in keyof T]: Known<T[K]> }>>;

// What the provider needs of every object.
type Named<T> = T & { apiVersion: string; kind: string; metadata: { name: string } };

// A type that has Outputs in it already, such as those of @pulumi/kubernetes, is taken for the plain one.
type Known<T> = T extends pulumi.OutputInstance<infer U> | Promise<infer U> ? U : T;

// A union is not taken apart here, so that an Output of the whole union is a value of it.
type Value<T> = pulumi.Input<Plain<T>>;

type Plain<T> =
    0 extends 1 & T ? T : // any
    T extends string | number | boolean | bigint | null | undefined ? T :
    T extends pulumi.OutputInstance<infer U> ? Plain<U> :
    T extends Promise<infer U> ? Plain<U> :
    T extends readonly unknown[] ? { readonly [K in keyof T]: Value<T[K]> } :
    T extends object ? { [K in keyof T]: Value<T[K]> } :
    T;
