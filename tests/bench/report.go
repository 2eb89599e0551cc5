package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

const legend = `
The state is saved at the end of a step.
engine    the same stack by the same CLI, with a provider that does nothing
server    the same requests by client-go, as many at a time
to both   k8sconnect to engine + server
CPU       seconds of the provider's process on the processors
MiB       the most resident memory of the provider's process
requests  for an object, on average, by the audit log; a watch follows a deletion until the object is gone
`

// report prints the table of one stack, and returns the steps that made more requests than they may.
func report(w io.Writer, s stack, rounds int, results []result) (exceeded []string, err error) {
	var rows strings.Builder
	fmt.Fprintf(&rows, "\n%s: seconds, median of %d\n\n", s.name, rounds)
	rows.WriteString("step\tk8sconnect\tengine\tserver\tto engine\tto server\tto both\taim\tCPU\tMiB\trequests\tat most\t\n")
	for _, r := range results {
		times := [contenders]float64{}
		for i, elapsed := range r.elapsed {
			times[i] = median(elapsed).Seconds()
		}
		both := times[ours] / (times[engine] + times[server])
		fmt.Fprintf(&rows, "%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%s\t%.2f\t%s\t%s\t%s\t\n", r.step.name,
			times[ours], times[engine], times[server], times[ours]/times[engine], times[ours]/times[server], both,
			aim(r.step, both), median(r.cpu).Seconds(), mebibytes(r.peak), r.counts.perObject(len(s.objects)), limit(r))
		if over := r.counts.exceeds(r.step); over != "" {
			exceeded = append(exceeded, fmt.Sprintf("%s: %s: %s", s.name, r.step.name, over))
		}
	}
	return exceeded, printTable(w, rows.String())
}

// printTable prints rows of cells that end with a tab.
func printTable(w io.Writer, rows string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, err := table.Write([]byte(rows))
	return errors.Join(err, table.Flush())
}

// aim says whether a step was as fast as it should be.
func aim(s step, both float64) string {
	switch {
	case s.within == 0:
		return ""
	case both <= s.within:
		return fmt.Sprintf("%.1f ok", s.within)
	default:
		return fmt.Sprintf("%.1f missed", s.within)
	}
}

// limit says whether a step made as few requests as it has to.
func limit(r result) string {
	if r.counts.exceeds(r.step) != "" {
		return fmt.Sprintf("%d EXCEEDED", r.step.most)
	}
	return fmt.Sprintf("%d ok", r.step.most)
}

func mebibytes(bytes int64) string {
	if bytes == 0 {
		return "?"
	}
	return fmt.Sprint(bytes >> 20)
}

func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}
