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

	// PatchManagerPrefix begins the field managers of all Patches, and no others.
	PatchManagerPrefix = ManagerPrefix + "patch-"

	// maxManagerLength is the API server's limit for a field manager, in bytes.
	maxManagerLength = 128

	// managerHashLength is the number of hex digits of the URN's hash at the end of the name.
	managerHashLength = 8
)

// Manager returns the field manager of a resource: k8sconnect-<project>.<stack>.<name>-<8 hex digits of the URN's
// SHA-256>.
//
// It depends on the resource's identity alone, so a provider process recognises what a killed one has applied. The
// readable middle is for people who look at managedFields, and is cut where the whole would exceed 128 bytes. The hash
// is never cut, because two long names may begin alike.
//
// A project named patch-shop is written patch_shop: [IsPatchManager] decides what may be patched, and the project's
// objects must not look like Patches.
func Manager(project, stack, name, urn string) string {
	readable := readableManager(ManagerPrefix, project, stack, name)
	if project, ok := strings.CutPrefix(readable, PatchManagerPrefix); ok {
		readable = ManagerPrefix + "patch_" + project
	}
	return withHash(readable, urn)
}

// PatchManager returns the field manager of a Patch: k8sconnect-patch-<project>.<stack>.<name>-<8 hex digits of the
// URN's SHA-256>, built like the names of [Manager].
func PatchManager(project, stack, name, urn string) string {
	return withHash(readableManager(PatchManagerPrefix, project, stack, name), urn)
}

func readableManager(prefix, project, stack, name string) string {
	return printable(prefix + project + "." + stack + "." + name)
}

func withHash(readable, urn string) string {
	sum := sha256.Sum256([]byte(urn))
	suffix := "-" + hex.EncodeToString(sum[:])[:managerHashLength]
	return cut(readable, maxManagerLength-len(suffix)) + suffix
}

// IsPatchManager reports whether manager belongs to a Patch, of this or of another project.
func IsPatchManager(manager string) bool {
	return strings.HasPrefix(manager, PatchManagerPrefix)
}

// Foreign reports whether manager belongs to another resource of this provider.
func Foreign(manager, own string) bool {
	return strings.HasPrefix(manager, ManagerPrefix) && manager != own
}

// DescribeManager describes a field manager of this provider in words: "web" of shop/prod, or the Patch "web" of
// shop/prod. If dots in project or stack make the parts of a name ambiguous, it returns the name unchanged.
func DescribeManager(manager string) string {
	if IsPatchManager(manager) {
		if described, ok := describeAfter(manager, PatchManagerPrefix); ok {
			return "the Patch " + described
		}
		return fmt.Sprintf("the Patch %q", manager)
	}
	if described, ok := describeAfter(manager, ManagerPrefix); ok {
		return described
	}
	return fmt.Sprintf("%q", manager)
}

func describeAfter(manager, prefix string) (described string, ok bool) {
	body, ok := strings.CutPrefix(manager, prefix)
	if !ok || len(body) <= managerHashLength+1 {
		return "", false
	}
	body = body[:len(body)-managerHashLength-1]
	parts := strings.Split(body, ".")
	if len(parts) != 3 {
		return fmt.Sprintf("%q", body), true
	}
	return fmt.Sprintf("%q of %s/%s", parts[2], parts[0], parts[1]), true
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
