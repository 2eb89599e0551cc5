package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/sets"
)

const lifeLegend = `
engine     the same program by the same CLI, with a provider that does nothing
CPU        seconds of all processes on the processors
provider   those of the provider's process
to engine  how many times the CPU of the engine alone
MiB        the most resident memory of the provider's process
requests   for an object, on average, without watches; most is the most for one object
discovery  how often the most asked group-version was asked for its kinds, or for all objects of one, or the cluster for its groups
`

// life is what one entrant did with one set.
type life struct {
	entrant entrant
	steps   []lifeStep
}

type lifeStep struct {
	step
	used     usage
	requests counts
}

// measureSets has each entrant create, preview and destroy each set, one after the other. The engine alone is measured
// with one set: it takes minutes with such large objects, and more for the other would tell nothing more.
func measureSets(ctx context.Context, out io.Writer, b bench) error {
	var exceeded []string
	for _, of := range []struct {
		set      sets.Set
		entrants []entrant
	}{
		{sets.ArgoCD(), append([]entrant{provider, engineOnly}, b.peers...)},
		{sets.KubePrometheus(), append([]entrant{provider}, b.peers...)},
	} {
		var lives []life
		for i, e := range of.entrants {
			e, err := e.inForm(ctx, b)
			if err != nil {
				return err
			}
			l, err := live(ctx, b, e, of.set, filepath.Join(b.dir, fmt.Sprintf("%s-%d", of.set.Name, i)))
			if err != nil {
				return fmt.Errorf("%s, %s: %w", of.set.Name, e.name, err)
			}
			lives = append(lives, l)
		}
		over, err := reportLives(out, of.set, b.form, lives)
		if err != nil {
			return err
		}
		exceeded = append(exceeded, over...)
	}
	_, err := fmt.Fprint(out, lifeLegend)
	return errors.Join(err, tooMany(exceeded))
}

// stepWithoutLog is a preview by a CLI that has no place for its log.
const stepWithoutLog = stepUnchanged + ", CLI without log"

// lifeOf are the steps of an entrant with a set.
func lifeOf(e entrant) []step {
	life := e.steps(stepPreviewCreate, stepCreate, stepUnchanged)
	if e.isOurs() {
		withoutLog := life[len(life)-1]
		withoutLog.name = stepWithoutLog
		life = append(life, withoutLog)
	}
	life = append(life, e.steps(stepDestroy)...)
	for i := range life {
		switch life[i].name {
		case stepPreviewCreate, stepCreate:
			// A kind that is not there is looked for again, since its definition may have been made meanwhile.
			life[i].looksAgain = true
		case stepDestroy:
			// A definition is looked at before its deletion, and some kinds after it: the answer does not say that they are gone.
			life[i].most++
		}
		if e.waits && life[i].name != stepPreviewCreate {
			life[i].most++ // A Wait reads its object, too, and watches it until it is ready.
			life[i].watches = life[i].watches || life[i].name == stepCreate
			life[i].looksAgain = life[i].looksAgain || life[i].name == stepDestroy // for objects of the kinds that the set defines
		}
	}
	return life
}

// live has one entrant do all steps with a set, and looks after each whether it did.
func live(ctx context.Context, b bench, e entrant, set sets.Set, dir string) (life, error) {
	p, user, err := e.enter(ctx, b.cluster, b.tools, func(string) sets.Set { return set }, dir)
	if err != nil {
		return life{}, err
	}
	l := life{entrant: e}
	home := p.environment["PULUMI_HOME"]
	for _, s := range lifeOf(e) {
		fmt.Fprintf(os.Stderr, "%s, %s: %s", set.Name, e.name, s.name)
		mark, err := b.cluster.AuditMark()
		if err != nil {
			return l, err
		}
		p.environment["PULUMI_HOME"] = home
		if s.name == stepWithoutLog {
			if p.environment["PULUMI_HOME"], err = homeWithoutLog(dir); err != nil {
				return l, err
			}
		}
		used, err := p.run(ctx, s)
		fmt.Fprintf(os.Stderr, ": %.1f s, CPU %.1f s\n", used.elapsed.Seconds(), used.cpu.Seconds())
		if err != nil {
			return l, err
		}
		requests, err := b.cluster.RequestsSince(mark)
		if err != nil {
			return l, err
		}
		l.steps = append(l.steps, lifeStep{s, used, count(requests.Where(func(r cluster.Request) bool { return r.User == user.Name }))})
		if e.isIdle() {
			continue
		}
		present, err := presentOf(ctx, b.cluster, set.Objects)
		if err != nil {
			return l, err
		}
		if want := map[bool]int{true: len(set.Objects)}[s.leaves != ""]; len(present) != want {
			return l, fmt.Errorf("after %s, %d of %d objects are in the cluster", s.name, len(present), len(set.Objects))
		}
	}
	return l, nil
}

