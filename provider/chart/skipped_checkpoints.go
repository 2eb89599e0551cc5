package chart

import (
	"github.com/pulumi/pulumi/sdk/v3/go/common/env"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// refuseToDraw refuses to draw values while the engine saves the state only at the end of a command. Random values exist only in the
// state: if the CLI is killed, they are lost, and other objects may have them already. drawn are their keys, as they may be shown.
func refuseToDraw(drawn []string) error {
	if len(drawn) == 0 || !env.SkipCheckpoints.Value() {
		return nil
	}
	variable := env.SkipCheckpoints.Var().Name()
	return tracked.Refused(failure.ReasonInvalidConfiguration, "the chart draws random values, and with %[2]s they would be lost if the CLI is killed: %[1]s. Nothing was "+
		"made.\nNext: run the command once without %[2]s. Commands that draw nothing may set it.", named(drawn), variable)
}
