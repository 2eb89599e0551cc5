package sets

import (
	"fmt"
	"strings"
)

// Large is a platform of five operators: 130 objects, fifteen definitions, and three custom resources of each, which have
// values down to the depth of their schemas.
func Large() Set {
	const space = "platform"
	var objects []Object
	for i, operator := range []string{"database", "queue", "cache", "gateway", "backup"} {
		group := operator + ".example.com"
		c := component{space, space, operator + "-operator"}
		var plurals []string
		for j, role := range []string{"Cluster", "User", "Policy"} {
			kind := strings.ToUpper(operator[:1]) + operator[1:] + role
			d := definition{
				group: group, version: "v1", kind: kind, plural: strings.ToLower(kind) + "s",
				bytes: 30_000 + 15_000*(3*i+j), depth: 6 + j*3, words: 8,
			}
			plurals = append(plurals, d.plural)
			objects = append(objects, d.object())
			for n := range 3 {
				objects = append(objects, d.sample(space, fmt.Sprintf("%s-%s-%d", operator, strings.ToLower(role), n), 2+3*n))
			}
		}
		objects = append(objects, c.serviceAccount(), c.workload("Deployment", 10, 8080, "proxy"), c.service(c.name, 8080, 9443),
			c.configMap(c.name, 3_000, "operator.yaml"), c.networkPolicy(8080, 9443))
		objects = append(objects, c.role(space, rules(group, plurals...))...)
		objects = append(objects, c.clusterRole(rules(group, plurals...))...)
	}
	shared := component{space, space, "shared"}
	for i := range 24 {
		objects = append(objects, shared.configMap(fmt.Sprintf("settings-%02d", i), 200+i*100, "settings.json"))
	}
	return newSet("large", space, objects)
}
