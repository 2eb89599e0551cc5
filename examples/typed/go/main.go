package main

import (
	"os"

	"github.com/k8sconnect/pulumi-k8sconnect/sdk/go/k8sconnect"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/typed/go/sdks/go/kinds"
	appsv1 "github.com/k8sconnect/pulumi-k8sconnect/examples/typed/go/sdks/go/kinds/apps/v1"
	autoscalingv2 "github.com/k8sconnect/pulumi-k8sconnect/examples/typed/go/sdks/go/kinds/autoscaling/v2"
	corev1 "github.com/k8sconnect/pulumi-k8sconnect/examples/typed/go/sdks/go/kinds/core/v1"
	metav1 "github.com/k8sconnect/pulumi-k8sconnect/examples/typed/go/sdks/go/kinds/meta/v1"
	typedv1 "github.com/k8sconnect/pulumi-k8sconnect/examples/typed/go/sdks/go/kinds/typed/v1"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		space, err := corev1.NewNamespace(ctx, "namespace", &corev1.NamespaceArgs{
			Metadata: metav1.NamedMetaArgs{Name: pulumi.String("typed-go")},
		})
		if err != nil {
			return err
		}
		in := func(name string) metav1.NamedMetaArgs {
			return metav1.NamedMetaArgs{Name: pulumi.String(name), Namespace: space.Metadata.Name()}
		}
		if err := serve(ctx, in); err != nil {
			return err
		}
		return backUp(ctx, in)
	})
}

// serve makes a web server, its Service and its autoscaler.
func serve(ctx *pulumi.Context, in func(name string) metav1.NamedMetaArgs) error {
	labels := pulumi.StringMap{"app.kubernetes.io/name": pulumi.String("web")}
	web, err := appsv1.NewDeployment(ctx, "web", &appsv1.DeploymentArgs{
		Metadata: in("web"),
		Spec: appsv1.DeploymentSpecArgs{
			Replicas: pulumi.Int(1),
			Selector: metav1.LabelSelectorArgs{MatchLabels: labels},
			Template: corev1.PodTemplateSpecArgs{
				Metadata: metav1.ObjectMetaArgs{Labels: labels},
				Spec: corev1.PodSpecArgs{Containers: corev1.ContainerArray{corev1.ContainerArgs{
					Name: pulumi.String("web"), Image: pulumi.String("nginx:1.29"),
					Resources: corev1.ResourceRequirementsArgs{Requests: pulumi.Map{"cpu": pulumi.String("10m")}},
				}}},
			},
		},
		// What is not a field of the kind is an option of the provider.
		K8sconnect: kinds.KindOptionsArgs{IgnoreFields: pulumi.StringArray{pulumi.String("spec.replicas")}},
	})
	if err != nil {
		return err
	}
	if _, err := corev1.NewService(ctx, "web", &corev1.ServiceArgs{
		Metadata: in("web"),
		Spec: corev1.ServiceSpecArgs{
			Selector: labels,
			Ports:    corev1.ServicePortArray{corev1.ServicePortArgs{Port: pulumi.Int(80), TargetPort: pulumi.Int(80)}},
		},
	}); err != nil {
		return err
	}
	if _, err := autoscalingv2.NewHorizontalPodAutoscaler(ctx, "web", &autoscalingv2.HorizontalPodAutoscalerArgs{
		Metadata: in("web"),
		Spec: autoscalingv2.HorizontalPodAutoscalerSpecArgs{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReferenceArgs{
				ApiVersion: pulumi.String("apps/v1"), Kind: pulumi.String("Deployment"), Name: web.Metadata.Name(),
			},
			MinReplicas: pulumi.Int(2), MaxReplicas: pulumi.Int(5),
		},
	}); err != nil {
		return err
	}
	// The reference of a typed resource fits a Wait as it is.
	_, err = k8sconnect.NewWait(ctx, "web", &k8sconnect.WaitArgs{
		ResourceRef: web.K8sconnect.ResourceRef(), WaitFor: k8sconnect.WaitForArgs{Rollout: pulumi.Bool(true)},
	})
	return err
}

// backUp defines a kind of backups, and makes one.
func backUp(ctx *pulumi.Context, in func(name string) metav1.NamedMetaArgs) error {
	text, err := os.ReadFile("../definition.yaml")
	if err != nil {
		return err
	}
	definition, err := k8sconnect.NewKubeObject(ctx, "definition", &k8sconnect.KubeObjectArgs{Yaml: pulumi.String(text)})
	if err != nil {
		return err
	}
	established, err := k8sconnect.NewWait(ctx, "established", &k8sconnect.WaitArgs{
		ResourceRef: definition.ResourceRef,
		WaitFor:     k8sconnect.WaitForArgs{Condition: pulumi.String("Established"), Timeout: pulumi.String("1m")},
	})
	if err != nil {
		return err
	}
	_, err = typedv1.NewBackup(ctx, "nightly", &typedv1.BackupArgs{
		Metadata: in("nightly"),
		Spec:     typedv1.BackupSpecArgs{Schedule: pulumi.String("0 3 * * *"), Target: typedv1.BackupSpecTargetFarAway},
		// It owns nothing that would have to be deleted first.
		K8sconnect: kinds.KindOptionsArgs{DeletionPropagation: pulumi.String("Background")},
	}, pulumi.DependsOn([]pulumi.Resource{established}))
	return err
}
