package object

import (
	"errors"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/failure"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/tracked"
)

// adviseChart replaces the advice about a version that the cluster does not serve, if a chart has chosen that version.
// The user cannot change the manifest, but the chart's templates choose by the API versions that they are given.
func adviseChart(urn resource.URN, err error) error {
	explained, notServed := (*failure.Failure)(nil), (*failure.KindNotServedError)(nil)
	if !tracked.IsInChart(urn) || !errors.As(err, &explained) || !errors.As(err, &notServed) || len(notServed.ServedAs) == 0 {
		return err
	}
	served := notServed.ServedAs[0]
	advised := *explained
	advised.Next = fmt.Sprintf("tell the templates of the chart what the cluster has. Add to the inputs of the Chart:\n"+
		"apiVersions: [%s, %s/%s]\nIf they choose no other version then, look for a value of the chart that does.", served, served, notServed.Kind)
	return &advised
}
