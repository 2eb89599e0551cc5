package diagnosis

import (
	"cmp"
	"context"
	"strings"
	"unicode"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
)

const (
	// maxLogLine bounds what is shown of a log: on average, this many bytes for each requested line.
	maxLogLine = 205
	// maxLogRead bounds what is read of a log, whose lines may have any length.
	maxLogRead = 64 << 10
)

// advice says how to see the whole log.
func (c Container) advice() string {
	command := "kubectl logs --namespace " + c.Namespace + " " + c.Pod + " --container " + c.Name
	if c.Previous {
		command += " --previous"
	}
	return "see why with `" + command + "` and fix that"
}

// Log returns the last lines of the container's log, at most as many as lines says. It is empty if the log may not be read, or
// cannot be read because the node kept it and the pod is gone, and nothing of it is remembered. redact gets the text before it is
// cut, so that no text that redact has to find is cut in two.
func (c Container) Log(ctx context.Context, clu *cluster.Cluster, lines int, redact func(string) string) []string {
	text := cmp.Or(c.read(ctx, clu, lines), c.log)
	return lastLines(redact(text), lines)
}

// read returns the end of the log; "" if no log can be read, or no lines are asked for.
func (c Container) read(ctx context.Context, clu *cluster.Cluster, lines int) string {
	if c.Name == "" || lines <= 0 {
		return ""
	}
	text, err := clu.Log(ctx, c.Namespace, c.Pod, cluster.LogOptions{
		Container: c.Name, Previous: c.Previous, TailLines: lines, LimitBytes: maxLogRead,
	})
	if err != nil {
		return ""
	}
	return text
}

// lastLines are the last lines of a text that are not empty, without escape sequences for terminals.
func lastLines(text string, most int) []string {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	if cut := len(text) - most*maxLogLine; cut > 0 {
		text = strings.ToValidUTF8(text[cut:], "")
		if _, whole, ok := strings.Cut(text, "\n"); ok {
			text = whole
		}
	}
	var lines []string
	for line := range strings.Lines(text) {
		if line = printable(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-most):]
}

// printable removes from a line what cannot be printed.
func printable(line string) string {
	line = escapes.ReplaceAllString(line, "")
	return strings.TrimRightFunc(strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsPrint(r):
			return r
		default:
			return -1
		}
	}, line), unicode.IsSpace)
}
