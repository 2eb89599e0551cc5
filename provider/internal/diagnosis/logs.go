package diagnosis

import (
	"cmp"
	"context"
	"strings"
	"unicode"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/cluster"
)

const (
	// maxLogLine bounds what is shown of a log: this many bytes for each line that is asked for, on average.
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

// Log is how the log of the container ends, in so many lines. It is empty where the log may not be read, or cannot be, because it is
// kept by the node and goes with the pod, and nothing of it is remembered. redact is given the text before it is cut, so that nothing
// is taken apart that it has to find.
func (c Container) Log(ctx context.Context, clu *cluster.Cluster, lines int, redact func(string) string) []string {
	text := cmp.Or(c.read(ctx, clu, lines), c.log)
	return lastLines(redact(text), lines)
}

// read returns the end of the log; "" if there is none that may be read, or no lines are asked for.
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

// lastLines are the last lines of a text that are not empty, without what terminals make colours of.
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

// printable leaves out of a line what is not to be read.
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
