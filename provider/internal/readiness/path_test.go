package readiness

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/theory/jsonpath"
)

// object is an object as the API server gives it: whole numbers are int64.
type object = map[string]any

// list is a list in one.
type list = []any

// sample has something for every spelling of a path.
func sample() object {
	return object{
		"apiVersion": "acme.io/v1", "kind": "Sample",
		"metadata": object{
			"name": "web", "generation": int64(3),
			"annotations": object{"app.kubernetes.io/name": "web", "it's": "quoted", "a]b": "bracket", "a{b}": "braces"},
			"labels":      object{"my-app": "dashed", "a b": "spaced", "grün": "coloured", "0": "zero"},
		},
		"data": object{"tls.crt": "certificate"},
		"spec": object{"volumeName": "pv-1", "ports": list{
			object{"name": "http", "port": int64(80)}, object{"name": "https", "port": int64(443), "tls-mode": "strict"},
		}},
		"status": object{
			"phase": "Running", "replicas": int64(0), "ready": false, "ratio": 0.5, "nothing": nil,
			"conditions": list{
				object{"type": "Progressing", "status": "True", "reason": "New"},
				object{"type": "Ready", "status": "False", "reason": "Waiting"},
			},
			"loadBalancer": object{"ingress": list{object{"ip": "10.0.0.1"}, object{"hostname": "lb.example"}, object{"ip": "10.0.0.3"}}},
			"matrix":       list{list{int64(1), int64(2)}, list{int64(3)}},
			"[]":           "brackets",
		},
	}
}

