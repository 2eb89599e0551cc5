package rpc_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAnotherCurrentContext(t *testing.T) {
	t.Parallel()
	t.Run("a refresh keeps what the state has, with one warning that names both clusters [D8]", func(t *testing.T) {
		t.Parallel()
		c := newTwo(t)
		p := c.to(c.one)
		var all []*session
		for i := range 5 {
			name := fmt.Sprintf("c%d", i)
			all = append(all, p.resource(t, name).mustUp("create", program(c.one.configMap(name, nil))))
		}
		assert.Equal(t, c.one.id, origin(t, all[0])["id"])
		p = c.to(c.two)
		for _, s := range all {
			before := s.outputs
			s.in(p).mustRead()
			requireKept(t, before, s)
		}
		require.Len(t, p.log.warnings(), 1)
		assert.Contains(t, p.log.warnings()[0], "NOT CHECKED")
		c.requireNamed(t, p.log.warnings()[0])
	})
	t.Run("an up makes the object in the new cluster and leaves the old one alone [D8]", func(t *testing.T) {
		t.Parallel()
		c := newTwo(t)
		in := program(c.one.configMap("web", nil))
		s := c.to(c.one).resource(t, "web").mustUp("create", in)
		verify := c.one.untouched(t, "ConfigMap", "web")
		s.in(c.to(c.two))
		did, outputs, err := s.preview(in)
		require.NoError(t, err)
		assert.Equal(t, "replace", did)
		assert.Equal(t, "1", at(t, outputs, "manifest.data.a"))
		diff, err := s.diff(in)
		require.NoError(t, err)
		assert.True(t, diff.DeleteBeforeReplace)
		assert.Equal(t, replacedElsewhere, kinds(t, diff))
		c.requireNamed(t, s.warned())
		assert.Len(t, s.process.log.warnings(), 1)
		assert.Contains(t, s.warned(), "creates them in the latter and leaves those in the former alone")

		s.in(c.to(c.two)).mustUp("replace", in)
		assert.Equal(t, "1", c.two.value("ConfigMap", "web", "data", "a"))
		assert.Contains(t, s.warned(), "Objects were left alone in "+c.one.name())
		assert.Equal(t, c.two.id, origin(t, s)["id"])
		verify()
		s.in(c.to(c.two)).mustUp("same", in)
		assert.Empty(t, s.warned())
		require.NoError(t, s.destroy())
		assert.False(t, c.two.exists("ConfigMap", "web"))
		verify()
	})
	t.Run("a destroy is an error that names both clusters and keeps the state [D8]", func(t *testing.T) {
		t.Parallel()
		for what, destroy := range deletions {
			c := newTwo(t)
			s := c.to(c.one).resource(t, "web").mustUp("create", program(c.one.configMap("web", nil)))
			verify := c.one.untouched(t, "ConfigMap", "web")
			err := destroy(s.in(c.to(c.two)))
			require.ErrorContains(t, err, "ConfigMap "+c.one.namespace+"/web was not deleted", what)
			c.requireNamed(t, err.Error())
			assert.Contains(t, err.Error(), `forgetClusters to ["`+c.one.id+`"]`)
			assert.Contains(t, err.Error(), "PULUMI_K8SCONNECT_FORGET_CLUSTERS="+c.one.id)
			require.NotEmpty(t, s.id)
			verify()
			require.NoError(t, destroy(s.in(c.to(c.one))), "with the right context")
			assert.False(t, c.one.exists("ConfigMap", "web"))
		}
	})
	t.Run("back in the former cluster nothing has happened [D8]", func(t *testing.T) {
		t.Parallel()
		c := newTwo(t)
		in := program(c.one.configMap("web", nil))
		s := c.to(c.one).resource(t, "web").mustUp("create", in)
		s.in(c.to(c.two)).mustRead()
		s.in(c.to(c.one))
		assert.Empty(t, s.mustDiff(in), "Diff looks itself")
		s.mustUp("same", in)
		assert.Nil(t, at(t, s.outputs, "__staleRead"))
		assert.Empty(t, s.warned())
	})
	t.Run("another object of the name is not taken for ours, whoever made it [D8]", func(t *testing.T) {
		t.Parallel()
		c := newTwo(t)
		in := program(c.one.configMap("web", nil))
		s := c.to(c.one).resource(t, "web").mustUp("create", in)
		// The same stack was in the other cluster once.
		former := c.to(c.two).resource(t, "web").mustUp("create", program(c.two.configMap("web", map[string]any{"a": "old"})))
		verifyOne, verifyTwo := c.one.untouched(t, "ConfigMap", "web"), c.two.untouched(t, "ConfigMap", "web")
		require.Equal(t, at(t, former.outputs, "__fieldManager"), at(t, s.outputs, "__fieldManager"))
		before := s.outputs
		s.in(c.to(c.two)).mustRead()
		requireKept(t, before, s)
		for _, destroy := range deletions {
			require.ErrorContains(t, destroy(s.in(c.to(c.two))), "was not deleted")
		}
		assert.Equal(t, replacedElsewhere, s.in(c.to(c.two)).mustDiff(in))
		verifyOne()
		verifyTwo()
		require.NoError(t, former.destroy())
		other := c.two.create(c.two.configMap("web", nil))
		s.in(c.to(c.two)).mustRead()
		requireKept(t, before, s)
		_, err := s.up(in)
		require.ErrorContains(t, err, "already exists")
		assert.Equal(t, other.GetResourceVersion(), c.two.get("ConfigMap", "web").GetResourceVersion())
		verifyOne()
	})
	t.Run("the kind that the other cluster has not got is not gone [D8]", func(t *testing.T) {
		t.Parallel()
		c := newTwo(t)
		group := c.one.namespace + ".example.com"
		c.one.define(definitionOf(t, group, "Widget", "{type: object, x-kubernetes-preserve-unknown-fields: true}"))
		c.one.served(group, "Widget")
		in := program(custom(t, group, "Widget", c.one.namespace, "{a: b}"), atOnce)
		s := c.to(c.one).resource(t, "kind").mustUp("create", in)
		before := s.outputs
		s.in(c.to(c.two)).mustRead()
		requireKept(t, before, s)
		require.ErrorContains(t, s.destroy(), "was not deleted")
		require.NoError(t, s.in(c.to(c.one)).destroy())
	})
	t.Run("without reads before an update the program's Diff finds out [D8]", func(t *testing.T) {
		t.Parallel()
		c := newTwo(t)
		in := program(c.one.configMap("web", nil))
		rare := map[string]any{"driftDetection": "refresh"}
		s := c.to(c.one, rare).resource(t, "web").mustUp("create", in)
		verify := c.one.untouched(t, "ConfigMap", "web")
		s.in(c.to(c.two, rare)).mustUp("replace", with(t, in, "manifest.data.a", "2"))
		assert.Equal(t, "2", c.two.value("ConfigMap", "web", "data", "a"))
		verify()
		require.ErrorContains(t, s.in(c.to(c.one, rare)).destroy(), "was not deleted")
	})
	t.Run("the engine's own Diff asks nothing and is no replacement", func(t *testing.T) {
		t.Parallel()
		c := newTwo(t)
		in := program(c.one.configMap("web", nil))
		s := c.to(c.one).resource(t, "web").mustUp("create", in)
		host, called := silence(t)
		s.in(start(t, map[string]any{"host": host, "token": "t", "insecure": true}))
		diff, err := s.diffChecked(s.inputs)
		require.NoError(t, err)
		assert.Empty(t, kinds(t, diff))
		assert.Zero(t, called())
	})
}

