package provider

import (
	"context"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/converter"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/startup"
	"github.com/k8sconnect/pulumi-k8sconnect/provider/object"
)

// ServeConverter runs the converter plugin, with which `pulumi import --from k8sconnect` finds objects, until the CLI
// ends it. It is the same program under another name ([converter.IsInvokedBy]).
func ServeConverter(ctx context.Context) error {
	startup.Done()
	return converter.Serve(ctx, converter.Options{Version: Version, Token: object.Token, Reasoned: reasoned})
}
