package engine

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/pulumi/pulumi-yaml/pkg/server"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
)

// childVariable makes a test's program serve a part of an operation: see [ServeChild].
const childVariable = "K8SCONNECT_TEST_CHILD"

// part is what a child serves.
type part string

const (
	yamlPart     part = "yaml"
	providerPart part = "provider"
)

// environments are what the children of a part start with. With one processor, the goroutines of the host for YAML do not look
// at its variables at the same time.
var environments = map[part][]string{
	yamlPart:     {"GOMAXPROCS=1"},
	providerPart: {"GOGC=400", "GOMEMLIMIT=1GiB"},
}

// order is what a child serves next.
type order struct {
	Engine      string // its address
	Dir         string
	Environment []string // key=value
}

// endOfErrors is the last line of an operation, and endOfProgram the last one of its program.
const (
	endOfErrors  = "\x00"
	endOfProgram = "\x01"
)

// ServeChild is the first thing that a TestMain calls whose tests run operations. The host for YAML changes to the program's
// folder, so it needs a process for itself, and it crashes now and then when several of its goroutines look at its variables.
// The provider needs one if it is to see a folder or an environment that others do not have. The tests' own program is that
// process. It serves one operation after the other, with a new host or provider for each, and so costs what a call costs.
func ServeChild() {
	served := part(os.Getenv(childVariable))
	if served == "" {
		return
	}
	if err := serveOrders(served); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func serveOrders(served part) error {
	orders := json.NewDecoder(os.Stdin)
	for {
		var next order
		switch err := orders.Decode(&next); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		cancel := make(chan bool)
		register, end, err := served.prepare(next)
		if err != nil {
			return err
		}
		handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{Cancel: cancel, Init: register})
		if err != nil {
			return err
		}
		fmt.Println(handle.Port)
		var empty order
		if err := orders.Decode(&empty); err != nil { // An empty order ends the operation; so does the end of the tests.
			return nil //nolint:nilerr // It is no error of this process.
		}
		close(cancel)
		if err := errors.Join(<-handle.Done, end()); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		fmt.Fprintln(os.Stderr, endOfErrors)
	}
}

// prepare makes what serves an operation, and what ends it.
func (p part) prepare(next order) (register func(*grpc.Server) error, end func() error, err error) {
	if p == yamlPart {
		host := server.NewLanguageHost(next.Engine, "")
		return func(s *grpc.Server) error {
			pulumirpc.RegisterLanguageRuntimeServer(s, yamlServer{host})
			return nil
		}, func() error { return nil }, nil
	}
	if _, err := schemaText(); err != nil { // read in the folder that the tests run in, and kept
		return nil, nil, err
	}
	os.Clearenv()
	for _, variable := range next.Environment {
		key, value, _ := strings.Cut(variable, "=")
		if err := os.Setenv(key, value); err != nil {
			return nil, nil, err
		}
	}
	if err := os.Chdir(next.Dir); err != nil {
		return nil, nil, err
	}
	register, engine, err := newProvider(next.Engine)
	if err != nil {
		return nil, nil, err
	}
	return register, engine.Close, nil
}

// child is a process that can serve an operation at a time.
type child struct {
	cmd    *exec.Cmd
	part   part
	orders *json.Encoder
	ports  *bufio.Reader
	errors *bufio.Reader
}

// idle are the children that serve nothing.
var idle = struct {
	sync.Mutex
	children map[part][]*child
}{children: map[part][]*child{}}

func takeChild(p part) (*child, error) {
	idle.Lock()
	defer idle.Unlock()
	if free := idle.children[p]; len(free) > 0 {
		idle.children[p] = free[:len(free)-1]
		return free[len(free)-1], nil
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), append(environments[p], childVariable+"="+string(p))...)
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
	return &child{cmd, p, json.NewEncoder(orders), bufio.NewReader(ports), bufio.NewReader(errors)}, cmd.Start()
}

// lease is a child that serves an operation.
type lease struct {
	child      *child
	connection *grpc.ClientConn
	silent     chan struct{} // closed when all that the child has written was said
	ran        chan struct{} // has an element when all that a program has written was said
}

// startChild has a child serve an operation.
func startChild(p part, next order, sink diag.Sink) (*lease, error) {
	taken, err := takeChild(p)
	if err != nil {
		return nil, fmt.Errorf("process for %s: %w", p, err)
	}
	if err := taken.orders.Encode(next); err != nil {
		return nil, fmt.Errorf("process for %s: %w", p, err)
	}
	port, err := taken.ports.ReadString('\n')
	if err != nil {
		said, _ := io.ReadAll(taken.errors)
		return nil, fmt.Errorf("process for %s: %w; does TestMain call ServeChild? It said: %s", p, err, said)
	}
	connection, err := connect(strings.TrimSpace(port))
	if err != nil {
		return nil, fmt.Errorf("process for %s: %w", p, err)
	}
	l := &lease{child: taken, connection: connection, silent: make(chan struct{}), ran: make(chan struct{}, 1)}
	go l.say(sink)
	return l, nil
}

// say has the engine say what the child writes, as of every plugin.
func (l *lease) say(sink diag.Sink) {
	defer close(l.silent)
	for {
		line, err := l.child.errors.ReadString('\n')
		if err != nil || line == endOfErrors+"\n" {
			return
		}
		if line == endOfProgram+"\n" {
			l.ran <- struct{}{}
			continue
		}
		sink.Infoerrf(diag.StreamMessage("", line, 1))
	}
}

// end ends the operation. The child is free for the next one.
func (l *lease) end() error {
	err := l.connection.Close()
	if broken := l.child.orders.Encode(order{}); broken != nil {
		return errors.Join(err, broken)
	}
	<-l.silent
	idle.Lock()
	defer idle.Unlock()
	idle.children[l.child.part] = append(idle.children[l.child.part], l.child)
	return err
}
