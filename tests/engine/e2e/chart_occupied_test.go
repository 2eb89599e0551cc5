package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// occupiedChart has a hook of installs and one of deletions.
var occupiedChart = map[string]string{
	"templates/secret.yaml": chartSecret,
	"templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ .Release.Name }} }\n",
	"templates/hooks.yaml":  jobOf("pre", "kwok", "helm.sh/hook: pre-install") + "---" + jobOf("wipe", "kwok", "helm.sh/hook: post-delete"),
}

// requireUntouched wants a release to be as it was: no hook has run again, and no value has changed.
func (s chartStory) requireUntouched(t *testing.T, ran any, password any) {
	t.Helper()
	job := s.job(t, "shop-pre")
	require.NotNil(t, job, "the Job of the hook is gone")
	assert.Equal(t, ran, job.UID, "the hook ran again")
	assert.Nil(t, s.job(t, "shop-wipe"), "the clean-up ran, and the release lives")
	assert.Equal(t, password, s.password(t))
}

func TestAReleaseIsNotInstalledOverAnother(t *testing.T) { // [H6] [H7]
	t.Parallel()
	const one = "  ONE:\n    type: k8sconnect:Chart\n    properties: { chart: ./web, namespace: SPACE, releaseName: shop }\n"
	program := func(t *testing.T, s chartStory, names ...string) {
		text := "resources:\n"
		for _, name := range names {
			text += replaceAll(one, "ONE", name, "SPACE", s.space)
		}
		s.program(t, "%s", text)
	}
	begin := func(t *testing.T) (s chartStory, untouched func(*testing.T)) {
		s = newChartStory(t)
		s.chart(t, "1.0.0", occupiedChart)
		program(t, s, "one")
		s.up(t)
		ran, password := s.job(t, "shop-pre").UID, s.password(t)
		return s, func(t *testing.T) { t.Helper(); s.requireUntouched(t, ran, password) }
	}
	for name, second := range map[string][]string{"of the same program": {"one", "two"}, "that was renamed": {"two"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, untouched := begin(t)
			program(t, s, second...)
			assert.Contains(t, s.upFails(t), "no hook has run. [ManagedElsewhere]")
			untouched(t)
			program(t, s, "one")
			s.up(t)
			untouched(t)
			s.previewEmpty(t)
		})
	}
	t.Run("of another stack", func(t *testing.T) {
		t.Parallel()
		s, untouched := begin(t)
		other := chartStory{newStackIn(t, s.kube, s.cluster.KubeconfigFile()), s.kube, s.cluster, s.space}
		other.chart(t, "1.0.0", occupiedChart)
		other.declare(t, "")
		assert.Contains(t, other.upFails(t), "no hook has run. [ManagedElsewhere]")
		untouched(t)
		other.destroy(t)
		untouched(t)
	})
	t.Run("that is installed by the same update", func(t *testing.T) {
		t.Parallel()
		s := newChartStory(t)
		s.chart(t, "1.0.0", occupiedChart)
		program(t, s, "one", "two")
		assert.Contains(t, s.previewFails(t), "Two Charts cannot be one release")
	})
	t.Run("that someone else has installed", func(t *testing.T) {
		t.Parallel()
		s := newChartStory(t)
		s.chart(t, "1.0.0", occupiedChart)
		s.kube.apply(t, "v1/ConfigMap/"+s.space+"/shop", "helm", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop, namespace: "+s.space+"}\ndata: {theirs: x}\n")
		s.declare(t, "")
		out := s.upFails(t)
		assert.Contains(t, out, "no hook has run. [AlreadyExists]")
		assert.Contains(t, out, "  - v1/ConfigMap/"+s.space+"/shop")
		assert.Nil(t, s.job(t, "shop-pre"))
		s.destroy(t)
		assert.Nil(t, s.job(t, "shop-wipe"))
		s.declare(t, "overrides: [{ select: { kind: ConfigMap }, adopt: true }]")
		s.up(t)
		assert.NotNil(t, s.job(t, "shop-pre"))
		s.previewEmpty(t)
	})
}

func TestAReleaseDoesNotMoveOntoAnother(t *testing.T) { // [H6] [H7]
	t.Parallel()
	for name, chart := range map[string]map[string]string{
		"with a password": occupiedChart, "without one": {"templates/config.yaml": occupiedChart["templates/config.yaml"], "templates/hooks.yaml": occupiedChart["templates/hooks.yaml"]},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newChartStory(t)
			s.chart(t, "1.0.0", chart)
			s.declare(t, "")
			s.up(t)
			ran := s.succeeded(t)
			there := s
			there.space = s.cluster.Namespace(t)
			theirs := "v1/ConfigMap/" + there.space + "/shop"
			s.kube.apply(t, theirs, "helm", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop, namespace: "+there.space+"}\ndata: {theirs: x}\n")
			step(t, "no hook runs there, and the release stays where it is", func(t *testing.T) {
				there.declare(t, "")
				for range 2 {
					out := there.upFails(t, "--skip-preview")
					assert.Contains(t, out, "no hook has run. [AlreadyExists]")
					assert.Contains(t, out, "  - "+theirs)
				}
				assert.Empty(t, there.succeeded(t))
				s.declare(t, "")
				s.previewEmpty(t)
				s.up(t)
				assert.Equal(t, ran, s.succeeded(t))
			})
			step(t, "nor does one of deletions, but where the release is", func(t *testing.T) {
				there.declare(t, "")
				there.upFails(t, "--skip-preview")
				there.destroy(t)
				assert.Empty(t, there.succeeded(t))
				assert.NotNil(t, s.job(t, "shop-wipe"))
			})
		})
	}
}

