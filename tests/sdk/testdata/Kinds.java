// Typed kinds: a Deployment, its Service, and a custom kind.
import com.k8sconnect.kinds.apps.v1.Deployment;
import com.k8sconnect.kinds.apps.v1.DeploymentArgs;
import com.k8sconnect.kinds.apps.v1.inputs.DeploymentSpecArgs;
import com.k8sconnect.kinds.core.v1.ConfigMap;
import com.k8sconnect.kinds.core.v1.ConfigMapArgs;
import com.k8sconnect.kinds.core.v1.Service;
import com.k8sconnect.kinds.core.v1.ServiceArgs;
import com.k8sconnect.kinds.core.v1.inputs.ContainerArgs;
import com.k8sconnect.kinds.core.v1.inputs.PodSpecArgs;
import com.k8sconnect.kinds.core.v1.inputs.PodTemplateSpecArgs;
import com.k8sconnect.kinds.core.v1.inputs.ServicePortArgs;
import com.k8sconnect.kinds.core.v1.inputs.ServiceSpecArgs;
import com.k8sconnect.kinds.enums.ConflictPolicy;
import com.k8sconnect.kinds.example.v1.Crate;
import com.k8sconnect.kinds.example.v1.CrateArgs;
import com.k8sconnect.kinds.example.v1.enums.CrateSpecSize;
import com.k8sconnect.kinds.example.v1.inputs.CrateSpecArgs;
import com.k8sconnect.kinds.inputs.KindOptionsArgs;
import com.k8sconnect.kinds.meta.v1.inputs.LabelSelectorArgs;
import com.k8sconnect.kinds.meta.v1.inputs.NamedMetaArgs;
import com.k8sconnect.kinds.meta.v1.inputs.ObjectMetaArgs;
import com.k8sconnect.pulumi.ResourceRefs;
import com.k8sconnect.pulumi.Wait;
import com.k8sconnect.pulumi.WaitArgs;
import com.k8sconnect.pulumi.inputs.WaitForArgs;
import com.pulumi.Pulumi;
import java.util.Map;

public class Kinds {
    public static void main(String[] args) {
        Pulumi.run(ctx -> {
            var labels = Map.of("app", "web");
            new ConfigMap("settings", ConfigMapArgs.builder()
                .metadata(named("settings"))
                .data(Map.of("log.level", "info"))
                .build());
            var web = new Deployment("web", DeploymentArgs.builder()
                .metadata(named("web"))
                .spec(DeploymentSpecArgs.builder()
                    .replicas(1)
                    .selector(LabelSelectorArgs.builder().matchLabels(labels).build())
                    .template(PodTemplateSpecArgs.builder()
                        .metadata(ObjectMetaArgs.builder().labels(labels).build())
                        .spec(PodSpecArgs.builder().containers(ContainerArgs.builder().name("web").image("web:1").build()).build())
                        .build())
                    .build())
                .k8sconnect(KindOptionsArgs.builder().ignoreFields("spec.paused").conflictPolicy(ConflictPolicy.Force).build())
                .build());
            new Service("web", ServiceArgs.builder()
                .metadata(named("web"))
                .spec(ServiceSpecArgs.builder()
                    .selector(labels)
                    .ports(ServicePortArgs.builder().port(80).targetPort("http").build())
                    .build())
                .build());
            new Crate("crate", CrateArgs.builder()
                .metadata(named("crate"))
                .spec(CrateSpecArgs.builder().size(CrateSpecSize.Large).build())
                .build());
            var reference = web.k8sconnect().applyValue(applied -> applied.resourceRef());
            new Wait("web", WaitArgs.builder()
                .resourceRef(ResourceRefs.of(reference))
                .waitFor(WaitForArgs.builder().condition("Available").build())
                .build());
            ctx.export("replicas", web.spec().applyValue(spec -> spec.flatMap(filled -> filled.replicas())));
            ctx.export("waitedFor", reference.applyValue(ref -> ref.name()));
        });
    }

    static NamedMetaArgs named(String name) {
        return NamedMetaArgs.builder().name(name).namespace(System.getenv("SPACE")).build();
    }
}
