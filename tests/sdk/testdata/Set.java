// A set and a chart in a cluster that is not the default one.
import com.k8sconnect.pulumi.Chart;
import com.k8sconnect.pulumi.ChartArgs;
import com.k8sconnect.pulumi.Manifests;
import com.k8sconnect.pulumi.ManifestsArgs;
import com.k8sconnect.pulumi.Provider;
import com.k8sconnect.pulumi.ProviderArgs;
import com.k8sconnect.pulumi.enums.ManifestsWait;
import com.pulumi.Pulumi;
import com.pulumi.resources.ComponentResourceOptions;
import java.util.List;
import java.util.Map;

public class Set {
    public static void main(String[] args) {
        Pulumi.run(ctx -> {
            var namespace = System.getenv("SPACE");
            var provider = new Provider("other", ProviderArgs.builder().kubeconfig(System.getenv("OTHER")).build());
            var set = new Manifests("shop", ManifestsArgs.builder()
                .manifests(List.of(
                    Map.of(
                        "apiVersion", "v1",
                        "kind", "ConfigMap",
                        "metadata", Map.of("name", "settings", "namespace", namespace),
                        "data", Map.of("of", "shop")),
                    Map.of("apiVersion", "v1", "kind", "Namespace", "metadata", Map.of("name", namespace))))
                .wait_(ManifestsWait.All)
                // Not .provider(…), which Pulumi's package does not pass on for components.
                .build(), ComponentResourceOptions.builder().providers(provider).build());
            new Chart("web", ChartArgs.builder()
                .chart("./web")
                .namespace(namespace)
                .values(Map.of("color", "red"))
                .build(), ComponentResourceOptions.builder().providers(provider).dependsOn(set).build());
        });
    }
}
