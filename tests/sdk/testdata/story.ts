// The story as an inline program of the Automation API: story PROJECT STEP INPUTS.
import * as pulumi from "@pulumi/pulumi";
import * as auto from "@pulumi/pulumi/automation";
import * as k8sconnect from "@k8sconnect/pulumi";

/** What differs from step to step. */
interface Inputs {
    space: string; // the namespace that is made
    others: string; // a namespace of someone else, with an object in it
    image: string;
    timeout: string;
    token: string;
    releases: string[];
}

/** What is known after a step. */
interface Result {
    changes: { [operation: string]: number };
    printed: string;
    outputs?: auto.OutputMap;
}

const program = (inputs: Inputs) => async () => {
    const namespace = new k8sconnect.KubeObject("namespace", {
        manifest: { apiVersion: "v1", kind: "Namespace", metadata: { name: inputs.space } },
    });
    const space = namespace.resourceRef.name;
    const token = new k8sconnect.KubeObject("token", {
        manifest: {
            apiVersion: "v1",
            kind: "Secret",
            metadata: { name: "token", namespace: space },
            stringData: { token: pulumi.secret(inputs.token) },
        },
    });
    const labels = { app: "web" };
    const cluster = new k8sconnect.Provider("cluster", { driftDetection: k8sconnect.DriftDetection.Preview });
    const web = new k8sconnect.KubeObject("web", {
        conflictPolicy: k8sconnect.ConflictPolicy.Force,
        deletionPropagation: k8sconnect.DeletionPropagation.Foreground,
        onImmutable: k8sconnect.OnImmutable.Fail,
        manifest: {
            apiVersion: "apps/v1",
            kind: "Deployment",
            metadata: { name: "web", namespace: space },
            spec: {
                replicas: 2,
                selector: { matchLabels: labels },
                template: {
                    metadata: { labels },
                    spec: {
                        containers: [{
                            name: "web",
                            image: inputs.image,
                            // The API server gives the uid, so a preview does not know it.
                            env: [{ name: "TENANT", value: namespace.resourceRef.uid }],
                        }],
                    },
                },
            },
        },
    }, { provider: cluster });
    const rolledOut = new k8sconnect.Wait("rolled-out", {
        resourceRef: web.resourceRef,
        waitFor: { rollout: true, timeout: inputs.timeout },
    });
    for (const release of inputs.releases) {
        new k8sconnect.KubeObject(release, {
            manifest: {
                apiVersion: "v1",
                kind: "ConfigMap",
                metadata: { name: release, namespace: space },
                data: { image: inputs.image },
            },
        }, { dependsOn: rolledOut });
    }
    const registered = new k8sconnect.Patch("registered", {
        target: { apiVersion: "v1", kind: "ConfigMap", namespace: inputs.others, name: "tenants" },
        patch: { data: { newest: space } },
        takeOwnership: true,
        onDestroy: k8sconnect.OnDestroy.Leave,
    }, { dependsOn: rolledOut });
    const tenants = await k8sconnect.getObject({
        apiVersion: "v1", kind: "ConfigMap", namespace: inputs.others, name: "tenants",
    });

    return {
        region: tenants.manifest.data.region,
        uid: web.resourceRef.uid,
        previousOwners: registered.previousOwners,
        token: token.manifest.apply(manifest => manifest.stringData.token),
    };
};

async function run(projectName: string, step: string, inputs: Inputs): Promise<Result> {
    const stack = await auto.LocalWorkspace.createOrSelectStack(
        { stackName: "test", projectName, program: program(inputs) },
        { workDir: "." },
    );
    switch (step) {
        case "preview": {
            const { changeSummary, stdout } = await stack.preview({ diff: true });
            return { changes: changeSummary, printed: stdout };
        }
        case "up": {
            const { summary, stdout, outputs } = await stack.up();
            return { changes: summary.resourceChanges ?? {}, printed: stdout, outputs };
        }
        case "refresh": {
            const { summary, stdout } = await stack.refresh();
            return { changes: summary.resourceChanges ?? {}, printed: stdout };
        }
        case "destroy": {
            const { summary, stdout } = await stack.destroy();
            return { changes: summary.resourceChanges ?? {}, printed: stdout };
        }
    }
    throw new Error(`there is no step ${step}`);
}

const [project = "", step = "", inputs = ""] = process.argv.slice(2);
run(project, step, JSON.parse(inputs)).then(
    result => console.log(JSON.stringify(result)),
    error => {
        console.error(error.message);
        process.exitCode = 1;
    },
);
