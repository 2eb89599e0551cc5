package main

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// span is text of one look.
type span struct {
	text string
	look look
}

// look is what escape sequences say of the text that follows them. The zero value is plain text.
type look struct {
	bold  bool
	color int // 0 is the color of text; else one more than the number of an ANSI color, from 1 to 8
}

// parse reads what a program wrote to a terminal: a line of the result for each of its lines. Escape
// sequences that do more than change colors do not occur, since the CLI is told to show no progress.
func parse(output string) [][]span {
	var lines [][]span
	var current look
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		var spans []span
		for line != "" {
			text, rest, escaped := strings.Cut(line, "\x1b[")
			if text != "" {
				spans = append(spans, span{text, current})
			}
			if !escaped {
				break
			}
			codes, after, _ := strings.Cut(rest, "m")
			current = current.after(codes)
			line = after
		}
		lines = append(lines, spans)
	}
	return lines
}

// after is the look after one sequence "ESC [ codes m".
func (l look) after(codes string) look {
	list := strings.Split(codes, ";")
	for i := 0; i < len(list); i++ {
		code, _ := strconv.Atoi(list[i]) // an empty one means 0
		switch {
		case code == 0:
			l = look{}
		case code == 1:
			l.bold = true
		case code == 22:
			l.bold = false
		case code >= 30 && code <= 37:
			l.color = code - 30 + 1
		case code == 38 && i+2 < len(list) && list[i+1] == "5":
			n, _ := strconv.Atoi(list[i+2])
			l.color = n%8 + 1 // the bright eight look as the first eight
			i += 2
		case code == 39:
			l.color = 0
		case code >= 90 && code <= 97:
			l.color = code - 90 + 1
		}
	}
	return l
}

// wrap breaks lines at the last space that fits into width, as a reader would want a terminal to do. What follows
// is indented as the line is.
func wrap(lines [][]span, width int) [][]span {
	var wrapped [][]span
	for _, line := range lines {
		indent := indentation(line)
		for length(line) > width {
			head, tail := split(line, width)
			wrapped = append(wrapped, head)
			line = append([]span{{text: indent}}, tail...)
		}
		wrapped = append(wrapped, line)
	}
	return wrapped
}

func indentation(line []span) string {
	var text strings.Builder
	for _, s := range line {
		text.WriteString(s.text)
	}
	return text.String()[:len(text.String())-len(strings.TrimLeft(text.String(), " "))]
}

func length(line []span) (n int) {
	for _, s := range line {
		n += utf8.RuneCountInString(s.text)
	}
	return n
}

// split parts a line that is longer than width at its last space before that, or at width if there is none.
func split(line []span, width int) (head, tail []span) {
	var all []rune
	for _, s := range line {
		all = append(all, []rune(s.text)...)
	}
	indent := len(indentation(line))
	at, skip := width, 0
	for i := width; i > indent; i-- {
		if all[i] == ' ' {
			at, skip = i, 1
			break
		}
	}
	position := 0
	for _, s := range line {
		runes := []rune(s.text)
		cut := min(max(at-position, 0), len(runes))
		from := min(max(at+skip-position, 0), len(runes))
		if cut > 0 {
			head = append(head, span{string(runes[:cut]), s.look})
		}
		if from < len(runes) {
			tail = append(tail, span{string(runes[from:]), s.look})
		}
		position += len(runes)
	}
	return head, tail
}
