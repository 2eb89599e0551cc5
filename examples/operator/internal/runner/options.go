package runner

import (
	"io"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
)

// Exit is how the process ends.
type Exit int

// The exit codes.
const (
	ExitSucceeded Exit = 0
	ExitFailed    Exit = 1
	// ExitInterrupted says that the run was told to end. The next one continues.
	ExitInterrupted Exit = 2
	// ExitOvertaken says that another run has the stack.
	ExitOvertaken Exit = 3
)

// Options say which run this is, and where things are.
type Options struct {
	Environment string
	Serial      int64
	Kind        v1alpha1.OperationKind
	Lease       string
	// Grace is how long Pulumi may take to end what is under way.
	Grace time.Duration

	Namespace string
	Pod       string
	PodUID    types.UID

	// Program is the folder of the program in the image, if it is in the image.
	Program string
	// Inputs and Passphrase are the folders of these Secrets.
	Inputs, Passphrase string
	// Token is the file of the service account's token. There need not be one.
	Token string
	// Work is a folder for everything that is written.
	Work string
	// MemoryLimit is how many bytes the pod may use; 0 if that is not known.
	MemoryLimit int64
	// TerminationLog is the file that the kubelet reads.
	TerminationLog string

	// Client reads from the API server, not from a cache.
	Client client.Client
	// Log is what people read.
	Log io.Writer
}

func (o *Options) programFolder() string { return filepath.Join(o.Work, "program") }
func (o *Options) backendFolder() string { return filepath.Join(o.Work, "backend") }
func (o *Options) planFile() string      { return filepath.Join(o.Work, "plan.json") }
func (o *Options) passphraseFile() string {
	return filepath.Join(o.Passphrase, stack.PassphraseKey)
}
