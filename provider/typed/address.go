package typed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const (
	// fetchTimeout bounds the download of one file.
	fetchTimeout = 2 * time.Minute
	// maxFetched is the largest file that is downloaded, in bytes. The definitions of Crossplane's provider for AWS have 30 MB.
	maxFetched = 64 << 20
	// maxRedirects is how often a server may send a download elsewhere.
	maxRedirects = 10
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
	return download(ctx, path)
}

func download(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	answer, err := (&http.Client{CheckRedirect: checkRedirect}).Do(request)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok { // It repeats the address.
			err = failed.Err
		}
		return nil, fmt.Errorf("the file cannot be downloaded: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answers %s. Check the address", answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxFetched+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the download broke off: %w. Run the command again", err)
	case len(text) > maxFetched:
		return nil, fmt.Errorf("the file is larger than %d MiB. Download it, and name a part of it", maxFetched>>20)
	default:
		return text, nil
	}
}

// checkRedirect refuses a way that others could read and change where the address asks for one that they cannot.
func checkRedirect(request *http.Request, via []*http.Request) error {
	switch {
	case len(via) >= maxRedirects:
		return errors.New("there are too many redirects")
	case via[0].URL.Scheme == "https" && request.URL.Scheme != "https":
		return errors.New("the server redirects from https to http, which is not followed")
	default:
		return nil
	}
}