func TestAPathSelects(t *testing.T) {
	for name, c := range map[string]struct {
		path string
		want list
	}{
		"as it is written in a sentence":                         {"status.phase", list{"Running"}},
		"with a leading dot":                                     {".status.phase", list{"Running"}},
		"from the root":                                          {"$.status.phase", list{"Running"}},
		"in kubectl's braces":                                    {"{.status.phase}", list{"Running"}},
		"in kubectl's braces, without the dot":                   {"{status.phase}", list{"Running"}},
		"in kubectl's braces, from the root":                     {"{$.status.phase}", list{"Running"}},
		"in spaces":                                              {" { .status.phase } ", list{"Running"}},
		"a number":                                               {"status.replicas", list{int64(0)}},
		"a boolean":                                              {"status.ready", list{false}},
		"null":                                                   {"status.nothing", list{nil}},
		"nothing, where there is none":                           {"status.missing.deeper", nil},
		"nothing below a text":                                   {"status.phase.deeper", nil},
		"a list":                                                 {"status.matrix[1]", list{list{int64(3)}}},
		"a name with an escaped dot":                             {`.metadata.annotations.app\.kubernetes\.io/name`, list{"web"}},
		"a name in quotes":                                       {"metadata.annotations['app.kubernetes.io/name']", list{"web"}},
		"a name in double quotes":                                {`metadata.annotations["app.kubernetes.io/name"]`, list{"web"}},
		"a name in quotes with kubectl's backslash":              {`{.data['tls\.crt']}`, list{"certificate"}},
		"a name in quotes at the beginning":                      {"['status']['phase']", list{"Running"}},
		"a name in quotes after the root":                        {"$['status'].phase", list{"Running"}},
		"a name with a dash":                                     {"metadata.labels.my-app", list{"dashed"}},
		"a name with a space":                                    {"metadata.labels.a b", list{"spaced"}},
		"a name with letters of all languages":                   {"metadata.labels.grün", list{"coloured"}},
		"a name that is a number":                                {"metadata.labels.0", list{"zero"}},
		"a name with a quote":                                    {"metadata.annotations.it's", list{"quoted"}},
		"a name with an escaped quote in quotes":                 {`metadata.annotations['it\'s']`, list{"quoted"}},
		"a name with a bracket in quotes":                        {"metadata.annotations['a]b']", list{"bracket"}},
		"a name with an escaped bracket":                         {`metadata.annotations.a\]b`, list{"bracket"}},
		"a name with escaped braces":                             {`metadata.annotations.a\{b\}`, list{"braces"}},
		"a name of brackets":                                     {"status['[]']", list{"brackets"}},
		"an item by its index":                                   {"status.loadBalancer.ingress[0].ip", list{"10.0.0.1"}},
		"an item from the end":                                   {"status.loadBalancer.ingress[-1].ip", list{"10.0.0.3"}},
		"no item behind the end":                                 {"status.loadBalancer.ingress[3].ip", nil},
		"an item of an item":                                     {"status.matrix[0][1]", list{int64(2)}},
		"items by a slice":                                       {"status.loadBalancer.ingress[1:].ip", list{"10.0.0.3"}},
		"items by a slice with a step":                           {"status.loadBalancer.ingress[::2].ip", list{"10.0.0.1", "10.0.0.3"}},
		"all items":                                              {"status.loadBalancer.ingress[*].ip", list{"10.0.0.1", "10.0.0.3"}},
		"all members":                                            {"status.loadBalancer.*[0].ip", list{"10.0.0.1"}},
		"several items":                                          {"status.loadBalancer.ingress[0,2].ip", list{"10.0.0.1", "10.0.0.3"}},
		"several members":                                        {"status['phase','ready']", list{"Running", false}},
		"all descendants of a name":                              {"$..ip", list{"10.0.0.1", "10.0.0.3"}},
		"all descendants of a name, below a field":               {"status..hostname", list{"lb.example"}},
		"all descendants in brackets":                            {"status..['hostname']", list{"lb.example"}},
		"by a filter":                                            {"status.conditions[?@.type=='Ready'].status", list{"False"}},
		"by a filter as kubectl wants it":                        {`{.status.conditions[?(@.type=="Ready")].status}`, list{"False"}},
		"by a filter with and":                                   {"status.conditions[?@.type=='Ready' && @.status=='False'].reason", list{"Waiting"}},
		"by a filter with or":                                    {"status.conditions[?@.type=='Ready' || @.reason=='New'].status", list{"True", "False"}},
		"by a filter with not":                                   {"status.conditions[?!(@.type=='Ready')].type", list{"Progressing"}},
		"by a filter that finds nothing":                         {"status.conditions[?@.type=='Missing'].status", nil},
		"by a filter on a number":                                {"spec.ports[?@.port==443].name", list{"https"}},
		"by a filter that compares numbers":                      {"spec.ports[?@.port>100].name", list{"https"}},
		"by a filter on existence":                               {"status.loadBalancer.ingress[?@.hostname].hostname", list{"lb.example"}},
		"by a filter on a name with a dash":                      {"spec.ports[?@['tls-mode']=='strict'].name", list{"https"}},
		"by a filter on a name with a dash, as kubectl wants it": {"spec.ports[?(@.tls-mode=='strict')].name", list{"https"}},
		"by a key [D25]":                                         {"status.conditions[type=Ready].status", list{"False"}},
		"by a key that is a number [D25]":                        {"spec.ports[port=443].name", list{"https"}},
		"by two keys [D25]":                                      {`spec.ports[port=443,name="https"].name`, list{"https"}},
		"by two keys of which one differs [D25]":                 {"spec.ports[port=443,name=http].name", nil},
		"an item that is a value [D25]":                          {"status.matrix[*][=3]", list{int64(3)}},
		"a name with escapes of RFC 9535 [D25]":                  {`metadata.labels['gr\u00fcn']`, list{"coloured"}},
		"by a filter with a bracket in its text":                 {"status.conditions[?@.type!=']'].type", list{"Progressing", "Ready"}},
		"by a filter with a regular expression":                  {"spec.ports[?match(@.name, 'https?')].port", list{int64(80), int64(443)}},
		"by a match on what only some items have":                {"status.loadBalancer.ingress[?match(@.ip, '10[.].*')].ip", list{"10.0.0.1", "10.0.0.3"}},
		"by a search in what only some items have":               {"status.loadBalancer.ingress[?search(@.hostname, 'example')].hostname", list{"lb.example"}},
		"by a match of what is no text":                          {"spec.ports[?match(@.port, '.*')].name", nil},
		"by a filter that refers to the whole":                   {"status.conditions[?$.status.phase=='Running'].type", list{"Progressing", "Ready"}},
		"by a filter over several lines":                         {"status.conditions[?@.type=='Ready'\n  && @.status=='False'].reason", list{"Waiting"}},
		"fields that are not in the status, as well":             {"spec.volumeName", list{"pv-1"}},
	} {
		t.Run(name+" [W18]", func(t *testing.T) {
			path, err := ParsePath(c.path)
			require.NoError(t, err)
			assert.Equal(t, c.path, path.String(), "a path is shown as it was written")
			assert.Equal(t, c.want, nodesOf(path, sample()))
		})
	}
}

