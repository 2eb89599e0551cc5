package cluster

import (
	"context"
	"fmt"
	"strconv"
)

// LogOptions select the part of a log that [Cluster.Log] returns.
type LogOptions struct {
	Container string
	// Previous selects the run before the last restart.
	Previous bool
	// TailLines is how many of the last lines to return, and LimitBytes the maximum number of bytes, from the beginning
	// of these lines.
	TailLines, LimitBytes int
}

// Log reads the log of a container, in one request. This needs its own permission, for pods/log.
func (c *Cluster) Log(ctx context.Context, namespace, pod string, options LogOptions) (string, error) {
	subject := fmt.Sprintf("log of pod %s/%s", namespace, pod)
	for what, segment := range map[string]string{"namespace": namespace, "name": pod} {
		if err := pathSegment(what, segment); err != nil {
			return "", fmt.Errorf("%s: %w", subject, err)
		}
	}
	request := c.client.Get().AbsPath("/api/v1/namespaces", namespace, "pods", pod, "log").
		SetHeader("Accept", "text/plain, */*").
		Param("container", options.Container).
		Param("tailLines", strconv.Itoa(options.TailLines)).
		Param("limitBytes", strconv.Itoa(options.LimitBytes))
	if options.Previous {
		request.Param("previous", "true")
	}
	answer, err := c.read(ctx, request)
	if err != nil {
		return "", fmt.Errorf("%s: %w", subject, err)
	}
	return string(answer.body), nil
}