// TestCurrentContextOfTheEnvironment is not parallel: the environment belongs to all tests.
func TestCurrentContextOfTheEnvironment(t *testing.T) {
	c := newTwo(t)
	in := program(c.one.configMap("web", nil))
	c.to(c.one)
	t.Setenv("KUBECONFIG", c.file)
	s := start(t, nil).resource(t, "web").mustUp("create", in)
	verify := c.one.untouched(t, "ConfigMap", "web")
	c.to(c.two)
	t.Run("another current-context: kept by a destroy, made again by an up [D8]", func(t *testing.T) {
		require.ErrorContains(t, s.in(start(t, nil)).destroy(), "was not deleted")
		s.in(start(t, nil)).mustUp("replace", in)
		assert.True(t, c.two.exists("ConfigMap", "web"))
		verify()
		require.NoError(t, s.destroy())
	})
	t.Run("the environment names clusters that are gone for good [D8]", func(t *testing.T) {
		c.to(c.one)
		c.one.delete("ConfigMap", "web")
		s := start(t, nil).resource(t, "web").mustUp("create", in)
		verify := c.one.untouched(t, "ConfigMap", "web")
		c.to(c.two)
		t.Setenv("PULUMI_K8SCONNECT_FORGET_CLUSTERS", "other, "+c.one.id)
		s.in(start(t, nil))
		require.NoError(t, s.remove())
		assert.Contains(t, s.warned(), c.one.name()+" is in forgetClusters")
		verify()
	})
}

