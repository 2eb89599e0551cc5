package draws

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"text/template/parse"
)

// editor edits the trees of one text. It does not edit the text itself, because the parser gives the positions of hardly anything.
type editor struct {
	scope *parse.VariableNode
	yaml  yamlText
	// sites counts the edited calls. names give the sites of one tree their names when the whole tree has been read.
	sites int
	names []func(counts map[string]int)
	// found, if set, receives each call of the tree: what is called, as it is written, and its site.
	found func(callee, site string)
}

// tree edits a file or a definition, and reports whether it contains calls.
func (e *editor) tree(root *parse.ListNode) bool {
	e.yaml, e.names = newYAMLText(), nil
	calls, counts := e.list(root), map[string]int{} // calls with the same name
	e.yaml.endLine()
	for _, name := range e.names {
		name(counts)
	}
	return calls
}

// list edits a list, and reports whether it contains calls.
func (e *editor) list(list *parse.ListNode) bool {
	before := e.sites
	var nodes []parse.Node
	for _, node := range list.Nodes {
		switch node := node.(type) {
		case *parse.TextNode:
			e.yaml.read(node.Text)
			// The engine would take a brace before an action as a part of its delimiter.
			if text, found := bytes.CutSuffix(node.Text, []byte("{")); found {
				node.Text = text
				nodes = append(nodes, node, action(pipeline(call(quoted("{")))))
				continue
			}
		case *parse.ActionNode:
			name := named(node.Pipe)
			e.pipe(node.Pipe, "")
			if len(node.Pipe.Decl) == 0 {
				e.yaml.printed(name)
			}
		case *parse.TemplateNode:
			e.template(node)
			e.yaml.printed(node.Name)
		case *parse.IfNode:
			e.branch(&node.BranchNode)
		case *parse.WithNode:
			e.branch(&node.BranchNode)
		case *parse.RangeNode:
			if e.branch(&node.BranchNode) {
				nodes = append(nodes, e.loop(node))
			}
		}
		nodes = append(nodes, node)
	}
	list.Nodes = nodes
	return e.sites > before
}

// branch edits what if, with and range have in common, and reports whether the first list contains calls.
func (e *editor) branch(branch *parse.BranchNode) bool {
	e.pipe(branch.Pipe, "")
	before := e.yaml.clone()
	calls := e.list(branch.List)
	if branch.ElseList != nil {
		after := e.yaml
		e.yaml = before
		e.list(branch.ElseList)
		e.yaml = after
	}
	return calls
}

// loop gives each iteration its own scope, and returns the node to put before the loop. Iterations are counted here: range has a variable
// for keys only if the chart asks for one, and asking would fail for some types that range accepts without it.
func (e *editor) loop(node *parse.RangeNode) parse.Node {
	loop := variable(e.scope.Ident[0] + "_loop")
	node.Pipe.Cmds = append(node.Pipe.Cmds, call(parse.NewIdentifier("kc_each"), loop))
	next := declare(e.scope, "kc_next", loop, &parse.DotNode{NodeType: parse.NodeDot})
	node.List.Nodes = append([]parse.Node{next}, node.List.Nodes...)
	return declare(loop, "kc_loop", e.scope)
}

func (e *editor) template(node *parse.TemplateNode) {
	if node.Pipe == nil {
		node.Pipe = pipeline(e.pass("kc_pass", e.site(node.Name, ""), &parse.NilNode{NodeType: parse.NodeNil}))
		return
	}
	arguments := literals(node.Pipe)
	e.pipe(node.Pipe, "")
	node.Pipe.Cmds = append(node.Pipe.Cmds, e.pass("kc_pass", e.site(node.Name, "", arguments)))
}

// pipe edits a pipeline. If it declares a variable, its name is a better hint than the given one.
func (e *editor) pipe(pipe *parse.PipeNode, hint string) {
	if len(pipe.Decl) > 0 {
		if name := pipe.Decl[len(pipe.Decl)-1].Ident[0][1:]; name != "_" {
			hint = name
		}
	}
	for _, command := range pipe.Cmds {
		e.command(command, hint)
	}
}

// command edits a command: first its arguments, then the call itself.
func (e *editor) command(command *parse.CommandNode, hint string) {
	function, isCall := command.Args[0].(*parse.IdentifierNode)
	if !isCall {
		function = parse.NewIdentifier("")
		command.Args[0] = e.operand(command.Args[0], hint)
	}
	last := len(command.Args) - 1
	arguments := literals(command.Args[last])
	for i := 1; i <= last; i++ {
		hint := hint
		if key := keyBefore(function.Ident, command.Args, i); key != "" {
			hint = key
		}
		command.Args[i] = e.operand(command.Args[i], hint)
	}
	switch {
	case drawn[function.Ident]:
		command.Args = append(e.draw(function.Ident, hint).Args, command.Args[1:]...)
	case function.Ident == "include" && last > 0:
		// Pass the scope in the last argument, because the calls in the others are complete by then. So are calls in data from the pipe.
		site := e.site(command.Args[1].String(), hint, arguments)
		command.Args[last] = pipeline(e.pass("kc_pass", site, command.Args[last]))
	case function.Ident == "tpl" && last > 0:
		site := e.site("tpl", hint)
		command.Args[1] = pipeline(e.pass("kc_text", site, command.Args[1]))
		if last > 1 {
			command.Args[last] = pipeline(e.pass("kc_pass", site, command.Args[last]))
		}
	}
}

