package chart

import (
	"fmt"
	"regexp"
	"strings"
	"text/template"
	"text/template/parse"
)

// reserved begins the names of the functions by which templates are counted. Charts cannot call them.
const reserved = "k8sconnectChart"

// How deep if, range and with may be nested in a template, and how deep they may look as if they were before it is parsed.
const (
	maxNesting = 200
	maxOpen    = 10_000
)

// opening matches an action that others may be in, and closing the end of one.
var (
	opening = regexp.MustCompile(`^-?\s*(if|range|with|define|block|else\s+(if|with))\b`)
	closing = regexp.MustCompile(`^-?\s*end\b`)
)

// nestsLittle refuses a text whose actions are nested so deep that text/template would overflow the stack by parsing it. It
// does not know comments and quotes, so it counts too much rather than too little.
func nestsLittle(text string) error {
	open := 0
	for {
		_, rest, found := strings.Cut(text, "{{")
		if !found {
			return nil
		}
		action := rest[:min(len(rest), 64)]
		switch {
		case opening.MatchString(action):
			if open++; open > maxOpen {
				return tooNested
			}
		case closing.MatchString(action) && open > 0:
			open--
		}
		text = rest
	}
}

// tooNested is a template with too many conditions in conditions.
var tooNested = &LimitError{fmt.Sprintf("the template nests if, range and with more than %d deep", maxNesting)}

// counters are nodes that call a function for the count of something. They are the same in all trees.
var counters = struct{ enter, leave, step, print, made, pattern parse.Node }{
	counter("enter"), counter("leave"), counter("step"), counter("print"), counter("made"), counter("pattern"),
}

// copies are the methods of .Files and .Values that copy what is in them, and glob is the one that takes a pattern.
var (
	copies = set("Get", "GetBytes", "Lines", "AsConfig", "AsSecrets", "Glob", "YAML")
	glob   = set("Glob")
)

func counter(name string) parse.Node {
	trees := map[string]*parse.Tree{}
	tree := parse.New(root)
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse("{{"+reserved+name+"}}", "", "", trees); err != nil {
		panic(err)
	}
	return tree.Root.Nodes[0]
}

// instrument makes all templates, but those that are so already, count how deep they are nested and what their loops do.
// It changes the trees, not the texts: places in errors stay right.
func instrument(all *template.Template) error {
	for _, one := range all.Templates() {
		if one.Tree == nil || len(one.Tree.Root.Nodes) > 0 && one.Tree.Root.Nodes[0] == counters.enter {
			continue
		}
		if err := instrumentList(one.Tree.Root, 0); err != nil {
			return &TemplateError{File: one.Tree.ParseName, Message: err.Error(), cause: err}
		}
		nodes := append([]parse.Node{counters.enter}, one.Tree.Root.Nodes...)
		one.Tree.Root.Nodes = append(nodes, counters.leave)
	}
	return nil
}

func instrumentList(list *parse.ListNode, depth int) error {
	if list == nil {
		return nil
	}
	if depth > maxNesting {
		return tooNested
	}
	for _, node := range list.Nodes {
		var err error
		switch node := node.(type) {
		case *parse.ActionNode:
			instrumentPipe(node.Pipe)
			if len(node.Pipe.Decl) == 0 {
				node.Pipe.Cmds = append(node.Pipe.Cmds, commandsOf(counters.print)...)
			}
		case *parse.TemplateNode:
			instrumentPipe(node.Pipe)
		case *parse.IfNode:
			err = instrumentBranch(&node.BranchNode, depth)
		case *parse.WithNode:
			err = instrumentBranch(&node.BranchNode, depth)
		case *parse.RangeNode:
			if err = instrumentBranch(&node.BranchNode, depth); err == nil {
				node.List.Nodes = append([]parse.Node{counters.step}, node.List.Nodes...)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// commandsOf returns what an action does.
func commandsOf(action parse.Node) []*parse.CommandNode { return action.(*parse.ActionNode).Pipe.Cmds }

func instrumentBranch(branch *parse.BranchNode, depth int) error {
	instrumentPipe(branch.Pipe)
	if err := instrumentList(branch.List, depth+1); err != nil {
		return err
	}
	return instrumentList(branch.ElseList, depth+1)
}

// instrumentPipe counts what methods make. Functions are counted where they are called.
func instrumentPipe(pipe *parse.PipeNode) {
	if pipe == nil {
		return
	}
	var commands []*parse.CommandNode
	for _, command := range pipe.Cmds {
		for i, argument := range command.Args {
			switch argument := argument.(type) {
			case *parse.PipeNode:
				instrumentPipe(argument)
			case *parse.ChainNode:
				if inner, is := argument.Node.(*parse.PipeNode); is {
					instrumentPipe(inner)
				}
			}
			if i > 0 && callsMethod(argument, copies) { // a method without arguments, as an argument
				command.Args[i] = piped(argument, counters.made, pipe.Line)
			}
			if i > 0 && callsMethod(command.Args[0], glob) {
				command.Args[i] = piped(command.Args[i], counters.pattern, pipe.Line)
			}
		}
		if len(commands) > 0 && callsMethod(command.Args[0], glob) {
			commands = append(commands, commandsOf(counters.pattern)...)
		}
		commands = append(commands, command)
		if callsMethod(command.Args[0], copies) {
			commands = append(commands, commandsOf(counters.made)...)
		}
	}
	pipe.Cmds = commands
}

// piped has a function called with an argument.
func piped(argument, into parse.Node, line int) parse.Node {
	called := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: argument.Position(), Args: []parse.Node{argument}}
	return &parse.PipeNode{
		NodeType: parse.NodePipe, Pos: argument.Position(), Line: line, Cmds: append([]*parse.CommandNode{called}, commandsOf(into)...),
	}
}

// callsMethod reports whether a node may call one of the methods. It is also true of a field with such a name, which does no harm.
func callsMethod(node parse.Node, methods map[string]bool) bool {
	var names []string
	switch node := node.(type) {
	case *parse.FieldNode:
		names = node.Ident
	case *parse.VariableNode:
		names = node.Ident[1:]
	case *parse.ChainNode:
		names = node.Field
	}
	return len(names) > 0 && methods[names[len(names)-1]]
}
