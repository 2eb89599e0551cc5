import * as fs from "node:fs";
import * as k8sconnect from "@k8sconnect/pulumi";
import * as kinds from "@k8sconnect/kinds";

const space = new kinds.core.v1.Namespace("namespace", { metadata: { name: "typed-typescript" } });
const namespace = space.metadata.name;
const labels = { "app.kubernetes.io/name": "web" };

const web = new kinds.apps.v1.Deployment("web", {
    metadata: { name: "web", namespace },
    spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
            metadata: { labels },
            spec: { containers: [{ name: "web", image: "nginx:1.29", resources: { requests: { cpu: "10m" } } }] },
        },
    },
    // What is not a field of the kind is an option of the provider.
    k8sconnect: { ignoreFields: ["spec.replicas"] },
});

new kinds.core.v1.Service("web", {
    metadata: { name: "web", namespace },
    spec: { selector: labels, ports: [{ port: 80, targetPort: 80 }] },
});

new kinds.autoscaling.v2.HorizontalPodAutoscaler("web", {
    metadata: { name: "web", namespace },
    spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: web.metadata.name },
        minReplicas: 2,
        maxReplicas: 5,
        metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } }],
    },
});

const definition = new k8sconnect.KubeObject("definition", { yaml: fs.readFileSync("../definition.yaml", "utf8") });
const established = new k8sconnect.Wait("established", {
    resourceRef: definition.resourceRef,
    waitFor: { condition: "Established", timeout: "1m" },
});
new kinds.typed.v1.Backup("nightly", {
    metadata: { name: "nightly", namespace },
    spec: { schedule: "0 3 * * *", target: "FarAway" },
    // It owns nothing that would have to be deleted first.
    k8sconnect: { deletionPropagation: "Background" },
}, { dependsOn: established });

// The reference of a typed resource fits a Wait as it is.
new k8sconnect.Wait("web", { resourceRef: web.k8sconnect.resourceRef, waitFor: { rollout: true } });