func TestAnotherConnection(t *testing.T) {
	t.Parallel()
	t.Run("of the program, while the former is still there: the delete half does nothing [D8]", func(t *testing.T) {
		t.Parallel()
		c := newTwo(t)
		own := func(s side) map[string]any { return map[string]any{"clusterConnection": inline(s.user)} }
		s := start(t, nil).resource(t, "web").mustUp("create", program(c.one.configMap("web", nil), own(c.one)))
		verify := c.one.untouched(t, "ConfigMap", "web")
		assert.Equal(t, replacedElsewhere, s.mustDiff(program(c.one.configMap("web", nil), own(c.two))))
		s.in(start(t, nil)).mustUp("replace", program(c.one.configMap("web", nil), own(c.two)))
		c.requireNamed(t, s.warned())
		assert.Contains(t, s.warned(), "Another cluster: objects of this stack are in "+c.one.name())
		assert.True(t, c.two.exists("ConfigMap", "web"))
		verify()
		require.NoError(t, s.destroy())
		assert.False(t, c.two.exists("ConfigMap", "web"))
		verify()
	})
	t.Run("of the provider [D8]", func(t *testing.T) {
		t.Parallel()
		c := newTwo(t)
		in := program(c.one.configMap("web", nil))
		s := start(t, inline(c.one.user)).resource(t, "web").mustUp("create", in)
		verify := c.one.untouched(t, "ConfigMap", "web")
		s.reconfigured(start(t, inline(c.two.user)))
		did, _, err := s.preview(in)
		require.NoError(t, err)
		assert.Equal(t, "replace", did)
		c.requireNamed(t, s.warned())
		s.reconfigured(start(t, inline(c.two.user))).mustUp("replace", in)
		assert.True(t, c.two.exists("ConfigMap", "web"))
		verify()
	})
	t.Run("a destroy in the process of a preview that wanted to move is no replacement [D8]", func(t *testing.T) {
		t.Parallel()
		c := newTwo(t)
		in := program(c.one.configMap("web", nil))
		s := c.to(c.one).resource(t, "web").mustUp("create", in)
		_, _, err := s.in(c.to(c.two)).preview(in)
		require.NoError(t, err)
		require.ErrorContains(t, s.destroy(), "was not deleted")
	})
}

func TestTheSameClusterUnderAnotherName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := program(w.configMap("web", nil))
	t.Run("another address, another certificate authority: nothing is said, and a 404 is an absence [D8]", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		in := program(w.configMap("web", nil))
		former, renamed := newGateway(t), newGateway(t)
		rotated := renamed.connection()
		rotated["clusterCaCertificate"] = rotated["clusterCaCertificate"].(string) + string(newUser(t).CACertificate)
		s := start(t, former.connection()).resource(t, "web").mustUp("create", in)
		before := origin(t, s)
		assert.Empty(t, s.reconfigured(start(t, rotated)).mustDiff(in))
		s.reconfigured(start(t, rotated)).mustUp("same", in)
		assert.Empty(t, s.warned())
		s.in(start(t, rotated)).mustUp("same", in)
		assert.Equal(t, before["id"], origin(t, s)["id"])
		assert.NotEqual(t, before["server"], origin(t, s)["server"])
		assert.NotEqual(t, before["ca"], origin(t, s)["ca"])
		w.delete("ConfigMap", "web")
		require.NoError(t, s.in(start(t, former.connection())).read())
		assert.Empty(t, s.id, "it is gone")
		assert.Equal(t, w.saysGone(), s.warned())
	})
	t.Run("of a clusterConnection: no warning, since the id tells that it is the same [D8]", func(t *testing.T) {
		t.Parallel()
		own := func(g *gateway) map[string]any { return map[string]any{"clusterConnection": g.connection()} }
		manifest := w.configMap("own", nil)
		former, renamed := newGateway(t), newGateway(t)
		s := start(t, nil).resource(t, "own").mustUp("create", program(manifest, own(former)))
		s.in(start(t, nil)).mustUp("same", program(manifest, own(renamed)))
		assert.Empty(t, s.warned())
		assert.Equal(t, 1, tally(renamed.takeSeen())[clusterID])
	})
	t.Run("a state of an older version learns its cluster from a read, which is no diff [D8]", func(t *testing.T) {
		t.Parallel()
		s := start(t, inline(newUser(t))).resource(t, "web").mustUp("create", in)
		want := origin(t, s)
		require.NotEmpty(t, want["id"])
		withoutOrigin(s)
		assert.Empty(t, s.mustDiff(in))
		s.mustRead()
		assert.Empty(t, kinds(t, s.refreshed))
		assert.Equal(t, want, origin(t, s))
		withoutOrigin(s).mustUp("same", in)
		assert.Equal(t, want, origin(t, s))
		withoutOrigin(s)
		s.refresh = false
		s.mustUp("update", with(t, in, "manifest.data.a", "2"))
		assert.Equal(t, want, origin(t, s))
		imported := s.process.resource(t, "imported")
		require.NoError(t, imported.importID("v1/ConfigMap/"+w.namespace+"/web"))
		assert.Equal(t, want, origin(t, imported))
	})
	t.Run("a state of an older version moves as it used to, with a warning", func(t *testing.T) {
		t.Parallel()
		own := func(g map[string]any) map[string]any { return map[string]any{"clusterConnection": g} }
		manifest := w.configMap("moving", nil)
		s := withoutOrigin(start(t, nil).resource(t, "moving").mustUp("create", program(manifest, own(inline(newUser(t))))))
		assert.Empty(t, s.mustDiff(program(manifest, own(map[string]any{"host": closedHost(t), "token": "t"}))))
		assert.Contains(t, s.warned(), "The connection leads to another cluster than before.")
	})
}

