import * as k8sconnect from "@k8sconnect/pulumi";

/** Everything that one tenant gets. */
export const program = (tenant: string, image: string, timeout: string) => async () => {
    const namespace = new k8sconnect.KubeObject("namespace", {
        manifest: { apiVersion: "v1", kind: "Namespace", metadata: { name: tenant } },
    });
    // Objects that take their namespace from this resource are created after it and destroyed before it.
    const space = namespace.resourceRef.name;
    const quota = new k8sconnect.KubeObject("quota", {
        manifest: {
            apiVersion: "v1",
            kind: "ResourceQuota",
            metadata: { name: "quota", namespace: space },
            spec: { hard: { "pods": "10", "requests.cpu": "2", "requests.memory": "4Gi" } },
        },
    });
    const policy = new k8sconnect.KubeObject("policy", {
        manifest: {
            apiVersion: "networking.k8s.io/v1",
            kind: "NetworkPolicy",
            metadata: { name: "same-namespace", namespace: space },
            spec: {
                podSelector: {}, // the tenant's pods are reached by the tenant's pods alone
                policyTypes: ["Ingress"],
                ingress: [{ from: [{ podSelector: {} }] }],
            },
        },
    });
    const labels = { app: "web" };
    const web = new k8sconnect.KubeObject("web", {
        manifest: {
            apiVersion: "apps/v1",
            kind: "Deployment",
            metadata: { name: "web", namespace: space },
            spec: {
                selector: { matchLabels: labels },
                template: {
                    metadata: { labels },
                    spec: { containers: [{ name: "web", image, resources: { requests: { cpu: "10m", memory: "16Mi" } } }] },
                },
            },
        },
    }, { dependsOn: [quota, policy] });
    new k8sconnect.Wait("rolled-out", { resourceRef: web.resourceRef, waitFor: { rollout: true, timeout } });
    return { namespace: space, uid: namespace.resourceRef.uid };
};
