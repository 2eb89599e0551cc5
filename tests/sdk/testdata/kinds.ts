// Typed kinds: a Deployment, its Service, and a custom kind.
import * as k8sconnect from "@k8sconnect/pulumi";
import * as kinds from "@k8sconnect/kinds";

const namespace = process.env.SPACE;
const labels = { app: "web" };
const settings = new kinds.core.v1.ConfigMap("settings", { metadata: { name: "settings", namespace }, data: { "log.level": "info" } });
const web = new kinds.apps.v1.Deployment("web", {
    metadata: { name: "web", namespace },
    spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
    },
    k8sconnect: { ignoreFields: ["spec.paused"] },
}, {
    transforms: [({ props, opts }) => ({ props: { ...props, metadata: { ...props.metadata, labels: { transformed: "yes" } } }, opts })],
});
new kinds.core.v1.Service("web", { metadata: { name: "web", namespace }, spec: { selector: labels, ports: [{ port: 80, targetPort: "http" }] } });
new kinds.example.v1.Crate("crate", { metadata: { name: "crate", namespace }, spec: { size: "large", kebab__name: settings.metadata.name } });
new k8sconnect.Wait("web", { resourceRef: web.k8sconnect.resourceRef, waitFor: { condition: "Available" } });
export const replicas = web.spec.apply((spec) => spec?.replicas);
export const waitedFor = web.k8sconnect.resourceRef.name;
