package manifest

import (
	"encoding/base64"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"

	"github.com/k8sconnect/pulumi-k8sconnect/provider/internal/values"
)

// IsSecretKind reports whether objects of this kind are core/v1 Secrets, which have secret data whatever the program
// says.
func IsSecretKind(apiVersion, kind string) bool {
	return apiVersion == "v1" && kind == "Secret"
}

// SecretPaths returns the paths to what is secret in objects of a kind, whatever the program says. They refer to an
// object as written, which need not contain all of them; kinds other than core/v1 Secrets have none.
//
// Besides the data, this includes kubectl's copy of the manifest, which has the same values.
func SecretPaths(apiVersion, kind string) [][]string {
	if !IsSecretKind(apiVersion, kind) {
		return nil
	}
	return [][]string{{"data"}, {"stringData"}, {"metadata", "annotations", corev1.LastAppliedConfigAnnotation}}
}

// FoldStringData copies the object; if it is a Secret, it moves stringData to data, in base64.
//
// stringData is write-only: the server folds it into data and forgets it, while the managed fields continue to name
// stringData. A later change of the live data would then never count as drift. After folding here, the same fields
// are sent, owned, read and compared. As on the server, stringData wins over data. Values that are not text stay
// where they are, so that the server can report what is wrong with them; if either map is unknown, both stay as they
// are.
func FoldStringData(object map[string]any) map[string]any {
	folded, _ := values.DeepCopy(object).(map[string]any)
	identity := IdentityOf(object)
	texts, hasTexts := folded["stringData"].(map[string]any)
	if !hasTexts || !IsSecretKind(identity.APIVersion, identity.Kind) {
		return folded
	}
	data, hasData := folded["data"].(map[string]any)
	if !hasData {
		if folded["data"] != nil {
			return folded
		}
		data = make(map[string]any, len(texts))
	}
	for key, value := range texts {
		switch value := value.(type) {
		case string:
			data[key] = base64.StdEncoding.EncodeToString([]byte(value))
		case values.Unknown:
			data[key] = value
		default:
			continue
		}
		delete(texts, key)
	}
	if len(data) > 0 || hasData {
		folded["data"] = data
	}
	if len(texts) == 0 {
		delete(folded, "stringData")
	}
	return folded
}

// UnfoldStringData copies the known part of a live Secret; it moves keys that were written under stringData back
// there, decoded, so that the object reads like the manifest. A value that is not text stays under data. written is
// the manifest before [FoldStringData].
func UnfoldStringData(projection, written map[string]any) map[string]any {
	unfolded, _ := values.DeepCopy(projection).(map[string]any)
	identity := IdentityOf(written)
	data, hasData := unfolded["data"].(map[string]any)
	wrote, hasTexts := written["stringData"].(map[string]any)
	if !hasData || !hasTexts || !IsSecretKind(identity.APIVersion, identity.Kind) {
		return unfolded
	}
	texts, hasTexts := unfolded["stringData"].(map[string]any)
	if !hasTexts {
		texts = make(map[string]any, len(wrote))
	}
	for key := range wrote {
		value, isThere := data[key]
		if !isThere {
			continue
		}
		if encoded, isText := value.(string); isText {
			decoded, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil || !utf8.Valid(decoded) {
				continue
			}
			value = string(decoded)
		}
		texts[key] = value
		delete(data, key)
	}
	if len(texts) > 0 {
		unfolded["stringData"] = texts
	}
	if _, wroteData := written["data"]; len(data) == 0 && !wroteData {
		delete(unfolded, "data")
	}
	return unfolded
}
