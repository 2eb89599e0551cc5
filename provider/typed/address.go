package typed

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/chartsource"
)

// isAddress reports whether a parameter names a file of a web server.
func isAddress(path string) bool {
	return strings.HasPrefix(path, "https://") || strings.HasPrefix(path, "http://")
}

// readFile reads a file, or downloads it.
func readFile(ctx context.Context, path string) ([]byte, error) {
	if !isAddress(path) {
		return os.ReadFile(path) //nolint:gosec // The user names the file.
	}
	address, err := url.Parse(path)
	if err != nil {
		return nil, errors.New("the address is malformed")
	}
	text, err := chartsource.NewFetcher().Download(ctx, address)
	if failed, ok := errors.AsType[*chartsource.Error](err); ok {
		what := failed.What
		if failed.Why != "" {
			what += " (" + failed.Why + ")"
		}
		return nil, fmt.Errorf("%s. Check the address, or download the file and name that", what)
	}
	return text, err
}

// shown is how messages name a file or an address: without what may be credentials.
func shown(path string) string {
	if !isAddress(path) {
		return path
	}
	address, err := url.Parse(path)
	if err != nil {
		return "an address"
	}
	return chartsource.Shown(address)
}
