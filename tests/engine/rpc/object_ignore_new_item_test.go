package rpc_test

import (
	"maps"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestANewItemGetsItsIgnoredFieldsFromTheManifest(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]m{"": nil, " with conflictPolicy: fail": {"conflictPolicy": "fail"}} {
		for _, kind := range []string{"Deployment", "StatefulSet"} {
			t.Run("of a "+kind+name+" [D49]", func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				with := func(containers ...any) m {
					manifest := w.deployment(t, "web")
					spec := manifest["spec"].(m)
					spec["template"].(m)["spec"].(m)["containers"] = containers
					if kind == "StatefulSet" {
						manifest["kind"], spec["serviceName"] = kind, "web"
					}
					return manifest
				}
				main, side := m{"name": "main", "image": "main:1"}, m{"name": "side", "image": "side:1"}
				ignored := ignoring("spec.template.spec.containers[*].image")
				s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(with(main), ignored, more, atOnce))
				_, _, err := s.preview(program(with(main, side), ignored, more, atOnce))
				require.NoError(t, err)
				s.mustUp("update", program(with(main, side), ignored, more, atOnce))
				s.in(s.process.again(t)).mustUp("same", program(with(main, side), ignored, more, atOnce))
				containers := w.value(kind, "web", "spec", "template", "spec", "containers").([]any)
				assert.Len(t, containers, 2)
				assert.Equal(t, "side:1", containers[1].(m)["image"])
			})
		}
	}
}

