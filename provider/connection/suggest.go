package connection

import (
	"fmt"
	"strings"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/spelling"
)

// suggestion completes a message about an unknown name with the name that was probably meant.
func suggestion(name string, known []string) string {
	if meant := spelling.Nearest(name, known); meant != "" {
		return fmt.Sprintf("; did you mean %s?", meant)
	}
	return "; it has " + strings.Join(known, ", ")
}