// otherID answers as another cluster would at the same address.
var otherID = rewriteReply(func(object map[string]any) { object["metadata"].(map[string]any)["uid"] = "another-cluster" })

// saysGone is the only warning where the ConfigMap web was deleted outside of Pulumi.
func (w world) saysGone() string {
	return "ConfigMap " + w.namespace + "/web: the object that this resource applied was deleted outside of Pulumi."
}

func TestAClusterThatCannotBeTold(t *testing.T) {
	t.Parallel()
	forbidden := refuse(403, metav1.StatusReasonForbidden, "no")
	t.Run("the address is the same and the id is not: another cluster [D8]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		in := program(w.configMap("web", nil))
		s := start(t, g.connection()).resource(t, "web").mustUp("create", in)
		g.always(isAskingID, otherID)
		s.in(start(t, g.connection())).mustUp("same", in)
		assert.Empty(t, s.warned(), "the object with this uid is there, whatever the cluster says of itself")
		w.delete("ConfigMap", "web")
		require.ErrorContains(t, s.in(start(t, g.connection())).destroy(), "was not deleted")
		rare := s.in(start(t, g.connection()))
		rare.refresh = false
		assert.Equal(t, replacedElsewhere, rare.mustDiff(with(t, in, "manifest.data.a", "2")), "the dry-run finds out")
		s.in(start(t, g.connection())).mustUp("replace", in)
		assert.Equal(t, "another-cluster", origin(t, s)["id"])
	})
	for what, fail := range map[string]func(http.ResponseWriter, *http.Request, func() *httptest.ResponseRecorder){
		"500":              refuse(500, metav1.StatusReasonInternalError, "no"),
		"garbage":          halveReply,
		"401":              refuse(401, metav1.StatusReasonUnauthorized, "no"),
		"a 404 of a proxy": notFoundPage,
	} {
		t.Run(what+" to the question for the id: a 404 of the object is no absence [D8]", func(t *testing.T) {
			t.Parallel()
			w, g := newWorld(t), newGateway(t)
			in := program(w.configMap("web", nil))
			s := start(t, g.connection()).resource(t, "web").mustUp("create", in)
			w.delete("ConfigMap", "web")
			g.always(isAskingID, fail)
			before := s.outputs
			s.in(start(t, g.connection())).mustRead()
			requireKept(t, before, s)
			assert.Contains(t, s.warned(), "NOT CHECKED")
			_, err := s.diff(in)
			require.ErrorContains(t, err, "kube-system")
			for _, destroy := range deletions {
				require.ErrorContains(t, destroy(s), "kube-system")
			}
			require.NotEmpty(t, s.id)
			g.heal()
			require.NoError(t, s.in(start(t, g.connection())).read())
			assert.Empty(t, s.id)
		})
	}
	t.Run("who may not ask for the id: the same address is the same cluster [D8]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		g.always(isAskingID, forbidden)
		in := program(w.configMap("web", nil))
		s := start(t, g.connection()).resource(t, "web").mustUp("create", in)
		assert.Nil(t, origin(t, s)["id"])
		s.in(start(t, g.connection())).mustUp("same", in)
		w.delete("ConfigMap", "web")
		require.NoError(t, s.in(start(t, g.connection())).read())
		assert.Empty(t, s.id)
		s.mustUp("create", in)
		w.delete("ConfigMap", "web")
		require.NoError(t, s.remove())
		assert.Equal(t, w.saysGone(), s.warned())

		t.Run("and learns the id when he may", func(t *testing.T) {
			s.mustUp("create", in)
			g.heal()
			s.in(start(t, g.connection())).mustUp("same", in)
			assert.NotEmpty(t, origin(t, s)["id"])
		})
		t.Run("and who may no longer keeps it", func(t *testing.T) {
			g.always(isAskingID, forbidden)
			id := origin(t, s)["id"]
			s.in(start(t, g.connection())).mustUp("same", in)
			assert.Equal(t, id, origin(t, s)["id"])
		})
	})
	t.Run("who may not ask for the id: another address is unknown, neither another cluster nor an absence [D8]", func(t *testing.T) {
		t.Parallel()
		w, former, renamed := newWorld(t), newGateway(t), newGateway(t)
		former.always(isAskingID, forbidden)
		renamed.always(isAskingID, forbidden)
		in := program(w.configMap("web", nil))
		s := start(t, former.connection()).resource(t, "web").mustUp("create", in)
		assert.Empty(t, s.reconfigured(start(t, renamed.connection())).mustDiff(in), "the object with this uid is there")
		assert.Empty(t, s.warned())
		w.delete("ConfigMap", "web")
		before := s.outputs
		s.in(start(t, renamed.connection())).mustRead()
		requireKept(t, before, s)
		_, err := s.diff(in)
		require.ErrorContains(t, err, "is not known")
		require.ErrorContains(t, err, "kube-system, and it could not be read when the object was last read")
		for _, destroy := range deletions {
			require.ErrorContains(t, destroy(s), "is not known")
		}
		_, after, found := strings.Cut(err.Error(), `forgetClusters to ["`)
		require.True(t, found, err)
		name, _, _ := strings.Cut(after, `"`)
		forgetful := renamed.connection()
		forgetful["forgetClusters"] = []any{name}
		s.in(start(t, forgetful)).mustUp("create", in)
		require.NoError(t, s.in(start(t, renamed.connection())).destroy())
	})
}

