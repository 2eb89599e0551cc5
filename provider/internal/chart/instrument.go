package chart

import (
	"fmt"
	"regexp"
	"strings"
	"text/template"
	"text/template/parse"
)

// reserved is the prefix of the functions that count what templates do. Charts cannot call them.
const reserved = "k8sconnectChart"

// maxNesting is how deep if, range and with may be nested in a template. maxOpen is the limit for the estimate before parsing.
const (
	maxNesting = 200
	maxOpen    = 10_000
)

// opening matches an action that can contain others, and closing the end of one.
var (
	opening = regexp.MustCompile(`^-?\s*(if|range|with|define|block|else\s+(if|with))\b`)
	closing = regexp.MustCompile(`^-?\s*end\b`)
)

// nestsLittle refuses a text with actions nested so deep that parsing it would overflow the stack of text/template. It ignores comments and
// quotes, so it counts too much rather than too little.
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

// tooNested means that a template nests too many conditions.
var tooNested = &LimitError{fmt.Sprintf("the template nests if, range and with more than %d deep", maxNesting)}

// counters are nodes that call a counting function. They are the same in all trees.
var counters = struct{ enter, leave, step, print, made, pattern parse.Node }{
	counter("enter"), counter("leave"), counter("step"), counter("print"), counter("made"), counter("pattern"),
}

// copies are the methods of .Files and .Values that copy their content, and glob is the one that takes a pattern.
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

// instrument makes all templates count how deep they are nested and what their loops do, unless they already do so. It changes the trees,
// not the texts, so the places in errors stay right.
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

// commandsOf returns the commands of an action.
func commandsOf(action parse.Node) []*parse.CommandNode { return action.(*parse.ActionNode).Pipe.Cmds }

func instrumentBranch(branch *parse.BranchNode, depth int) error {
	instrumentPipe(branch.Pipe)
	if err := instrumentList(branch.List, depth+1); err != nil {
		return err
	}
	return instrumentList(branch.ElseList, depth+1)
}

// instrumentPipe counts what methods return. Functions are counted when they are called.
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

// piped returns a pipe that passes an argument to a function.
func piped(argument, into parse.Node, line int) parse.Node {
	called := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: argument.Position(), Args: []parse.Node{argument}}
	return &parse.PipeNode{
		NodeType: parse.NodePipe, Pos: argument.Position(), Line: line, Cmds: append([]*parse.CommandNode{called}, commandsOf(into)...),
	}
}

// callsMethod reports whether a node may call one of the methods. It also reports fields with such a name, which does no harm.
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
