// A set and a chart in a cluster that is not the default one. Its objects are resources of their own before, while FORMER says so.
import * as k8sconnect from "@k8sconnect/pulumi";

const namespace = process.env.SPACE!;
const provider = new k8sconnect.Provider("other", { kubeconfig: process.env.OTHER });
const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace }, data: { of: "shop" } };

const itsNamespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
const former: Record<string, string> = { [`shop:Namespace.${namespace}`]: "namespace", [`shop:ConfigMap.${namespace}.settings`]: "settings" };

if (process.env.FORMER === "now") {
    const first = new k8sconnect.KubeObject("namespace", { manifest: itsNamespace }, { provider });
    new k8sconnect.KubeObject("settings", { manifest: settings }, { provider, dependsOn: first });
} else {
    const set = new k8sconnect.Manifests("shop", {
        manifests: [settings, itsNamespace],
        wait: k8sconnect.ManifestsWait.All,
    }, {
        provider,
        transforms: [args => {
            const name = former[args.name];
            if (args.type !== "k8sconnect:index:KubeObject" || name === undefined) {
                return undefined;
            }
            return { props: args.props, opts: { ...args.opts, aliases: [{ name, parent: undefined }] } };
        }],
    });
    const chart = new k8sconnect.Chart("web", { chart: "./web", namespace, values: { color: "red" } }, { provider, dependsOn: set });
    chart.notes.apply(notes => notes?.trim());
    set.resources.apply(refs => refs[`ConfigMap.${namespace}.settings`].uid);
}
