package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/inputs"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// run is one run.
type run struct {
	Options

	store  *state.Store
	saving sync.Mutex // guards head
	head   *state.Head
	// begun says that the head has this run's record.
	begun bool
	// notSaved is why the state could not be saved, nil if it could.
	notSaved atomic.Pointer[string]
	// resumed is the record of an earlier run that did not conclude, or of an approved destroy that failed; nil if there is none.
	resumed *state.Record
	// before are the resources at the beginning, see resourcesOf.
	before []byte

	inputs  inputs.Inputs
	project string
	program *workspace.Project // what it says of itself; nil for a destroy
	stack   string
	key     stack.Key

	// secrets are all that are known, with those of the state. given are those that the run was given.
	secrets *redactor
	given   redactor
	out     *redactedWriter
	log     *slog.Logger
	// lost ends everything at once: another run may have the stack.
	lost context.CancelCauseFunc
}

// Run carries out one operation. It is told to end by its context.
func Run(ctx context.Context, options Options) Exit {
	life, lost := context.WithCancelCause(context.WithoutCancel(ctx))
	defer lost(nil)
	secrets := &redactor{}
	out := &redactedWriter{to: options.Log, secrets: secrets}
	handler := slog.NewTextHandler(out, nil)
	r := &run{
		Options: options,
		store:   state.New(options.Client, options.Namespace, options.Environment),
		stack:   stack.Name(options.Namespace, options.Environment),
		secrets: secrets, out: out, log: slog.New(handler), lost: lost,
	}
	err := r.run(log.IntoContext(life, logr.FromSlogHandler(handler)), ctx)
	return r.end(err)
}

// run returns an error only where the record cannot say it, or says nothing yet.
func (r *run) run(life, interrupted context.Context) error {
	prepared := r.readInputs()
	lease, err := acquire(life, interrupted, r)
	if err != nil {
		return err
	}
	defer lease.release()
	if err := r.readHead(life, interrupted); err != nil {
		return err
	}
	switch before := r.head.Record; {
	case before.Serial > r.Serial:
		return fmt.Errorf("%w: the state is of run %d already, and this is run %d", state.ErrOvertaken, before.Serial, r.Serial)
	case before.Serial == r.Serial && before.Outcome != state.Running && !before.Imported:
		r.log.Info("this run was concluded before", "outcome", before.Outcome)
		return nil
	case before.Outcome == state.Running || r.Kind == v1alpha1.OperationDestroy && before.Kind == r.Kind && before.Applied && before.Plan != nil:
		r.resumed = &before // Of a destroy that has failed, what is left is a part of what was approved.
	}
	if err := r.begin(life); err != nil {
		return err
	}
	result, err := r.operate(life, interrupted, prepared)
	if err != nil {
		return err
	}
	return r.conclude(life, result)
}

// addGiven makes a secret known that the run was given.
func (r *run) addGiven(value string) {
	r.secrets.add(value)
	r.given.add(value)
}

// addToken makes the token known with which the run talks to the API server: a program can read it.
func (r *run) addToken() {
	if token, err := os.ReadFile(r.Token); err == nil {
		r.addGiven(string(token))
	}
}

// readInputs reads what the run was given. What is wrong with it is said in the record, later.
func (r *run) readInputs() error {
	r.addToken()
	encoded, err := os.ReadFile(filepath.Join(r.Inputs, inputs.Key))
	if err != nil {
		return fmt.Errorf("read the inputs of the operation: %w", err)
	}
	if r.inputs, err = inputs.Decode(encoded); err != nil {
		return err
	}
	for _, value := range r.inputs.SecretConfig {
		r.addGiven(value)
	}
	for _, value := range r.inputs.Credentials {
		r.addGiven(value)
	}
	passphrase, err := os.ReadFile(r.passphraseFile())
	if err != nil {
		return fmt.Errorf("%w: %w", stack.ErrKey, err)
	}
	r.addGiven(strings.TrimSpace(string(passphrase)))
	salt, err := os.ReadFile(filepath.Join(r.Passphrase, stack.SaltKey))
	if err != nil {
		return fmt.Errorf("%w: %w", stack.ErrKey, err)
	}
	r.key, err = stack.Open(strings.TrimSpace(string(passphrase)), strings.TrimSpace(string(salt)))
	return err
}