func TestAClusterThatWasNotKnownYet(t *testing.T) {
	t.Parallel()
	t.Run("an unconfirmed create, and then another address: the error says that the id was not read [D8]", func(t *testing.T) {
		t.Parallel()
		w, former, renamed := newWorld(t), newGateway(t), newGateway(t)
		former.always(isAskingID, refuse(http.StatusServiceUnavailable, "ServiceUnavailable", "starting"))
		former.next(isApply, loseReply)
		in := program(w.configMap("web", nil))
		s := start(t, former.connection()).resource(t, "web")
		require.Error(t, s.create(in))
		require.Empty(t, origin(t, s)["id"])
		s.in(start(t, renamed.connection()))
		_, err := s.diff(in)
		require.ErrorContains(t, err, "it could not be read when the object was last read")
		require.NotContains(t, err.Error(), "may not")
		former.heal()
		s.in(start(t, former.connection())).mustUp("same", in)
		assert.NotEmpty(t, origin(t, s)["id"])
	})
}

func TestClustersThatAreGoneForGood(t *testing.T) {
	t.Parallel()
	t.Run("a destroy forgets their objects, with a warning [D8]", func(t *testing.T) {
		t.Parallel()
		for what, destroy := range deletions {
			c := newTwo(t)
			s := c.to(c.one).resource(t, "web").mustUp("create", program(c.one.configMap("web", nil)))
			verify := c.one.untouched(t, "ConfigMap", "web")
			s.in(c.to(c.two, forgetting("other", c.one.id)))
			require.NoError(t, destroy(s), what)
			assert.Empty(t, s.id)
			require.Len(t, s.process.log.warnings(), 1)
			assert.Contains(t, s.warned(), c.one.name()+" is in forgetClusters")
			verify()
		}
	})
	t.Run("a read forgets them, too, and an up makes them where the connection leads [D8]", func(t *testing.T) {
		t.Parallel()
		c := newTwo(t)
		in := program(c.one.configMap("web", nil))
		s := c.to(c.one).resource(t, "web").mustUp("create", in)
		s.in(c.to(c.two, forgetting(c.one.id))).mustUp("create", in)
		assert.True(t, c.two.exists("ConfigMap", "web"))
	})
	t.Run("what cannot be reached any more is forgotten [D8]", func(t *testing.T) {
		t.Parallel()
		for what, destroy := range deletions {
			w, g := newWorld(t), newGateway(t)
			in := program(w.configMap("web", nil))
			s := start(t, g.connection()).resource(t, "web").mustUp("create", in)
			g.always(anything, loseRequest)
			require.Error(t, destroy(s.in(start(t, g.connection()))), what)
			require.NotEmpty(t, s.id)
			config := g.connection()
			config["forgetClusters"] = []any{origin(t, s)["id"]}
			require.NoError(t, destroy(s.in(start(t, config))), what)
			assert.Empty(t, s.id)
		}
	})
	t.Run("what is there after all is not forgotten [D8]", func(t *testing.T) {
		t.Parallel()
		c := newTwo(t)
		in := program(c.one.configMap("web", nil))
		s := c.to(c.one).resource(t, "web").mustUp("create", in)
		s.in(c.to(c.one, forgetting(c.one.id))).mustUp("same", in)
		require.NoError(t, s.remove())
		assert.False(t, c.one.exists("ConfigMap", "web"), "it was deleted")
		assert.Empty(t, s.warned())
	})
	t.Run("what cannot be read in a cluster that answers is not forgotten [D8]", func(t *testing.T) {
		t.Parallel()
		w, g := newWorld(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "web").mustUp("create", program(w.configMap("web", nil)))
		config := g.connection()
		config["forgetClusters"] = []any{origin(t, s)["id"]}
		g.always(isGet, refuse(500, metav1.StatusReasonInternalError, "no"))
		before := s.outputs
		s.in(start(t, config)).mustRead()
		requireKept(t, before, s)
		g.heal()
		require.NoError(t, s.destroy())
		assert.False(t, w.exists("ConfigMap", "web"))
	})
	t.Run("the setting is checked", func(t *testing.T) {
		t.Parallel()
		p := startUnconfigured(t)
		for _, good := range []any{nil, []any{}, []any{"a", "b"}, `["a"]`} {
			_, failures := p.checkConfig(t, map[string]any{"forgetClusters": good})
			assert.Empty(t, failures, good)
		}
		for _, bad := range []any{"a", 5.0, []any{5.0}, []any{""}, `{"a": "b"}`, `[5]`} {
			_, failures := p.checkConfig(t, map[string]any{"forgetClusters": bad})
			assert.Len(t, failures, 1, bad)
		}
	})
}

