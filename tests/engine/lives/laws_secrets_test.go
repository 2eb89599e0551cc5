package lives_test

import (
	"encoding/base64"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/tests/engine"
)

// The law: no value of a Secret is anywhere where the program did not put it: in what an operation prints, in the saved state in
// clear, or in another object.
const hidden = "nobody can read a value of a Secret"

// traces are the forms of the values: all begin with hush.
var traces = []string{hush, strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(hush)), "=")[:6]}

// hides holds it of what an operation prints.
func (l *life) hides(result engine.Result) {
	for _, trace := range traces {
		if strings.Contains(result.Output, trace) {
			l.breaks(violation{law: hidden, text: result.Output})
			return
		}
	}
}

// hidesAtLast holds it of the state and of other objects.
func (l *life) hidesAtLast() {
	l.book.count("held: " + hidden)
	texts := map[string]string{"the saved state": l.savedState()}
	for _, kind := range []string{"ConfigMap", "Deployment", "Job", "Pod", "Service", "Sized", "Plain"} {
		list, err := client(kind, l.namespace).List(l.Context(), metav1.ListOptions{})
		if err != nil {
			l.rapid.Fatal(err)
		}
		texts["an object of kind "+kind] = asJSON(list.Items)
	}
	for where, text := range texts {
		for _, trace := range traces {
			if i := strings.Index(text, trace); i >= 0 {
				l.breaks(violation{law: hidden, text: where + " has " + text[max(i-80, 0):min(i+40, len(text))]})
				return
			}
		}
	}
}
