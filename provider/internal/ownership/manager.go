package ownership

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// ManagerPrefix begins the field manager of every resource of this provider.
	ManagerPrefix = "k8sconnect-"

	// maxManagerLength is the API server's limit for a field manager, in bytes.
	maxManagerLength = 128

	// managerHashLength is how many hex digits of the URN's hash end the name.
	managerHashLength = 8
)

// Manager returns the field manager of a resource:
// k8sconnect-<project>.<stack>.<name>-<8 hex digits of the URN's SHA-256>.
//
// It is a function of the resource's identity alone, so a provider process that
// was killed is recognised by its successor. The readable middle is for people
// who look at managedFields and is cut where the whole would pass 128 bytes; the
// hash is never cut, because two long names may share their beginning.
func Manager(project, stack, name, urn string) string {
	sum := sha256.Sum256([]byte(urn))
	suffix := "-" + hex.EncodeToString(sum[:])[:managerHashLength]
	readable := printable(ManagerPrefix + project + "." + stack + "." + name)
	return cut(readable, maxManagerLength-len(suffix)) + suffix
}

// Foreign reports whether manager belongs to another resource of this provider.
func Foreign(manager, own string) bool {
	return strings.HasPrefix(manager, ManagerPrefix) && manager != own
}

// DescribeManager says in words whose field manager of this provider it is:
// "web of shop/prod". Names whose parts cannot be told apart, because project or
// stack contain dots, are described as they are.
func DescribeManager(manager string) string {
	body, ok := strings.CutPrefix(manager, ManagerPrefix)
	if !ok || len(body) <= managerHashLength+1 {
		return fmt.Sprintf("%q", manager)
	}
	body = body[:len(body)-managerHashLength-1]
	parts := strings.Split(body, ".")
	if len(parts) != 3 {
		return fmt.Sprintf("%q", body)
	}
	return fmt.Sprintf("%q of %s/%s", parts[2], parts[0], parts[1])
}

// printable replaces what the API server refuses in a field manager.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return '_'
		}
		return r
	}, s)
}

// cut shortens s to at most limit bytes without splitting a character.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