// nodesOf are the values that a path selects.
func nodesOf(path Path, from object) list {
	var nodes list
	for _, node := range path.selected(from) {
		nodes = append(nodes, node.Node)
	}
	return nodes
}

func TestAPathThatCannotBeReadSaysWhy(t *testing.T) {
	for path, why := range map[string]string{
		"":                              `path "": it is empty`,
		" ":                             "it is empty",
		"{}":                            "it is empty",
		"{ }":                           "it is empty",
		"$":                             `path "$": it selects the whole object and not a field`,
		"{$}":                           "it selects the whole object and not a field",
		".":                             "a name is empty",
		"..":                            "a name is empty",
		"status.":                       "a name is empty",
		"status..":                      "a name is empty",
		"status...phase":                "a name is empty",
		"status.[0]":                    "a name is empty",
		"{.status":                      "the brace is not closed",
		"{.status}.phase":               "the brace is not closed",
		".status}":                      "a brace is in the middle of it",
		"{.status.phase}{.spec}":        "one path in one pair of braces, and no template",
		"{range .items[*]}{.name}{end}": "one path in one pair of braces, and no template",
		"jsonpath={.status.phase}":      "one path in one pair of braces, and no template",
		"status.list]":                  "a bracket is closed that was not opened",
		"status.list[0":                 "a bracket is not closed",
		"status['phase]":                "a bracket is not closed",
		"status[?@.type=='Ready'":       "a bracket is not closed",
		"status[0]phase":                `a dot or a bracket is missing before "phase"`,
		"status\n.phase":                "a line ends in the middle of a name",
		"status.\xff":                   "it is not UTF-8",
		// What is wrong within a bracket is found in the standard's spelling, which is shown too.
		"status.list[]":                   "read as $['status']['list'][]: jsonpath: unexpected ']' at position 21",
		"status.list[first]":              "read as $['status']['list'][first]: jsonpath: unexpected identifier at position 21",
		"status.list[01]":                 "invalid number",
		"status.list[(@.length-1)]":       "unexpected '('",
		"status.list[?@.type='Ready']":    "invalid comparison operator",
		"status.list[?@.type=~'Ready']":   "invalid comparison operator",
		"status.list[?unknown(@)]":        "unknown function unknown()",
		"status.list[?(@.my-name>'web')]": "read as $['status']['list'][?(@.my-name>'web')]",
	} {
		t.Run(path+" is refused", func(t *testing.T) {
			_, err := ParsePath(path)
			require.ErrorContains(t, err, why)
			assert.ErrorContains(t, err, "path ")
		})
	}
}

func FuzzParsePath(f *testing.F) {
	for _, path := range []string{
		"status.phase", "{.status.phase}", "$.status.conditions[?@.type=='Ready' && @.status!=\"x\"].status", `data['tls\.crt']`,
		`.metadata.annotations.app\.kubernetes\.io/name`, "status.loadBalancer.ingress[-1,0]['ip','hostname']", "$..ip", "..[*]",
		"spec.ports[::2]", "status.matrix[?length(@)>1][?@>=1.5e0]", "spec.ports[?match(@.name,'h.*')||!@.x]", `a\`, `['\u00e9\\']`,
		"metadata.labels.grün", "status..*[?count(@..*)==value($..phase)]", "[?@==$.a[0]]", "{range .x[*]}{end}", "x['a\n']",
	} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path, err := ParsePath(text)
		if len(text) > 200 || err != nil {
			return
		}
		// Members are selected in any order, so what was selected is compared by where it is.
		want := located(path.query)
		again, err := ParsePath(path.String())
		require.NoError(t, err)
		require.Equal(t, want, located(again.query))

		for _, c := range []criterion{fieldCriterion{path}, valueCriterion{path, "x"}} {
			c.missing(sample())
		}
		var e extract
		e.add(sample(), path)
		_, err = json.Marshal(e.tree())
		require.NoError(t, err)
	})
}

// located are the values that a path selects in the sample, by where they are.
func located(query *jsonpath.Path) map[string]any {
	nodes := map[string]any{}
	for _, node := range query.SelectLocated(sample()) {
		nodes[node.Path.String()] = node.Node
	}
	return nodes
}
