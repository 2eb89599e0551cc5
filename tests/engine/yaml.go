package engine

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/pulumi/pulumi-yaml/pkg/server"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// yamlVariable makes a test's program a host for YAML: see [ServeYAML].
const yamlVariable = "K8SCONNECT_YAML_HOST"

// ServeYAML is the first thing that a TestMain calls whose tests run programs in YAML. The host for YAML changes to the
// program's folder, so it needs a process for itself, and it crashes now and then when several of its goroutines look at its
// variables. The tests' own program is that process. It serves one operation after the other, with a host for each, and so
// costs what a call costs.
func ServeYAML() {
	if os.Getenv(yamlVariable) == "" {
		return
	}
	orders := bufio.NewScanner(os.Stdin)
	for orders.Scan() {
		cancel := make(chan bool)
		host := server.NewLanguageHost(orders.Text(), "")
		handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{Cancel: cancel, Init: func(s *grpc.Server) error {
			pulumirpc.RegisterLanguageRuntimeServer(s, host)
			return nil
		}})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(handle.Port)
		orders.Scan() // An empty line ends the operation.
		close(cancel)
		if err := <-handle.Done; err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		fmt.Fprintln(os.Stderr, endOfErrors)
	}
	os.Exit(0)
}

// endOfErrors is the last line of an operation.
const endOfErrors = "\x00"

// yamlProcess is a process that can host a program at a time.
type yamlProcess struct {
	cmd    *exec.Cmd
	orders io.WriteCloser
	ports  *bufio.Reader
	errors *bufio.Reader
}

// idle are the processes that host nothing.
var idle struct {
	sync.Mutex
	processes []*yamlProcess
}

func takeYAMLProcess() (*yamlProcess, error) {
	idle.Lock()
	defer idle.Unlock()
	if n := len(idle.processes); n > 0 {
		taken := idle.processes[n-1]
		idle.processes = idle.processes[:n-1]
		return taken, nil
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program)
	// With one processor, its goroutines do not look at its variables at the same time.
	cmd.Env = append(os.Environ(), yamlVariable+"=1", "GOMAXPROCS=1")
	orders, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	ports, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	errors, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	// It ends with its stdin, and so with this process.
	return &yamlProcess{cmd, orders, bufio.NewReader(ports), bufio.NewReader(errors)}, cmd.Start()
}

// yamlRuntime is the engine's side of a host.
type yamlRuntime struct {
	plugin.LanguageRuntime
	process    *yamlProcess
	connection *grpc.ClientConn
	silent     chan struct{} // closed when all that the process has written was said
	once       sync.Once
}

func newYAML(ctx *plugin.Context) (plugin.LanguageRuntime, error) {
	process, err := takeYAMLProcess()
	if err != nil {
		return nil, fmt.Errorf("host for YAML: %w", err)
	}
	if _, err := fmt.Fprintln(process.orders, ctx.Host.ServerAddr()); err != nil {
		return nil, fmt.Errorf("host for YAML: %w", err)
	}
	port, err := process.ports.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("host for YAML: %w; does TestMain call ServeYAML?", err)
	}
	connection, err := grpc.NewClient("127.0.0.1:"+strings.TrimSpace(port),
		grpc.WithTransportCredentials(insecure.NewCredentials()), rpcutil.GrpcChannelOptions())
	if err != nil {
		return nil, fmt.Errorf("host for YAML: %w", err)
	}
	client := plugin.NewLanguageRuntimeClient("yaml", pulumirpc.NewLanguageRuntimeClient(connection))
	r := &yamlRuntime{LanguageRuntime: client, process: process, connection: connection, silent: make(chan struct{})}
	go r.say(ctx.Diag)
	return r, nil
}

// say has the engine say what the process writes, as of every plugin.
func (r *yamlRuntime) say(sink diag.Sink) {
	defer close(r.silent)
	for {
		line, err := r.process.errors.ReadString('\n')
		if err != nil || line == endOfErrors+"\n" {
			return
		}
		sink.Infoerrf(diag.StreamMessage("", line, 1))
	}
}

// Close ends the host, once. Its process is free for the next one.
func (r *yamlRuntime) Close() error {
	var err error
	r.once.Do(func() {
		err = r.connection.Close()
		if _, broken := fmt.Fprintln(r.process.orders); broken != nil {
			err = errors.Join(err, broken)
			return
		}
		<-r.silent
		idle.Lock()
		defer idle.Unlock()
		idle.processes = append(idle.processes, r.process)
	})
	return err
}
