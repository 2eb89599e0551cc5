package sets

// ArgoCD is in the shape of Argo CD's install.yaml: 60 objects, most of whose size is in three definitions.
func ArgoCD() Set {
	const application, group = "argocd", "argoproj.io"
	of := func(name string) component { return component{application, application, application + "-" + name} }
	controller, applicationSets, dex := of("application-controller"), of("applicationset-controller"), of("dex-server")
	notifications, redis, repository, server := of("notifications-controller"), of("redis"), of("repo-server"), of("server")
	common := of("cm")

	var objects []Object
	for _, d := range []definition{
		{group: group, version: "v1alpha1", kind: "Application", plural: "applications", bytes: 280_000, depth: 13, words: 10},
		{group: group, version: "v1alpha1", kind: "ApplicationSet", plural: "applicationsets", bytes: 380_000, depth: 16},
		{group: group, version: "v1alpha1", kind: "AppProject", plural: "appprojects", bytes: 210_000, depth: 12, words: 16},
	} {
		objects = append(objects, d.object())
	}
	for _, c := range []component{controller, applicationSets, dex, notifications, redis, repository, server} {
		objects = append(objects, c.serviceAccount(), c.networkPolicy(8080, 8082))
	}
	for _, c := range []component{controller, applicationSets, dex, notifications, redis, server} {
		objects = append(objects, c.role(c.namespace, rules(group, "applications", "applicationsets", "appprojects"))...)
	}
	for _, c := range []component{controller, applicationSets, server} {
		objects = append(objects, c.clusterRole(rules(group, "applications", "applicationsets", "appprojects"))...)
	}
	for _, c := range []component{applicationSets, dex, notifications, redis, repository, server} {
		objects = append(objects, c.workload("Deployment", 30, 8080))
	}
	return newSet("argo-cd", application, objects, []Object{
		controller.workload("StatefulSet", 45, 8082),
		controller.service("argocd-metrics", 8082), applicationSets.service(applicationSets.name, 7000, 8080),
		dex.service(dex.name, 5556, 5557, 5558), notifications.service("argocd-notifications-controller-metrics", 9001),
		redis.service(redis.name, 6379), repository.service(repository.name, 8081, 8084),
		server.service(server.name, 80, 443), server.service("argocd-server-metrics", 8083),
		common.configMap("argocd-cm", 400, "resource.customizations"),
		common.configMap("argocd-cmd-params-cm", 50, "server.insecure", "controller.log.level"),
		common.configMap("argocd-gpg-keys-cm", 50, "keys"), common.configMap("argocd-notifications-cm", 2_000, "templates"),
		common.configMap("argocd-rbac-cm", 500, "policy.csv"), common.configMap("argocd-ssh-known-hosts-cm", 4_000, "ssh_known_hosts"),
		common.configMap("argocd-tls-certs-cm", 50, "certificates"),
		common.object("v1", "Secret", "argocd-secret", Object{"type": "Opaque"}),
		common.object("v1", "Secret", "argocd-notifications-secret", Object{"type": "Opaque"}),
	})
}
