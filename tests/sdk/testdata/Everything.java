// Every resource with every input: what the types have to accept.
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
import com.k8sconnect.pulumi.inputs.ClusterConnectionArgs;
import com.k8sconnect.pulumi.inputs.ExecArgs;
import com.k8sconnect.pulumi.inputs.ImpersonationArgs;
import com.k8sconnect.pulumi.inputs.PatchTargetArgs;
import com.k8sconnect.pulumi.inputs.ReadinessRuleArgs;
import com.k8sconnect.pulumi.inputs.ResourceRefArgs;
import com.k8sconnect.pulumi.inputs.WaitForArgs;
import com.pulumi.Context;
import com.pulumi.Pulumi;
import com.pulumi.core.Either;
import com.pulumi.core.Output;
import com.pulumi.resources.CustomResourceOptions;
import java.util.List;
import java.util.Map;
import java.util.Optional;

public class Everything {
    public static void main(String[] args) {
        Pulumi.run(Everything::stack);
    }

    static void stack(Context ctx) {
        var token = Output.ofSecret("token");
        var connection = ClusterConnectionArgs.builder()
            .clientCertificate("certificate")
            .clientKey(Output.ofSecret("key"))
            .clusterCaCertificate("certificates")
            .context("dev")
            .exec(ExecArgs.builder()
                .apiVersion("client.authentication.k8s.io/v1")
                .args("get-token")
                .command("login")
                .env(Map.of("REGION", "north"))
                .build())
            .host("https://127.0.0.1:6443")
            .impersonate(ImpersonationArgs.builder()
                .user("jane")
                .groups("dev")
                .extra(Map.of("scopes", List.of("view")))
                .build())
            .insecure(false)
            .kubeconfig("kubeconfig")
            .proxyUrl("http://127.0.0.1:3128")
            .tlsServerName("kubernetes")
            .token(token)
            .build();

        var provider = new Provider("cluster", ProviderArgs.builder()
            .kubeconfig("kubeconfig")
            .namespace("default")
            .driftDetection(DriftDetection.Refresh)
            .conflictPolicy(ConflictPolicy.Fail)
            .resumeWithin("30m")
            .forgetClusters("0b5e2a1c-0000-0000-0000-000000000000")
            .readiness(ReadinessRuleArgs.builder()
                .kinds("*.example.org")
                .expression("object.status.up")
                .failWhen("object.status.broken")
                .build())
            .build());
        var with = CustomResourceOptions.builder().provider(provider).build();

        var waitFor = WaitForArgs.builder()
            .condition("Ready")
            .deleted(false)
            .expression("object.status.readyReplicas >= 1")
            .failWhen("object.status.phase == 'Lost'")
            .field("status.phase")
            .fieldValue(Map.of("status.phase", "Bound"))
            .ready(true)
            .rollout(true)
            .timeout("5m")
            .build();

        var object = new KubeObject("object", KubeObjectArgs.builder()
            .adopt(true)
            .clusterConnection(connection)
            .conflictPolicy(ConflictPolicy.Fail)
            .deleteInstances(false)
            .deletionPropagation(DeletionPropagation.Foreground)
            .forceDestroy(false)
            .takeOverFrom("helm")
            .ignoreFields("spec.replicas")
            .manifest(Map.of(
                "apiVersion", "v1",
                "kind", "ConfigMap",
                "metadata", Map.of("name", "object"),
                "data", Map.of("token", token)))
            .onImmutable(OnImmutable.Fail)
            .build(), with);

        // What has an enum takes strings, computed ones too.
        var other = new Provider("other", ProviderArgs.builder().driftDetection("refresh").build());
        var fromText = new KubeObject("text", KubeObjectArgs.builder()
            .yaml("kind: ConfigMap")
            .conflictPolicy("fail")
            .deletionPropagation("Foreground")
            .onImmutable(Output.of("fail").applyValue(Either::ofLeft))
            .build(), CustomResourceOptions.builder().provider(other).build());

        var wait = new Wait("wait", WaitArgs.builder()
            .clusterConnection(connection)
            .resourceRef(ResourceRefs.of(object.resourceRef()))
            .triggers(object.resourceRef(), 1)
            .waitFor(waitFor)
            .build());

        new Wait("literal", WaitArgs.builder()
            .resourceRef(ResourceRefArgs.builder()
                .apiVersion("v1")
                .kind("Pod")
                .name("pod")
                .namespace("default")
                .revision("1")
                .uid("u")
                .build())
            .waitFor(WaitForArgs.builder().condition("Ready").build())
            .build(), CustomResourceOptions.builder().dependsOn(wait).build());

        var patch = new Patch("patch", PatchArgs.builder()
            .clusterConnection(connection)
            .patch(Map.of("data", Map.of("a", "1")))
            .takeOwnership(true)
            .takeOverFrom("k8sconnect-shop.*")
            .onDestroy(OnDestroy.Remove)
            .target(PatchTargetArgs.builder()
                .apiVersion("v1")
                .kind("ConfigMap")
                .name("other")
                .namespace("kube-system")
                .build())
            .waitFor(waitFor)
            .build());

        var target = PatchTargetArgs.builder().apiVersion("v1").kind("ConfigMap").name("other").build();
        new Patch("json", PatchArgs.builder()
            .jsonPatch(List.of(Map.of("op", "add", "path", "/data/a", "value", "1")))
            .onDestroy("remove")
            .takeOwnership(true)
            .target(target)
            .build());
        new Patch("merge", PatchArgs.builder()
            .mergePatch("{\"data\": {\"a\": null}}")
            .takeOwnership(true)
            .target(target)
            .build());

        Output<Optional<Map<String, String>>> owners = patch.previousOwners();
        ctx.export("owners", owners);
        ctx.export("uid", object.resourceRef().applyValue(ref -> ref.uid()));
        ctx.export("live", Output.all(
            object.manifest().applyValue(Object.class::cast),
            fromText.manifest().applyValue(Object.class::cast),
            patch.managedFields().applyValue(Object.class::cast),
            wait.status().applyValue(Object.class::cast)));
    }
}
