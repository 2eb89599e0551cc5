package typed

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// catalog is what is known of the kinds of an extension: their definitions, wherever they come from. It is also what save= writes and
// from= reads.
type catalog struct {
	// Kinds are those that become classes.
	Kinds []Kind `json:"kinds"`
	// Documents are the definitions that they need, by API version.
	Documents map[string]document `json:"documents"`
}

func newCatalog() *catalog { return &catalog{Documents: map[string]document{}} }

// add adds a kind from a document that has it.
func (c *catalog) add(k Kind, doc document) error {
	name, root := doc.root(k)
	if root == nil {
		return fmt.Errorf("there is no kind %s in %s.%s", k.Kind, k.APIVersion(), didYouMean(k.String(), names(doc.kinds())))
	}
	if slices.Contains(c.Kinds, k) {
		return nil
	}
	c.Kinds = append(c.Kinds, k)
	slices.SortFunc(c.Kinds, func(a, b Kind) int { return strings.Compare(a.String(), b.String()) })
	into := c.Documents[k.APIVersion()]
	if into == nil {
		into = document{}
		c.Documents[k.APIVersion()] = into
	}
	doc.reach(name, into)
	return nil
}

// save writes the catalog to a file.
func (c *catalog) save(path string) error {
	text, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil { //nolint:gosec // Definitions of kinds are no secrets.
		return fmt.Errorf("save=%s: the kinds that were read could not be written: %w", path, err)
	}
	return nil
}

// addSaved adds kinds that were saved: those that are wanted, or all.
func (c *catalog) addSaved(ctx context.Context, path string, wanted []Kind) error {
	text, err := readSaved(ctx, path)
	if err != nil {
		return fmt.Errorf("from=%s: %w", shown(path), err)
	}
	saved := newCatalog()
	if err := json.Unmarshal(text, saved); err != nil {
		return fmt.Errorf("from=%s: the file is not one that save= has written: %w", shown(path), err)
	}
	if len(wanted) == 0 {
		wanted = saved.Kinds
	}
	for _, k := range wanted {
		if !slices.Contains(saved.Kinds, k) {
			return fmt.Errorf("from=%s: %w", shown(path), notSaved(path, k, saved.Kinds))
		}
		if err := c.add(k, saved.Documents[k.APIVersion()]); err != nil {
			return fmt.Errorf("from=%s: %w", shown(path), err)
		}
	}
	return nil
}

func list(kinds []Kind) string { return strings.Join(names(kinds), ", ") }

// names are kinds as a user writes them, in order.
func names(kinds []Kind) (all []string) {
	for _, k := range kinds {
		all = append(all, k.String())
	}
	slices.Sort(all)
	return all
}

// apiVersions returns the API versions of kinds, each once and in order.
func apiVersions(kinds []Kind) []string {
	all := map[string]bool{}
	for _, k := range kinds {
		all[k.APIVersion()] = true
	}
	return slices.Sorted(maps.Keys(all))
}
