package engine

import (
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy/deploytest"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
)

// Program is a program that is a Go function. It registers resources, and what it returns as an error fails the program.
type Program func(info plugin.RunInfo, monitor *deploytest.ResourceMonitor) error