func TestAnItemThatIsMadeGetsItsIgnoredFieldsAndOneThatIsThereKeepsThem(t *testing.T) {
	t.Parallel()
	main, side := m{"name": "main", "image": "main:1"}, m{"name": "side", "image": "side:1"}
	of := func(t *testing.T, w world, containers ...any) m {
		manifest := w.deployment(t, "web")
		manifest["spec"].(m)["template"].(m)["spec"].(m)["containers"] = containers
		return manifest
	}
	ignored := ignoring("spec.template.spec.containers[*].image")
	images := func(w world) (images []any) {
		for _, container := range w.value("Deployment", "web", "spec", "template", "spec", "containers").([]any) {
			images = append(images, container.(m)["image"])
		}
		return images
	}
	t.Run("one that others have removed comes back with it, and it is released after that [D49]", func(t *testing.T) {
		t.Parallel()
		for name, settings := range map[string]m{"": nil, "without a read before": {"driftDetection": "refresh"}} {
			w, g := newWorld(t), newGateway(t)
			asked := g.watchRequests()
			connection := g.connection()
			maps.Copy(connection, settings)
			in := program(of(t, w, main, side), ignored, atOnce)
			s := start(t, connection).resource(t, "web").mustUp("create", in)
			in = with(t, in, "manifest.spec.replicas", 3)
			s.in(s.process.again(t)).mustUp("update", in)
			w.edit("Deployment", "web", func(o m) {
				containers := dig(o, "spec", "template", "spec")["containers"].([]any)
				containers[0].(m)["image"] = "main:9"
				dig(o, "spec", "template", "spec")["containers"] = containers[:1]
			})
			if settings != nil { // nothing else says that there is something to do
				in = with(t, in, "manifest.spec.replicas", 4)
			}
			s.in(s.process.again(t)).previewed("update", in)
			s.in(s.process.again(t)).mustUp("update", in)
			assert.Equal(t, []any{"main:9", "side:1"}, images(w), name)
			s.in(s.process.again(t)).previewed("same", in)
			s.in(s.process.again(t)).mustUp("same", in)

			asked()
			s.in(s.process.again(t)).mustUp("update", with(t, in, "manifest.spec.replicas", 5))
			if settings == nil {
				assert.Equal(t, []string{"GET", "apply, dry-run", "GET", "json patch", "apply by force"}, asked(), "as after a create")
			}
			assert.NotContains(t, w.ours(t, s, "Deployment", "web"), "f:image")
			assert.Equal(t, []any{"main:9", "side:1"}, images(w), name)
		}
	})
	t.Run("one that others have made keeps theirs [D49]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(of(t, w, main), ignored, atOnce))
		w.edit("Deployment", "web", func(o m) {
			spec := dig(o, "spec", "template", "spec")
			spec["containers"] = append(spec["containers"].([]any), m{"name": "side", "image": "side:9"})
		})
		in := program(of(t, w, main, side), ignored, atOnce)
		s.in(s.process.again(t)).previewed("update", in)
		s.in(s.process.again(t)).mustUp("update", in)
		assert.Equal(t, []any{"main:1", "side:9"}, images(w))
		s.in(s.process.again(t)).mustUp("same", in)
	})
	t.Run("an adoption, and a takeover [D49]", func(t *testing.T) {
		t.Parallel()
		for name, more := range map[string]m{"adopted": nil, "taken over": takingOver("helm")} {
			w := newWorld(t)
			w.apply("helm", of(t, w, m{"name": "main", "image": "main:9"}))
			in := program(of(t, w, main, side), ignored, adopting, more, atOnce)
			s := start(t, inline(newUser(t))).resource(t, "web")
			s.previewed("create", in)
			s.in(s.process.again(t)).mustUp("create", in)
			assert.Equal(t, []any{"main:9", "side:1"}, images(w), name)
			s.in(s.process.again(t)).mustUp("same", in)
			in = program(of(t, w, main, side, m{"name": "third", "image": "third:1"}), ignored, adopting, takingOver("helm", "kubectl"), atOnce)
			s.in(s.process.again(t)).previewed("update", in)
			s.in(s.process.again(t)).mustUp("update", in)
			assert.Equal(t, []any{"main:9", "side:1", "third:1"}, images(w), name)
		}
	})
	t.Run("a port of a Service, which leaves out its protocol [D49]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		service := func(ports ...any) m {
			return m{"apiVersion": "v1", "kind": "Service", "metadata": m{"name": "web", "namespace": w.namespace},
				"spec": m{"type": "NodePort", "selector": m{"app": "web"}, "ports": ports}}
		}
		tcp, udp := m{"name": "tcp", "port": 53}, m{"name": "udp", "port": 53, "protocol": "UDP", "targetPort": 1053}
		ignored := ignoring("spec.ports[*].nodePort", "spec.ports[*].targetPort")
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", program(service(tcp), ignored))
		was := w.value("Service", "web", "spec", "ports").([]any)[0]
		in := program(service(udp, tcp), ignored)
		s.in(s.process.again(t)).previewed("update", in)
		s.in(s.process.again(t)).mustUp("update", in)
		ports := w.value("Service", "web", "spec", "ports").([]any)
		assert.Len(t, ports, 2)
		for _, port := range ports {
			if port.(m)["name"] == "udp" {
				assert.EqualValues(t, 1053, port.(m)["targetPort"], "the optional initial value")
			} else {
				assert.Equal(t, was, port)
			}
		}
		s.in(s.process.again(t)).mustUp("same", in)
	})
	t.Run("a secret value is applied and stays secret [D49]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		ignored := ignoring("spec.template.spec.containers[*].env[*].value")
		with := func(env ...any) resource.PropertyMap {
			return program(of(t, w, m{"name": "main", "image": "main:1", "env": env}), ignored, atOnce)
		}
		plain := m{"name": "A", "value": "a"}
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", with(plain))
		in := with(plain, m{"name": "B", "value": secret("hunter2")})
		s.in(s.process.again(t)).previewed("update", in)
		s.in(s.process.again(t)).mustUp("update", in)
		env := w.value("Deployment", "web", "spec", "template", "spec", "containers").([]any)[0].(m)["env"]
		assert.Equal(t, []any{plain, m{"name": "B", "value": "hunter2"}}, env)
		assert.Empty(t, s.where("hunter2"))
		s.in(s.process.again(t)).mustUp("same", in)
	})
}
