package cluster

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/connect"
)

// Registry has one [Cluster] for each distinct [connect.Connection]. It is safe for concurrent use.
type Registry struct {
	userAgent string
	wrap      func(http.RoundTripper) http.RoundTripper

	mu      sync.Mutex
	entries map[string]*entry // by the identity of the connection
}

// Option configures a [Registry].
type Option func(*Registry)

// WithTransport wraps the transport of every cluster. The layer is nearest to the network, so it sees every request as
// it is sent.
func WithTransport(wrap func(http.RoundTripper) http.RoundTripper) Option {
	return func(r *Registry) { r.wrap = wrap }
}

// NewRegistry makes a registry whose clusters send userAgent, such as "pulumi-k8sconnect/1.2.3".
func NewRegistry(userAgent string, options ...Option) *Registry {
	r := &Registry{userAgent: userAgent, entries: map[string]*entry{}}
	for _, option := range options {
		option(r)
	}
	return r
}

// rewriteTime is how long a kubeconfig may be incomplete while a tool writes it: most tools empty the file first.
const rewriteTime = 100 * time.Millisecond

// entry is the cluster of a connection, and what it was made from.
type entry struct {
	cluster *Cluster
	files   []string // the files of the kubeconfig, unless its contents were given
	digest  string   // of their contents
	context string
}

// Get returns the cluster of a connection. Equal connections get the same one as long as the contents of the
// kubeconfig's files do not change. Get uses no network. If the connection has a mistake, the error is a
// *[failure.FieldError], which is not remembered: a kubeconfig may appear later, or change during the run. The process
// keeps only the current-context of the kubeconfig that kubectl would use, as long as that context exists.
func (r *Registry) Get(connection connect.Connection) (*Cluster, error) {
	identity, err := connection.Identity()
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.entries[identity]
	if known == nil {
		known = &entry{files: connection.KubeconfigFiles()}
	}
	digest := digestOf(known.files)
	if known.cluster != nil && known.digest == digest {
		return known.cluster, nil
	}
	made, context, err := r.make(connection, known.context)
	if err != nil && known.cluster != nil {
		time.Sleep(rewriteTime)
	}
	if again := digestOf(known.files); again != digest { // it was written during the read
		digest = again
		made, context, err = r.make(connection, known.context)
	}
	if err != nil {
		return nil, fmt.Errorf("cluster connection: %w", err)
	}
	known.cluster, known.digest, known.context = made, digest, context
	r.entries[identity] = known
	return made, nil
}

// make makes a cluster. It also returns the chosen context.
func (r *Registry) make(connection connect.Connection, current string) (*Cluster, string, error) {
	settings, err := connection.Settings(r.userAgent, current)
	if err != nil {
		return nil, "", err
	}
	made, err := newCluster(settings, r.wrap)
	return made, settings.Context, err
}

// digestOf distinguishes contents of files. A path that is not a readable file counts as empty.
func digestOf(files []string) string {
	hash := sha256.New()
	for _, path := range files {
		var content []byte
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			content, _ = os.ReadFile(path)
		}
		sum := sha256.Sum256(content)
		hash.Write(sum[:])
	}
	return string(hash.Sum(nil))
}
