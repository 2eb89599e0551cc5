package main

import (
	"fmt"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/cluster"
)

// counts are the requests of one step.
type counts struct {
	// total is all that are about an object, without watches; most is how many there were for one.
	total, most int
	// watches is all watches, mostWatches how many there were for one object.
	watches, mostWatches int
	// discoveries is how often the most asked group-version was asked for its kinds, or for all objects of one, or the cluster
	// for its groups or its id, which is the uid of kube-system; others is all the rest.
	discoveries, others int
}

// count counts requests by the object that they are about.
func count(requests cluster.Requests) counts {
	var c counts
	each, watches, versions := map[string]int{}, map[string]int{}, map[string]int{}
	for _, r := range requests {
		object := r.Object()
		switch {
		case r.Path() == "/api/v1/namespaces/kube-system":
			versions[r.Path()]++
			c.discoveries = max(c.discoveries, versions[r.Path()])
		case object != "" && r.Verb == "watch":
			c.watches++
			watches[object]++
			c.mostWatches = max(c.mostWatches, watches[object])
		case object != "":
			c.total++
			each[object]++
			c.most = max(c.most, each[object])
		case r.Path() == "/api" || r.Path() == "/api/v1" || strings.HasPrefix(r.Path(), "/apis"):
			versions[r.Path()]++
			c.discoveries = max(c.discoveries, versions[r.Path()])
		default:
			c.others++
		}
	}
	return c
}

// exceeds says what is more than a step may make; "" if nothing is.
func (c counts) exceeds(s step) string {
	switch {
	case c.most > s.most:
		return fmt.Sprintf("%d for one object", c.most)
	case c.mostWatches > 1 || (c.watches > 0 && !s.watches):
		return fmt.Sprintf("%d watches, %d for one object", c.watches, c.mostWatches)
	case c.discoveries > 1 && !s.looksAgain:
		return fmt.Sprintf("%d discoveries of one group-version", c.discoveries)
	case c.others > 0:
		return fmt.Sprintf("%d about no object", c.others)
	}
	return ""
}

// perObject is the average.
func (c counts) perObject(objects int) string {
	text := fmt.Sprintf("%.2f", float64(c.total)/float64(objects))
	if c.watches > 0 {
		text += fmt.Sprintf(" + %.2f watches", float64(c.watches)/float64(objects))
	}
	return text
}

// worst is the larger of two rounds in everything.
func (c counts) worst(other counts) counts {
	return counts{
		max(c.total, other.total), max(c.most, other.most),
		max(c.watches, other.watches), max(c.mostWatches, other.mostWatches),
		max(c.discoveries, other.discoveries), max(c.others, other.others),
	}
}
