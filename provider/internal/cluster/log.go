package cluster

import (
	"context"
	"fmt"
	"strconv"
)

// LogOptions say which part of a log [Cluster.Log] gives.
type LogOptions struct {
	Container string
	// Previous asks for the run before the last restart.
	Previous bool
	// TailLines are the last lines to give, and LimitBytes the most bytes of them, from their beginning.
	TailLines, LimitBytes int
}

// Log reads the log of a container, in one request. That is a permission of its own, pods/log.
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