func TestAnUnconfirmedObjectInAnotherCluster(t *testing.T) {
	t.Parallel()
	lost := func(t *testing.T) (*session, two, func()) {
		c, g := newTwo(t), newGateway(t)
		s := start(t, g.connection()).resource(t, "web")
		g.next(isApply, loseReply)
		require.Error(t, s.create(program(c.one.configMap("web", nil))))
		require.Equal(t, true, at(t, s.outputs, "__pendingProjection"))
		assert.Equal(t, c.one.id, origin(t, s)["id"])
		return s, c, c.one.untouched(t, "ConfigMap", "web")
	}
	t.Run("is kept by a read and a destroy, whatever has its name there [D8]", func(t *testing.T) {
		t.Parallel()
		s, c, verify := lost(t)
		former := c.to(c.two).resource(t, "web").mustUp("create", program(c.two.configMap("web", nil)))
		verifyTwo := c.two.untouched(t, "ConfigMap", "web")
		before := s.outputs
		s.in(c.to(c.two)).mustRead()
		requireMarked(t, before, s)
		for what, destroy := range deletions {
			require.ErrorContains(t, destroy(s), "was not deleted", what)
		}
		verify()
		verifyTwo()
		require.NoError(t, former.destroy())
		require.NoError(t, s.in(c.to(c.one)).destroy())
		assert.False(t, c.one.exists("ConfigMap", "web"))
	})
	t.Run("is replaced by an up [D8]", func(t *testing.T) {
		t.Parallel()
		s, c, verify := lost(t)
		s.in(c.to(c.two)).mustUp("replace", program(c.one.configMap("web", nil)))
		assert.True(t, c.two.exists("ConfigMap", "web"))
		verify()
	})
}
