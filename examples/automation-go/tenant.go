package main

import (
	"github.com/k8sconnect/pulumi-k8sconnect/sdk/go/k8sconnect"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// program is everything that one tenant gets.
func (p *platform) program(tenant string) pulumi.RunFunc {
	return func(ctx *pulumi.Context) error {
		namespace, err := object(ctx, "namespace", "v1", "Namespace", values{"name": tenant}, nil)
		if err != nil {
			return err
		}
		// The others take their namespace from its outputs, so they are created after it and deleted before it.
		space := namespace.ResourceRef.Name()
		quota, err := object(ctx, "quota", "v1", "ResourceQuota", values{"name": "quota", "namespace": space}, values{
			"hard": values{"pods": "10", "requests.cpu": "2", "requests.memory": "4Gi"},
		})
		if err != nil {
			return err
		}
		policy, err := object(ctx, "policy", "networking.k8s.io/v1", "NetworkPolicy", values{"name": "same-namespace", "namespace": space}, values{
			"podSelector": values{}, // all of the tenant's pods hear only each other
			"policyTypes": []string{"Ingress"},
			"ingress":     []values{{"from": []values{{"podSelector": values{}}}}},
		})
		if err != nil {
			return err
		}
		labels := values{"app": "web"}
		web, err := object(ctx, "web", "apps/v1", "Deployment", values{"name": "web", "namespace": space}, values{
			"selector": values{"matchLabels": labels},
			"template": values{
				"metadata": values{"labels": labels},
				"spec": values{"containers": []values{{
					"name": "web", "image": p.image,
					"resources": values{"requests": values{"cpu": "10m", "memory": "16Mi"}},
				}}},
			},
		}, pulumi.DependsOn([]pulumi.Resource{quota, policy}))
		if err != nil {
			return err
		}
		_, err = k8sconnect.NewWait(ctx, "rolled-out", &k8sconnect.WaitArgs{
			ResourceRef: web.ResourceRef,
			WaitFor:     k8sconnect.WaitForArgs{Rollout: pulumi.Bool(true), Timeout: pulumi.String(p.timeout)},
		})
		ctx.Export("namespace", space)
		ctx.Export("uid", namespace.ResourceRef.Uid())
		return err
	}
}

type values = map[string]any

func object(ctx *pulumi.Context, name, apiVersion, kind string, metadata, spec values, options ...pulumi.ResourceOption) (*k8sconnect.KubeObject, error) {
	manifest := values{"apiVersion": apiVersion, "kind": kind, "metadata": metadata}
	if spec != nil {
		manifest["spec"] = spec
	}
	return k8sconnect.NewKubeObject(ctx, name, &k8sconnect.KubeObjectArgs{Manifest: pulumi.Any(manifest)}, options...)
}
