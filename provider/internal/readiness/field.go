package readiness

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// fieldCriterion holds when a path has a value.
type fieldCriterion struct{ path Path }

func (c fieldCriterion) String() string    { return c.path.String() }
func (c fieldCriterion) readsStatus() bool { return c.path.readsStatus() }

func (c fieldCriterion) missing(object map[string]any) string {
	for _, node := range c.path.selected(object) {
		if !isEmpty(node.Node) {
			return ""
		}
	}
	return c.path.String() + " is not set"
}

// isEmpty reports whether a value carries no information. false and 0 do.
func isEmpty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case []any:
		return len(value) == 0
	case map[string]any:
		return len(value) == 0
	default:
		return false
	}
}

// valueCriterion holds when a path has at least one result and every result equals a certain text.
type valueCriterion struct {
	path Path
	want string
}

func (c valueCriterion) String() string    { return fmt.Sprintf("%s = %s", c.path, strconv.Quote(c.want)) }
func (c valueCriterion) readsStatus() bool { return c.path.readsStatus() }

func (c valueCriterion) missing(object map[string]any) string {
	nodes := c.path.selected(object)
	if len(nodes) == 0 {
		return fmt.Sprintf("%s is not set, it should be %q", c.path, c.want)
	}
	for _, node := range nodes {
		if is := textOf(node.Node); is != c.want {
			return fmt.Sprintf("%s is %q, it should be %q", c.path, is, c.want)
		}
	}
	return ""
}

// textOf formats a value as in a manifest: a string as it is, everything else as JSON.
func textOf(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	return strings.TrimSuffix(text.String(), "\n")
}
