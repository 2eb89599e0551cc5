// The story as a project. The test puts the inputs of a step into the environment.
import com.google.gson.Gson;
import com.k8sconnect.pulumi.K8sconnectFunctions;
import com.k8sconnect.pulumi.KubeObject;
import com.k8sconnect.pulumi.KubeObjectArgs;
import com.k8sconnect.pulumi.Patch;
import com.k8sconnect.pulumi.PatchArgs;
import com.k8sconnect.pulumi.Provider;
import com.k8sconnect.pulumi.ProviderArgs;
import com.k8sconnect.pulumi.ResourceRefs;
import com.k8sconnect.pulumi.Wait;
import com.k8sconnect.pulumi.WaitArgs;
import com.k8sconnect.pulumi.enums.ConflictPolicy;
import com.k8sconnect.pulumi.enums.DeletionPropagation;
import com.k8sconnect.pulumi.enums.DriftDetection;
import com.k8sconnect.pulumi.enums.OnDestroy;
import com.k8sconnect.pulumi.enums.OnImmutable;
import com.k8sconnect.pulumi.inputs.GetObjectArgs;
import com.k8sconnect.pulumi.inputs.PatchTargetArgs;
import com.k8sconnect.pulumi.inputs.WaitForArgs;
import com.pulumi.Context;
import com.pulumi.Pulumi;
import com.pulumi.core.Output;
import com.pulumi.resources.CustomResourceOptions;
import java.util.List;
import java.util.Map;
import java.util.Optional;

public class Story {
    /** What differs from step to step. */
    static class Inputs {
        String space; // the namespace that is made
        String others; // a namespace of someone else, with an object in it
        String image;
        String timeout;
        String token;
        List<String> releases;
    }

    public static void main(String[] args) {
        var inputs = new Gson().fromJson(System.getenv("STORY"), Inputs.class);
        Pulumi.run(ctx -> stack(ctx, inputs));
    }

    static void stack(Context ctx, Inputs inputs) {
        var namespace = new KubeObject("namespace", KubeObjectArgs.builder()
            .manifest(Map.of("apiVersion", "v1", "kind", "Namespace", "metadata", Map.of("name", inputs.space)))
            .build());
        var space = namespace.resourceRef().applyValue(ref -> ref.name());
        var token = new KubeObject("token", KubeObjectArgs.builder()
            .manifest(Map.of(
                "apiVersion", "v1",
                "kind", "Secret",
                "metadata", Map.of("name", "token", "namespace", space),
                "stringData", Map.of("token", Output.ofSecret(inputs.token))))
            .build());
        var labels = Map.of("app", "web");
        var container = Map.of(
            "name", "web",
            "image", inputs.image,
            // The API server gives the uid, so a preview does not know it.
            "env", List.of(Map.of("name", "TENANT", "value", namespace.resourceRef().applyValue(ref -> ref.uid()))));
        var cluster = new Provider("cluster", ProviderArgs.builder().driftDetection(DriftDetection.Preview).build());
        var web = new KubeObject("web", KubeObjectArgs.builder()
            .conflictPolicy(ConflictPolicy.Force)
            .deletionPropagation(DeletionPropagation.Foreground)
            .onImmutable(OnImmutable.Fail)
            .manifest(Map.of(
                "apiVersion", "apps/v1",
                "kind", "Deployment",
                "metadata", Map.of("name", "web", "namespace", space),
                "spec", Map.of(
                    "replicas", 2,
                    "selector", Map.of("matchLabels", labels),
                    "template", Map.of(
                        "metadata", Map.of("labels", labels),
                        "spec", Map.of("containers", List.of(container))))))
            .build(), CustomResourceOptions.builder().provider(cluster).build());
        var rolledOut = new Wait("rolled-out", WaitArgs.builder()
            .resourceRef(ResourceRefs.of(web.resourceRef()))
            .waitFor(WaitForArgs.builder().rollout(true).timeout(inputs.timeout).build())
            .build());
        var afterwards = CustomResourceOptions.builder().dependsOn(rolledOut).build();
        for (var release : inputs.releases) {
            new KubeObject(release, KubeObjectArgs.builder()
                .manifest(Map.of(
                    "apiVersion", "v1",
                    "kind", "ConfigMap",
                    "metadata", Map.of("name", release, "namespace", space),
                    "data", Map.of("image", inputs.image)))
                .build(), afterwards);
        }
        var registered = new Patch("registered", PatchArgs.builder()
            .target(PatchTargetArgs.builder()
                .apiVersion("v1").kind("ConfigMap").namespace(inputs.others).name("tenants").build())
            .patch(Map.of("data", Map.of("newest", space)))
            .takeOwnership(true)
            .onDestroy(OnDestroy.Leave)
            .build(), afterwards);
        var tenants = K8sconnectFunctions.getObject(GetObjectArgs.builder()
            .apiVersion("v1").kind("ConfigMap").namespace(inputs.others).name("tenants").build());

        ctx.export("region", tenants.applyValue(found -> at(found.manifest(), "data", "region")));
        ctx.export("uid", web.resourceRef().applyValue(ref -> ref.uid()));
        ctx.export("previousOwners", registered.previousOwners());
        ctx.export("token", token.manifest().applyValue(manifest -> at(manifest, "stringData", "token")));
    }

    /** Follows keys into an object. */
    static Object at(Optional<Object> object, String... keys) {
        var value = object.orElse(null);
        for (var key : keys) {
            value = value instanceof Map ? ((Map<?, ?>) value).get(key) : null;
        }
        return value;
    }
}
