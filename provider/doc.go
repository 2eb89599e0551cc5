// Package provider is the plugin k8sconnect: its resources, functions, configuration and metadata, and its server.
//
// Below it, every resource is a separate package that knows the packages under internal and no other resource. The
// packages under internal know Kubernetes and nothing of Pulumi, except values, which translates between the two.
//
// # The files
//
// The plugin:
//
//   - the resources, components and functions that it serves, and its name and version: provider.go; its server: serve.go
//   - the plugin for `pulumi import --from k8sconnect`: converter_server.go
//   - the schema, and the resources that it does not show: schema.go; the names of the language packages: languages.go
//   - what the processes of one engine remember together: memory.go
//
// The configuration:
//
//   - the settings of the provider and mistakes in them; a change of it, which never replaces the provider: config.go
//   - the setting readiness: readiness_setting.go; the setting ignore: ignore_setting.go; mistakes in the form of either: rule_setting.go
//   - the setting driftDetection, which shows drift without --refresh: refresh_before_update.go
//
// Errors:
//
//   - the reason in brackets at the end of the first line: reasons.go
//   - the error of a Diff, which fails only its own resource (--continue-on-error): postponed_errors.go
//   - refused inputs whose values the engine would print: check_failures.go
//
// Components:
//
//   - children that get the provider of their component: own_provider.go
//   - aliases of a component: component_aliases.go
package provider
