// Every resource with every input: what the types have to accept.
import com.k8sconnect.pulumi.Chart;
import com.k8sconnect.pulumi.ChartArgs;
import com.k8sconnect.pulumi.KubeObject;
import com.k8sconnect.pulumi.KubeObjectArgs;
import com.k8sconnect.pulumi.Manifests;
import com.k8sconnect.pulumi.ManifestsArgs;
import com.k8sconnect.pulumi.Patch;
import com.k8sconnect.pulumi.PatchArgs;
import com.k8sconnect.pulumi.Provider;
import com.k8sconnect.pulumi.ProviderArgs;
import com.k8sconnect.pulumi.ResourceRefs;
import com.k8sconnect.pulumi.Task;
import com.k8sconnect.pulumi.TaskArgs;
import com.k8sconnect.pulumi.Wait;
import com.k8sconnect.pulumi.WaitArgs;
import com.k8sconnect.pulumi.enums.ChartCrds;
import com.k8sconnect.pulumi.enums.ChartHooks;
import com.k8sconnect.pulumi.enums.ConflictPolicy;
import com.k8sconnect.pulumi.enums.DeletionPropagation;
import com.k8sconnect.pulumi.enums.DriftDetection;
import com.k8sconnect.pulumi.enums.HttpScheme;
import com.k8sconnect.pulumi.enums.Keep;
import com.k8sconnect.pulumi.enums.ManifestsWait;
import com.k8sconnect.pulumi.enums.OnDestroy;
import com.k8sconnect.pulumi.enums.OnFailure;
import com.k8sconnect.pulumi.enums.OnImmutable;
import com.k8sconnect.pulumi.enums.RunOn;
import com.k8sconnect.pulumi.inputs.ClusterConnectionArgs;
import com.k8sconnect.pulumi.inputs.ExecArgs;
import com.k8sconnect.pulumi.inputs.ImpersonationArgs;
import com.k8sconnect.pulumi.inputs.ManifestsEditsArgs;
import com.k8sconnect.pulumi.inputs.ManifestsImageArgs;
import com.k8sconnect.pulumi.inputs.ManifestsOverrideArgs;
import com.k8sconnect.pulumi.inputs.ManifestsPatchArgs;
import com.k8sconnect.pulumi.inputs.ManifestsPatchTargetArgs;
import com.k8sconnect.pulumi.inputs.ManifestsSelectArgs;
import com.k8sconnect.pulumi.inputs.PatchTargetArgs;
import com.k8sconnect.pulumi.inputs.ReadinessRuleArgs;
import com.k8sconnect.pulumi.inputs.IgnoreRuleArgs;
import com.k8sconnect.pulumi.inputs.ResourceRefArgs;
import com.k8sconnect.pulumi.inputs.WaitCountArgs;
import com.k8sconnect.pulumi.inputs.WaitForArgs;
import com.k8sconnect.pulumi.inputs.WaitForHttpArgs;
import com.k8sconnect.pulumi.inputs.WaitSelectorArgs;
import com.pulumi.Context;
import com.pulumi.Pulumi;
import com.pulumi.core.Either;
import com.pulumi.core.Output;
import com.pulumi.resources.ComponentResourceOptions;
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
            .ignore(IgnoreRuleArgs.builder()
                .kinds("Deployment.apps")
                .namespaces("shop")
                .fields("spec.replicas")
                .managers("vpa-recommender")
                .build())
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
            .http(WaitForHttpArgs.builder().path("/healthz").port(8080).scheme(HttpScheme.Https).status(200, 401).build())
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
            .ignoreManagers("vpa-recommender")
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
            .onFailure(OnFailure.Warn)
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

        var selector = WaitSelectorArgs.builder()
            .apiVersion("v1")
            .kind("Pod")
            .namespace("default")
            .labelSelector("app=web")
            .build();
        var counts = Map.of(
            "at-least", WaitCountArgs.builder().atLeast(3).build(),
            "exactly", WaitCountArgs.builder().exactly(3).build(),
            "all", WaitCountArgs.builder().all(true).build());
        counts.forEach((name, count) -> new Wait(name, WaitArgs.builder()
            .selector(selector)
            .count(count)
            .waitFor(WaitForArgs.builder().ready(true).build())
            .build()));

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
        new Patch("after", PatchArgs.builder()
            .patch(Map.of("data", Map.of("b", "1")))
            .takeOwnership(true)
            .target(patch.resourceRef().applyValue(ref -> PatchTargetArgs.builder()
                .apiVersion(ref.apiVersion())
                .kind(ref.kind())
                .namespace(ref.namespace().orElse(null))
                .name(ref.name())
                .build()))
            .build());

        var task = new Task("task", TaskArgs.builder()
            .manifest(Map.of("apiVersion", "batch/v1", "kind", "Job", "metadata", Map.of("name", "task")))
            .runOn(List.of(Either.ofRight(RunOn.Create), Either.ofLeft("delete")))
            .triggers(object.resourceRef())
            .with(Map.of("apiVersion", "v1", "kind", "Secret", "stringData", Map.of("token", token)))
            .timeout("5m")
            .keep(Keep.Always)
            .logLines(5)
            .forceDestroy(true)
            .clusterConnection(connection)
            .build());
        ctx.export("log", task.log());

        var set = new Manifests("set", ManifestsArgs.builder()
            .manifests(List.of(object.manifest(), Map.of("apiVersion", "v1", "kind", "Secret", "stringData", Map.of("token", token))))
            .namespace("shop")
            .edits(ManifestsEditsArgs.builder()
                .labels(Map.of("team", "shop"))
                .annotations(Map.of("owner", "shop"))
                .images(ManifestsImageArgs.builder().name("web").newName("mirror.example/web").newTag("2").digest("sha256:0").build())
                .patches(ManifestsPatchArgs.builder()
                    .patch("- {op: remove, path: /data}")
                    .target(ManifestsPatchTargetArgs.builder()
                        .group("apps").version("v1").labelSelector("app=web").annotationSelector("owner").build())
                    .build())
                .build())
            .overrides(ManifestsOverrideArgs.builder()
                .select(ManifestsSelectArgs.builder().kind("Secret").name("t*").build())
                .optional(true)
                .conflictPolicy(ConflictPolicy.Fail)
                .ignoreManagers("vpa-recommender")
                .build())
            .ignoreManagers("cert-manager-cainjector")
            .wait_(ManifestsWait.All)
            .clusterConnection(connection)
            .build(), ComponentResourceOptions.builder().providers(provider).build());
        var release = new Chart("release", ChartArgs.builder()
            .chart("shop")
            .repo("https://charts.example.com")
            .version("^1.2")
            .digest("sha256:0")
            .repoUsername("reader")
            .repoPassword(token)
            .repoCaCertificate("-----BEGIN CERTIFICATE-----")
            .values(Map.of("replicas", 2, "database", Map.of("size", 1)))
            .valueFiles("values.yaml")
            .releaseName("shop")
            .namespace("shop")
            .crds(ChartCrds.Include)
            .hooks(ChartHooks.Run)
            .lookup("none")
            .kubeVersion("1.36")
            .apiVersions("monitoring.coreos.com/v1")
            .isUpgrade(false)
            .unset("image.tag")
            .rotate("password")
            .clusterConnection(connection)
            .build(), ComponentResourceOptions.builder().providers(provider).build());
        ctx.export("notes", release.notes());
        new Manifests("files", ManifestsArgs.builder().files("manifests/*.yaml").wait_("none").build());
        new Manifests("text", ManifestsArgs.builder().content(Output.ofSecret("kind: ConfigMap")).build());
        new Manifests("built", ManifestsArgs.builder().kustomization("overlays/production").build());
        ctx.export("inTheSet", set.resources().applyValue(refs -> refs.get("Secret.token").uid()));

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