// homeWithoutLog is a folder for PULUMI_HOME in which the CLI cannot make that of its logs.
func homeWithoutLog(dir string) (string, error) {
	home := filepath.Join(dir, "home-without-log")
	return home, errors.Join(os.MkdirAll(home, 0o700), os.WriteFile(filepath.Join(home, "logs"), nil, 0o600))
}

// presentOf are the objects of a set that are in the cluster, with their uids.
func presentOf(ctx context.Context, c *cluster.Cluster, objects []sets.Object) (map[string]types.UID, error) {
	client, err := dynamic.NewForConfig(c.RESTConfig())
	if err != nil {
		return nil, err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(c.Client().Discovery()))
	present := map[string]types.UID{}
	for _, o := range objects {
		object := unstructured.Unstructured{Object: o}
		kind := object.GroupVersionKind()
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if apimeta.IsNoMatchError(err) {
			continue // its definition is not there
		}
		if err != nil {
			return nil, err
		}
		switch found, err := client.Resource(mapping.Resource).Namespace(object.GetNamespace()).Get(ctx, object.GetName(), metav1.GetOptions{}); {
		case err == nil:
			present[sets.Identity(o)] = found.GetUID()
		case !apierrors.IsNotFound(err):
			return nil, err
		}
	}
	return present, nil
}

// reportLives prints the table of one set, and returns the steps in which ours made more requests than it may.
func reportLives(w io.Writer, set sets.Set, form string, lives []life) (exceeded []string, err error) {
	text, err := set.Text()
	if err != nil {
		return nil, err
	}
	engine := map[string]float64{}
	var rows strings.Builder
	fmt.Fprintf(&rows, "\n%s: %d objects, %.1f MB of YAML, CustomResourceDefinitions: %d; the programs of k8sconnect have %s\n\n", set.Name, len(set.Objects), float64(len(text))/1e6,
		len(set.Definitions()), form)
	rows.WriteString("step\tby\tseconds\tCPU\tprovider\tto engine\tMiB\trequests\tmost\tdiscovery\t\n")
	for _, l := range lives {
		for _, s := range l.steps {
			if l.entrant.isIdle() {
				engine[s.name] = s.used.cpu.Seconds()
			}
		}
	}
	for _, l := range lives {
		for _, s := range l.steps {
			ratio := ""
			if engine[s.name] > 0 {
				ratio = fmt.Sprintf("%.2f", s.used.cpu.Seconds()/engine[s.name])
			}
			fmt.Fprintf(&rows, "%s\t%s\t%.1f\t%.1f\t%.1f\t%s\t%s\t%s\t%d\t%d\t\n", s.name, l.entrant.name, s.used.elapsed.Seconds(), s.used.cpu.Seconds(),
				s.used.process.cpu.Seconds(), ratio, mebibytes(s.used.process.peak), s.requests.perObject(len(set.Objects)), s.requests.most, s.requests.discoveries)
			if over := s.requests.exceeds(s.step); l.entrant.isOurs() && over != "" {
				exceeded = append(exceeded, fmt.Sprintf("%s: %s: %s", set.Name, s.name, over))
			}
		}
	}
	return exceeded, printTable(w, rows.String())
}

// tooMany is an error if steps made more requests than they may.
func tooMany(exceeded []string) error {
	if len(exceeded) == 0 {
		return nil
	}
	return fmt.Errorf("more requests than there may be:\n%s", strings.Join(exceeded, "\n"))
}

// bench is what all parts have in common.
type bench struct {
	cluster *cluster.Cluster
	tools   cli.Tools
	peers   []entrant
	// objects are the numbers of objects for which checkpoints are measured.
	objects []int
	// checkpoints are checkpointsOn, checkpointsOff, or both.
	checkpoints []string
	// form is the name of that in which our provider is told of the sets.
	form string
	dir  string
}
