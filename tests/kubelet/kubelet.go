package kubelet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// ErrUnsupported says that containers cannot run on this machine.
var ErrUnsupported = errors.New("running containers as processes needs Linux and root")

// Options say what a player is.
type Options struct {
	// NodeName is the name of its Node, which it registers.
	NodeName string
	// Images are the images by their names, as containers name them; by its digest, too, where it is known. All others cannot be pulled.
	Images map[string]Image
	// APIServer is the host:port that containers get as that of the API server. The default is the one that the
	// player has itself. A proxy in front of it has to have an address that the server's certificate is for.
	APIServer string
	// Allocatable is what the Node offers. The default is plenty.
	Allocatable corev1.ResourceList
	// Dir is the folder for its files while it plays; it is created, and removed at the end. The default is a new
	// temporary one.
	Dir string
	// Log gets what the player does and what containers print, if it is not nil.
	Log io.Writer
}

// Player plays the kubelet of one Node. Its methods may be called from several goroutines.
type Player struct {
	options    Options
	host, port string // of the API server, for containers
	client     kubernetes.Interface
	others     kubernetes.Interface // the client of whoever is not cut off
	network    *network
	connected  chan struct{} // has a heartbeat sent at once
	dir        string

	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup

	mu      sync.Mutex
	workers map[types.UID]*worker
	logs    map[types.UID]*podLog
	latest  map[string]types.UID // by namespace/name
}

// requestTimeout is how long a request other than a watch may take.
const requestTimeout = 5 * time.Second

// Start registers the Node and plays its kubelet until [Player.Stop], or until the context ends.
func Start(ctx context.Context, config *rest.Config, options Options) (*Player, error) {
	if err := Supported(); err != nil {
		return nil, err
	}
	p := &Player{
		options: options, network: newNetwork(), connected: make(chan struct{}, 1),
		workers: map[types.UID]*worker{}, logs: map[types.UID]*podLog{}, latest: map[string]types.UID{},
	}
	if options.Log != nil {
		p.options.Log = &oneAtATime{to: options.Log}
	}
	var err error
	if p.host, p.port, err = apiServer(config, options); err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config)
	config.QPS = -1
	if p.others, err = kubernetes.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("kubelet: client: %w", err)
	}
	config = rest.CopyConfig(config)
	config.Wrap(p.network.wrap)
	if p.client, err = kubernetes.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("kubelet: client: %w", err)
	}
	if p.dir, err = ownDir(options.Dir); err != nil {
		return nil, fmt.Errorf("kubelet: folder: %w", err)
	}
	p.ctx, p.cancel = context.WithCancel(ctx)
	if err := p.register(p.ctx); err != nil {
		p.cancel()
		return nil, errors.Join(fmt.Errorf("kubelet: Node %s: %w", options.NodeName, err), os.RemoveAll(p.dir))
	}
	p.running.Go(p.sendHeartbeats)
	p.running.Go(p.watchPods)
	return p, nil
}

// ownDir makes the folder that [Options] name. What was there before stays: it is not the player's.
func ownDir(dir string) (string, error) {
	if dir == "" {
		return os.MkdirTemp("", "k8sconnect-kubelet-")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return dir, os.Mkdir(dir, 0o700)
}

// apiServer is where containers find the API server.
func apiServer(config *rest.Config, options Options) (host, port string, err error) {
	address := options.APIServer
	if address == "" {
		server, err := url.Parse(config.Host)
		if err != nil {
			return "", "", fmt.Errorf("kubelet: address of the API server: %w", err)
		}
		address = server.Host
	}
	if host, port, err = net.SplitHostPort(address); err != nil {
		return "", "", fmt.Errorf("kubelet: address of the API server: %w", err)
	}
	return host, port, nil
}

// PowerOff ends all containers at once and reports nothing, as a machine that loses its power. The Node and its pods
// stay as they were reported last; another player of the same Node finds them.
func (p *Player) PowerOff() error {
	p.cancel()
	p.running.Wait()
	if err := os.RemoveAll(p.dir); err != nil {
		return fmt.Errorf("kubelet: removing its folder: %w", err)
	}
	return nil
}

// Stop powers the machine off, and removes the Node so that no more pods are assigned to it. It may be called again.
func (p *Player) Stop() error {
	err := p.PowerOff()
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	if left := p.leave(ctx); left != nil {
		err = errors.Join(err, fmt.Errorf("kubelet: removing Node %s: %w", p.options.NodeName, left))
	}
	return err
}

// Disconnect cuts the player off from the API server: no heartbeats, no reports, and it does not learn what becomes of
// its pods. The containers go on, with their own connections.
func (p *Player) Disconnect() { p.network.disconnect() }

// Lose disconnects the player and has its Node count as lost, as the node lifecycle controller has it after 40 seconds
// without a heartbeat (which that of package cluster does not). Within five seconds that controller taints the Node, and
// deletes the pods that do not tolerate the taint. Their processes go on until [Player.Connect].
func (p *Player) Lose(ctx context.Context) error {
	p.Disconnect()
	if err := p.loseNode(ctx); err != nil {
		return fmt.Errorf("kubelet: losing Node %s: %w", p.options.NodeName, err)
	}
	return nil
}

// Connect ends what Disconnect or Lose began.
func (p *Player) Connect() {
	p.network.connect()
	select {
	case p.connected <- struct{}{}:
	default:
	}
}

// Death is the reason that a killed container is reported with.
type Death string

const (
	// OOMKilled is the reason of the kernel, for want of memory.
	OOMKilled Death = "OOMKilled"
	// KilledFromOutside is the reason of everybody else.
	KilledFromOutside Death = "Error"
)

// Kill sends SIGKILL to all processes of a pod, given as namespace/name or by its uid, and returns when they are gone.
func (p *Player) Kill(pod string, death Death) error {
	uid := p.find(pod)
	p.mu.Lock()
	w := p.workers[uid]
	p.mu.Unlock()
	if w == nil {
		return fmt.Errorf("kubelet: killing pod %s: it is not on Node %s", pod, p.options.NodeName)
	}
	if !w.kill(death) {
		return fmt.Errorf("kubelet: killing pod %s: no container of it runs", pod)
	}
	return nil
}

// Logs is what the containers of a pod have printed, over all restarts, also after the pod is deleted. The pod is given
// as namespace/name, which is the last one of that name, or by its uid.
func (p *Player) Logs(pod string) string {
	uid := p.find(pod)
	p.mu.Lock()
	log := p.logs[uid]
	p.mu.Unlock()
	if log == nil {
		return ""
	}
	return log.String()
}

func (p *Player) find(pod string) types.UID {
	p.mu.Lock()
	defer p.mu.Unlock()
	if strings.Contains(pod, "/") {
		return p.latest[pod]
	}
	return types.UID(pod)
}

// logf writes a line into the player's log.
func (p *Player) logf(format string, args ...any) {
	if p.options.Log != nil {
		_, _ = fmt.Fprintf(p.options.Log, "kubelet %s: "+format+"\n", append([]any{p.options.NodeName}, args...)...)
	}
}