func TestAReleaseThatTheStateHasLostKeepsItsPasswords(t *testing.T) { // [H8]
	t.Parallel()
	s := newChartStory(t)
	s.chart(t, "1.0.0", occupiedChart)
	s.declare(t, "")
	s.up(t)
	ran, password := s.job(t, "shop-pre").UID, s.password(t)
	s.succeed(t, "state", "delete", "--yes", "--target-dependents", s.urnOf(t, "Chart::shop"))
	out := s.upFails(t)
	assert.Contains(t, out, "no hook has run. [AlreadyExists]")
	assert.Contains(t, out, "which an earlier run of this Chart created")
	s.requireUntouched(t, ran, password)
	s.declare(t, "adopt: true")
	assert.Contains(t, s.preview(t), "taken from the cluster, and kept: web/templates/secret.yaml|") // [D65]
	s.up(t)
	s.requireUntouched(t, ran, password)
	s.declare(t, "")
	s.up(t)
	s.previewEmpty(t)
	s.requireUntouched(t, ran, password)
}

func TestAReleaseThatTheStateHasLostIsNotInstalledAgain(t *testing.T) { // [H6] [D99]
	t.Parallel()
	s := newChartStory(t)
	chart := func(version, image string) {
		s.chart(t, version, map[string]string{
			"templates/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: config }\ndata: { version: " + version + " }\n",
			"templates/init.yaml":   strings.Replace(jobOf("init", "kwok", "helm.sh/hook: pre-install"), "hook:1", image, 1),
		})
	}
	chart("1.0.0", "hook:1")
	s.declare(t, "")
	s.up(t)
	chart("1.1.0", "hook:2")
	s.up(t)
	ran := s.succeeded(t)
	require.Contains(t, ran, "shop-init")
	s.succeed(t, "state", "delete", "--yes", "--target-dependents", s.urnOf(t, "Chart::shop"))
	s.config(t, "k8sconnect:resumeWithin", "0s") // No interrupted run has made what is there.
	out := s.upFails(t, "--skip-preview")
	assert.Contains(t, out, "no hook has run. [AlreadyExists]")
	assert.Contains(t, out, "its hooks of installs would run again")
	assert.Equal(t, ran, s.succeeded(t))
	s.declare(t, "adopt: true")
	s.up(t)
	s.declare(t, "")
	s.up(t)
	assert.Equal(t, ran, s.succeeded(t))
	s.previewEmpty(t)
}

func TestASecretThatAnEarlierReleaseHasKeptIsLookedUp(t *testing.T) { // [H9] [H13]
	t.Parallel()
	for name, old := range map[string]string{
		"by its name": `{{ $old := (lookup "v1" "Secret" .Release.Namespace (print .Release.Name "-auth") | default dict).data }}`,
		"in a list": `{{ $old := dict }}{{ range (lookup "v1" "Secret" .Release.Namespace "").items }}{{ if eq .metadata.name "shop-auth" }}` +
			`{{ $old = .data }}{{ end }}{{ end }}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newChartStory(t)
			s.chart(t, "1.0.0", map[string]string{
				"templates/hooks.yaml": jobOf("pre", "kwok", "helm.sh/hook: pre-install"),
				"templates/secret.yaml": old + `
apiVersion: v1
kind: Secret
metadata: { name: {{ .Release.Name }}-auth, annotations: { helm.sh/resource-policy: keep } }
data: { password: {{ if $old }}{{ $old.password }}{{ else }}{{ randAlphaNum 16 | b64enc }}{{ end }} }
`})
			s.declare(t, "")
			s.up(t)
			password := s.password(t)
			s.destroy(t)
			require.Equal(t, password, s.password(t), "it is kept")

			assert.Contains(t, s.previewFails(t), "already exists", "also while its value is not known")
			assert.Contains(t, s.upFails(t), "no hook has run. [AlreadyExists]")
			assert.Nil(t, s.job(t, "shop-pre"))
			s.declare(t, "overrides: [{ select: { kind: Secret }, adopt: true }]")
			s.preview(t)
			s.up(t)
			assert.NotNil(t, s.job(t, "shop-pre"), "the release is installed")
			assert.Equal(t, password, s.password(t))
			s.previewEmpty(t)
			s.up(t)
			assert.Equal(t, password, s.password(t))
			s.declare(t, "")
			s.up(t)
			s.previewEmpty(t)
			assert.Equal(t, password, s.password(t))
		})
	}
}
