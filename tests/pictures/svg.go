package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The measures of a picture, in pixels. A column is as wide as a letter of the usual monospaced fonts: 0.6 of their size.
const (
	columns  = 112
	fontSize = 13
	column   = 0.602 * fontSize
	row      = 19
	margin   = 20
)

// style gives a terminal the colors of the page that it is on. Each has a contrast of at least 4.5 to its background.
const style = `
.page { fill: #f6f8fa; stroke: #d0d7de }
text { font: 13px ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; fill: #1f2328; white-space: pre }
.bold { font-weight: 600 }
.c1 { fill: #57606a } .c2 { fill: #b31d28 } .c3 { fill: #116329 } .c4 { fill: #7d4e00 }
.c5 { fill: #0550ae } .c6 { fill: #8250df } .c7 { fill: #0a6570 } .c8 { fill: #1f2328 }
@media (prefers-color-scheme: dark) {
.page { fill: #161b22; stroke: #30363d }
text { fill: #e6edf3 }
.c1 { fill: #9198a1 } .c2 { fill: #ff7b72 } .c3 { fill: #56d364 } .c4 { fill: #e3b341 }
.c5 { fill: #79c0ff } .c6 { fill: #d2a8ff } .c7 { fill: #56d4dd } .c8 { fill: #e6edf3 }
}
`

// draw writes lines as the picture of a terminal. Readers that cannot see it are told the title, and its text.
func draw(w io.Writer, title string, lines [][]span) error {
	var b strings.Builder
	width, height := columns*column+2*margin, len(lines)*row+2*margin-4
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0[1]f %[2]d" role="img">`+"\n", width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n<style>%s</style>\n", escape(title), style)
	fmt.Fprintf(&b, `<rect class="page" x="0.5" y="0.5" width="%.0f" height="%d" rx="8"/>`+"\n", width-1, height-1)
	for i, line := range lines {
		if len(line) == 0 {
			continue
		}
		fmt.Fprintf(&b, `<text x="%d" y="%d" xml:space="preserve">`, margin, margin+i*row+fontSize-2)
		for _, s := range line {
			if class := s.look.class(); class != "" {
				fmt.Fprintf(&b, `<tspan class="%s">%s</tspan>`, class, escape(s.text))
			} else {
				b.WriteString(escape(s.text))
			}
		}
		b.WriteString("</text>\n")
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// class names the rules of the style that make the look.
func (l look) class() string {
	var classes []string
	if l.bold {
		classes = append(classes, "bold")
	}
	if l.color > 0 {
		classes = append(classes, fmt.Sprint("c", l.color))
	}
	return strings.Join(classes, " ")
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder takes everything
	return b.String()
}
