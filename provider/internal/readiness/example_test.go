package readiness_test

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/readiness"
)

// What cannot be used is reported all at once, each with the name of its criterion.
func ExampleCompile() {
	_, problems := readiness.Compile(readiness.Criteria{
		Field:     "status.phase[",
		Condition: "Ready=Maybe",
	})
	for _, problem := range problems {
		fmt.Printf("%s: %s\n", problem.Criterion, problem.Reason)
	}

	goal, _ := readiness.Compile(readiness.Criteria{
		Condition:  "Ready",
		FieldValue: map[string]string{"status.phase": "Bound"},
	})
	fmt.Println(goal)
	// Output:
	// field: path "status.phase[": a bracket is not closed
	// condition: the status of a condition is True, False or Unknown, not "Maybe"
	// status.phase = "Bound" and condition Ready=True
}

// A verdict is about one state of an object. It holds, it does not hold yet, or it never will.
func ExampleGoal_Judge() {
	goal, problems := readiness.Compile(readiness.Criteria{
		Condition: "Ready",
		FailWhen:  "object.status.phase == 'Broken'",
	})
	if len(problems) > 0 {
		panic(problems)
	}
	for _, state := range []string{
		``,
		`{kind: Database, metadata: {generation: 1}}`,
		`{kind: Database, metadata: {generation: 1}, status: {conditions: [{type: Ready, status: "False", reason: Starting}]}}`,
		// The condition is about generation 1: it says nothing about what was applied last.
		`{kind: Database, metadata: {generation: 2}, status: {conditions: [{type: Ready, status: "True", observedGeneration: 1}]}}`,
		`{kind: Database, metadata: {generation: 2}, status: {conditions: [{type: Ready, status: "True", observedGeneration: 2}]}}`,
		`{kind: Database, metadata: {generation: 2}, status: {phase: Broken}}`,
	} {
		verdict := goal.Judge(live(state))
		switch {
		case verdict.Holds:
			fmt.Println("holds")
		case verdict.Failed != "":
			fmt.Println("failed:", verdict.Failed)
		default:
			fmt.Println("not yet:", verdict.Missing)
		}
	}
	// Output:
	// not yet: [it does not exist yet]
	// not yet: [there is no condition Ready yet]
	// not yet: [condition Ready=False (Starting)]
	// not yet: [condition Ready=True is out of date: it is about generation 1, the object is at 2]
	// holds
	// failed: failWhen is true: object.status.phase == 'Broken'
}

// Await judges one state after another until the goal holds, and returns the last state.
func ExampleAwait() {
	goal, problems := readiness.Compile(readiness.Criteria{FieldValue: map[string]string{"status.phase": "Bound"}})
	if len(problems) > 0 {
		panic(problems)
	}
	// In the provider, a watch shows the states.
	follow := func(_ context.Context, see func(*unstructured.Unstructured) (bool, error)) error {
		for _, state := range []string{``, `{status: {phase: Pending}}`, `{status: {phase: Bound}}`, `{status: {phase: Lost}}`} {
			if done, err := see(live(state)); done || err != nil {
				return err
			}
		}
		return nil
	}

	last, err := readiness.Await(context.Background(), goal, follow, readiness.Options{
		Progress: func(_ *unstructured.Unstructured, verdict readiness.Verdict) {
			fmt.Println("waiting:", verdict.Missing)
		},
	})
	fmt.Println(last.Object["status"], err)
	// Output:
	// waiting: [it does not exist yet]
	// waiting: [status.phase is "Pending", it should be "Bound"]
	// map[phase:Bound] <nil>
}

// live reads an object; of nothing, the object that is not there.
func live(text string) *unstructured.Unstructured {
	if text == "" {
		return nil
	}
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		panic(err)
	}
	object := &unstructured.Unstructured{}
	// Not encoding/json: whole numbers are int64 in what comes from an API server.
	if err := utiljson.Unmarshal(asJSON, &object.Object); err != nil {
		panic(err)
	}
	return object
}