// begin takes the state: from here on, no other run can save.
func (r *run) begin(life context.Context) error {
	record := state.Record{
		Serial: r.Serial, Kind: r.Kind, InputHash: r.inputs.InputHash, Outcome: state.Running,
		Pod: r.Pod, PodUID: r.PodUID, StartedAt: metav1.Now(),
		ResourceCount: r.head.Record.ResourceCount, Resources: r.head.Record.Resources,
		Elsewhere: r.head.Record.Elsewhere, ElsewhereCount: r.head.Record.ElsewhereCount,
		PendingOperations: r.head.Record.PendingOperations,
	}
	if r.resumed != nil {
		record.Applied = r.resumed.Applied
		if r.continuesApproved() {
			record.Plan = r.resumed.Plan
		}
		r.log.Info("continuing what an earlier run has begun", "serial", r.resumed.Serial)
	}
	err := r.save(life, func(head *state.Head) { head.Record = record })
	r.begun = err == nil
	return err
}

// readHead reads the state. It waits for an API server that is away, as it does to save.
func (r *run) readHead(life, interrupted context.Context) (err error) {
	for {
		r.head, err = r.store.Read(life)
		if err == nil || errors.Is(err, state.ErrDamaged) || apierrors.IsForbidden(err) || apierrors.IsNotFound(err) {
			return err
		}
		r.log.Error("the state could not be read; trying again", "error", err)
		select {
		case <-life.Done():
			return context.Cause(life)
		case <-interrupted.Done():
			return errInterrupted
		case <-time.After(time.Second):
		}
	}
}

// save changes the head and writes it, until it is written or lost. The state is worth waiting for an API server that is
// away; the Lease, which is renewed meanwhile, says when waiting has become pointless.
func (r *run) save(life context.Context, change func(*state.Head)) error {
	r.saving.Lock()
	defer r.saving.Unlock()
	change(r.head)
	for {
		err := r.store.Save(life, r.head)
		r.noteNotSaved(err)
		if err == nil {
			return nil
		}
		if errors.Is(err, state.ErrOvertaken) {
			r.lost(err)
			return err
		}
		if apierrors.IsForbidden(err) && !r.begun {
			return err
		}
		r.log.Error("the state could not be saved; trying again", "error", err)
		select {
		case <-life.Done():
			return context.Cause(life)
		case <-time.After(time.Second):
		}
	}
}

// noteNotSaved notes why the state is not saved, for the Lease to say it: a quota or a webhook does not pass by itself.
func (r *run) noteNotSaved(err error) {
	if err == nil {
		r.notSaved.Store(nil)
		return
	}
	why := cut(r.secrets.text(err.Error()), maximumNotSaved)
	r.notSaved.Store(&why)
}

// end says how the run ended.
func (r *run) end(err error) Exit {
	exit := ExitSucceeded
	final := state.Record{Serial: r.Serial, Kind: r.Kind, Outcome: state.Running}
	if r.head != nil && r.head.Record.Serial == r.Serial {
		final = r.head.Record
	}
	switch {
	case errors.Is(err, state.ErrOvertaken):
		exit, final.Reason, final.Message = ExitOvertaken, "Overtaken", err.Error()
	case errors.Is(err, errInterrupted):
		exit, final.Reason, final.Message = ExitInterrupted, "Interrupted", "The run was told to end, and has saved how far it came. The next one continues."
	case err != nil:
		known := r.asFailure(err, ReasonStateUnusable)
		exit, final.Reason, final.Message = ExitFailed, known.reason, known.message
	case final.Outcome == state.Failed:
		exit = ExitFailed
	}
	if final.Message != "" {
		headline, _ := firstLine(final.Message)
		r.log.Error(headline, "reason", final.Reason)
	} else {
		r.log.Info("concluded", "outcome", final.Outcome, "summary", final.Summary)
	}
	r.out.flush()
	final.Message = r.secrets.text(final.Message)
	if err := os.WriteFile(r.TerminationLog, terminationMessage(final), 0o600); err != nil {
		_, _ = fmt.Fprintln(r.Log, "the termination message could not be written, but the state has it all:", err)
	}
	return exit
}
