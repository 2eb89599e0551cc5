package runner

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/api/v1alpha1"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/stack"
	"github.com/k8sconnect/pulumi-k8sconnect/examples/operator/internal/state"
)

// A backend is shared: with other clusters, which may have an Environment of the same name, and with people, who run Pulumi by hand.

// export reads the state from the backend, and refuses one that is not of this Environment.
func (r *run) export(ctx context.Context, pulumi *engine) (*apitype.DeploymentV3, error) {
	exported, err := pulumi.stack.Export(ctx)
	if wrongPassphrase(err) {
		return nil, r.taken()
	} else if err != nil {
		return nil, failed(err)
	}
	deployment := &apitype.DeploymentV3{}
	if len(exported.Deployment) > 0 {
		if err := decodeExactly(exported.Deployment, deployment); err != nil {
			return nil, failed(fmt.Errorf("read the exported state: %w", err))
		}
	}
	if len(deployment.Resources)+len(deployment.PendingOperations) > 0 && !r.key.Encrypted(deployment) {
		return nil, r.taken()
	}
	return deployment, nil
}

// taken says that the stack is of others. Two clusters that update one stack delete each other's objects, each because its program does
// not have them; and every Environment has a passphrase of its own, which tells whose a stack is.
func (r *run) taken() *failure {
	named := v1alpha1.Environment{ObjectMeta: metav1.ObjectMeta{Name: r.Environment}}
	return &failure{ReasonStackTaken, fmt.Sprintf("The stack %s in the backend %s was encrypted with another passphrase: an Environment of another cluster, "+
		"or a person, has made it. Nothing was changed. Make an Environment with another name, or with another backend or folder of it, in place of this "+
		"one. If the stack is of this Environment, and its passphrase was lost, restore the Secret %s from a backup.",
		r.stack, r.inputs.BackendURL, named.PassphraseSecretName())}
}

// wrongPassphrase says whether Pulumi could not decrypt a state. It says so in words alone.
func wrongPassphrase(err error) bool {
	return slices.ContainsFunc(standardError(err), func(line string) bool { return strings.Contains(line, "incorrect passphrase") })
}

// requireResources refuses a stack that is empty in its backend although runs have made something: an update would make it once more, and
// a destroy would find nothing to destroy.
func (r *run) requireResources(done *result) error {
	made := r.head.Record.ResourceCount
	var now state.Record
	if inventory(&now, done.deployment, r.Namespace, nil); made == 0 || now.ResourceCount > 0 {
		return nil
	}
	done.deployment = nil // What the record says of the resources stays.
	return &failure{ReasonStateUnusable, fmt.Sprintf("The stack %s is empty in the backend %s, and the runs of this Environment have made what is "+
		"there (resources: %d). Restore the stack in the backend, or leave the objects and let the Environment go: kubectl annotate --namespace %s "+
		"environment %s %s=true", r.stack, r.inputs.BackendURL, made, r.Namespace, r.Environment, v1alpha1.AnnotationOrphan)}
}

// lockedBy finds who holds the locks of a stack in a folder, a bucket or a database, as Pulumi prints them. Pulumi's service names none.
var lockedBy = regexp.MustCompile(`: created by (\S*@(\S+) \(pid \d+\) at \S+)`)

// unlock takes the locks away that runs of this Environment have left: a run that was killed, or that did not end in time, could not.
// The Lease says that none is alive, and the name of a pod is that of its host. Locks of others stay: whoever holds one is at work, and
// would lose what they do.
func (r *run) unlock(ctx context.Context, used auto.Stack, err error) (bool, error) {
	if !auto.IsConcurrentUpdateError(err) {
		return false, nil
	}
	var others []string
	locks := lockedBy.FindAllStringSubmatch(err.Error(), -1)
	for _, lock := range locks {
		if !r.isPod(lock[2]) {
			others = append(others, lock[1])
		}
	}
	if len(locks) > 0 && len(others) == 0 {
		r.log.Info("an earlier run has left its lock; removing it", "locks", len(locks))
		return true, used.Cancel(ctx)
	}
	by := "by another update"
	if len(others) > 0 {
		by = "by " + strings.Join(others, ", ")
	}
	return false, &failure{ReasonStackLocked, fmt.Sprintf("The stack %s in the backend %s is locked %s. Nothing was changed, and the operator tries "+
		"again. If whoever held the lock is gone, remove it: pulumi cancel --stack %s", r.stack, r.inputs.BackendURL, by,
		stack.Qualified(r.inputs.BackendURL, r.project, r.stack))}
}

// podSuffix is what the name of a run's pod has behind that of its Environment: the serial, and what a Job puts behind its name.
var podSuffix = regexp.MustCompile(`^-[0-9]+-[a-z0-9]{5}$`)

func (r *run) isPod(host string) bool {
	suffix, found := strings.CutPrefix(host, r.Environment)
	return found && podSuffix.MatchString(suffix)
}