// operand edits an argument, or the expression in place of a function.
func (e *editor) operand(node parse.Node, hint string) parse.Node {
	switch node := node.(type) {
	case *parse.PipeNode:
		e.pipe(node, hint)
	case *parse.ChainNode:
		node.Node = e.operand(node.Node, hint)
	case *parse.IdentifierNode:
		if drawn[node.Ident] {
			return pipeline(e.draw(node.Ident, hint))
		}
	}
	return node
}

// draw is the call of a function that draws.
func (e *editor) draw(function, hint string) *parse.CommandNode {
	return call(parse.NewIdentifier(drawPrefix+function), e.scope, e.site(function, hint))
}

// pass is the call that passes the scope on, with an argument.
func (e *editor) pass(function string, site parse.Node, arg ...parse.Node) *parse.CommandNode {
	return call(append([]parse.Node{parse.NewIdentifier(function), e.scope, site}, arg...)...)
}

// site distinguishes the calls of one tree: by a hint, by the object in which it is a key, by further details from the text, and by a
// number if this is not enough. The number counts calls in the text, not in the execution, so it stays if a condition leaves another call
// out.
func (e *editor) site(callee, hint string, arguments ...string) parse.Node {
	e.sites++
	name, object := escape(hint), func() object { return object{} }
	if hint == "" {
		name, object = escape(e.yaml.hint()), e.yaml.object()
	}
	node := &parse.StringNode{NodeType: parse.NodeString}
	e.names = append(e.names, func(counts map[string]int) {
		for _, text := range append([]string{object().String()}, arguments...) {
			if text != "" {
				name += siteMark + escape(text)
			}
		}
		counted := callee + "\n" + name
		counts[counted]++
		if n := counts[counted]; n > 1 {
			name += siteMark + strconv.Itoa(n)
		}
		node.Text, node.Quoted = name, strconv.Quote(name)
		if e.found != nil {
			e.found(callee, name)
		}
	})
	return node
}

// named distinguishes what an action prints: by the definition that it includes, or by the value or variable that it prints. It is empty
// for everything else, and for the name of the release, because most names begin with it.
func named(pipe *parse.PipeNode) string {
	args := pipe.Cmds[0].Args
	switch first := args[0].(type) {
	case *parse.IdentifierNode:
		if len(args) > 1 && first.Ident == "include" {
			if text, is := args[1].(*parse.StringNode); is {
				return text.Text
			}
		}
	case *parse.FieldNode:
		if name := first.String(); name != ".Release.Name" {
			return name
		}
	case *parse.VariableNode:
		return first.String()
	}
	return ""
}

// literals returns the texts in a list or a map that is made for a call: its arguments.
func literals(node parse.Node) string {
	var texts []string
	if pipe, is := node.(*parse.PipeNode); is && len(pipe.Cmds) == 1 {
		args := pipe.Cmds[0].Args
		function := args[0].String()
		for i, arg := range args[1:] {
			if text, is := arg.(*parse.StringNode); is && (function == "dict" && i%2 == 1 || function == "list" || function == "tuple") {
				texts = append(texts, text.Text)
			}
		}
	}
	return strings.Join(texts, ",")
}

// keyBefore returns the key of a map whose value is the argument with this index.
func keyBefore(function string, args []parse.Node, index int) string {
	if function == "dict" && index%2 == 0 || function == "set" && index == 3 {
		if key, is := args[index-1].(*parse.StringNode); is {
			return key.Text
		}
	}
	return ""
}

func variable(name string) *parse.VariableNode {
	return &parse.VariableNode{NodeType: parse.NodeVariable, Ident: []string{name}}
}

func quoted(text string) *parse.StringNode {
	return &parse.StringNode{NodeType: parse.NodeString, Quoted: fmt.Sprintf("%q", text), Text: text}
}

// call is a command: a function and its arguments.
func call(args ...parse.Node) *parse.CommandNode {
	return &parse.CommandNode{NodeType: parse.NodeCommand, Args: args}
}

func pipeline(command *parse.CommandNode) *parse.PipeNode {
	return &parse.PipeNode{NodeType: parse.NodePipe, Cmds: []*parse.CommandNode{command}}
}

func action(pipe *parse.PipeNode) *parse.ActionNode {
	return &parse.ActionNode{NodeType: parse.NodeAction, Pipe: pipe}
}

// declare is the action that declares a variable.
func declare(variable *parse.VariableNode, function string, args ...parse.Node) *parse.ActionNode {
	pipe := pipeline(call(append([]parse.Node{parse.NewIdentifier(function)}, args...)...))
	pipe.Decl = []*parse.VariableNode{variable}
	return action(pipe)
}
