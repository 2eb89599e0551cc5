package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cli"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
	"github.com/k8sconnect/pulumi-k8sconnect/tests/sets"
)

// entrant is a plugin whose costs are measured, with the form of its programs.
type entrant struct {
	name   string
	plugin string
	form   form
	// waits means that its programs wait for some of their objects.
	waits bool
	// folder is where the plugin is, "" for one that was built for the run.
	folder string
}

var (
	provider   = entrant{name: "k8sconnect", plugin: "k8sconnect", form: asObjects}
	engineOnly = entrant{name: "engine", plugin: "nothing", form: asObjects}
)

// peers are the plugins that can be measured beside: the official one, and another build of this one.
var peers = map[string]form{"kubernetes": asConfigGroup, "k8sconnect": asObjects}

// peerIn is the plugin in a folder; none where no folder is given.
func peerIn(folder string) ([]entrant, error) {
	if folder == "" {
		return nil, nil
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	var found []entrant
	for plugin, form := range peers {
		switch info, err := os.Stat(filepath.Join(folder, "pulumi-resource-"+plugin)); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case info.Mode().IsRegular():
			found = append(found, entrant{name: "peer " + plugin, plugin: plugin, form: form, folder: folder})
		}
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%s has %d plugins that can be measured: put pulumi-resource-kubernetes there, or another build of "+
			"pulumi-resource-k8sconnect", folder, len(found))
	}
	return found, nil
}

// isOurs reports whether it is the provider that is built from this source, which has limits to keep.
func (e entrant) isOurs() bool { return e.plugin == provider.plugin && e.folder == "" }

// inForm is the entrant with the form in which our provider is told of the sets. Another build of it that does not have Manifests yet is
// told of each object.
func (e entrant) inForm(ctx context.Context, b bench) (entrant, error) {
	if e.plugin != provider.plugin {
		return e, nil
	}
	form := b.form
	if form == formManifests && e.folder != "" {
		path := filepath.Join(e.folder, "pulumi-resource-"+e.plugin)
		schema, err := b.tools.Command(ctx, b.dir, b.tools.Environment(b.dir, ""), "package", "get-schema", path).Output()
		if err != nil {
			return e, fmt.Errorf("the schema of %s: %w", path, err)
		}
		if !bytes.Contains(schema, []byte(`"`+e.plugin+`:index:Manifests"`)) {
			form = formObjects
			e.name += " with " + formObjects
		}
	}
	e.form, e.waits = forms[form], form == formManifests
	return e, nil
}

// isIdle reports whether it makes no requests.
func (e entrant) isIdle() bool { return e.plugin == engineOnly.plugin }

// toolsFor are the tools with which the entrant's own plugin is found, and with a home of their own.
func (e entrant) toolsFor(tools cli.Tools, dir string) cli.Tools {
	if e.folder != "" {
		tools.Path = e.folder + string(os.PathListSeparator) + tools.Path
		tools.Home = filepath.Join(dir, "home")
	}
	return tools
}

// enter makes a project of the entrant, which works on the cluster as a user of its own.
func (e entrant) enter(ctx context.Context, c *cluster.Cluster, tools cli.Tools, set func(string) sets.Set, dir string,
) (*project, cluster.User, error) {
	user, err := c.AddUser(filepath.Base(dir), "system:masters")
	if err != nil {
		return nil, user, err
	}
	p, err := newProject(ctx, e.toolsFor(tools, dir), project{plugin: e.plugin, form: e.form, set: set}, user, dir)
	return p, user, err
}

// steps are some of the steps. The official provider sees drift only if it is told to look, so it has one more.
func (e entrant) steps(names ...string) []step {
	var some []step
	for _, s := range steps {
		if !slices.Contains(names, s.name) {
			continue
		}
		some = append(some, s)
		if s.name == stepUnchanged && e.plugin == "kubernetes" {
			s.name, s.command = stepUnchanged+" --refresh", append(slices.Clone(s.command), "--refresh")
			some = append(some, s)
		}
	}
	return some
}
