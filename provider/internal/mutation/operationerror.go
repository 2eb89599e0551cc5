package mutation

import "fmt"

// OperationError says which operation of a JSON patch cannot be carried out on an object, and why.
type OperationError struct {
	Index     int
	Operation string
	Pointer   string
	// Reason names the obstacle, but never a value.
	Reason string
	// Test means that the operation is a test that failed.
	Test bool
	// Position means that the operation works at a position, which may now belong to another item.
	Position bool
}

// unknownReason is why a patch with unknown values cannot be evaluated or sent.
const unknownReason = "it depends on a value that is known only after the apply"

// Error names the operation first.
func (e *OperationError) Error() string {
	if e.Operation == "" {
		return fmt.Sprintf("jsonPatch[%d]: %s", e.Index, e.Reason)
	}
	return fmt.Sprintf("jsonPatch[%d]: %s %s: %s", e.Index, e.Operation, e.Pointer, e.Reason)
}
