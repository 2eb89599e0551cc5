package draws

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// A key is written
//
//	web/templates/secret.yaml>common.password:admin@Secret/*[alice]|password@2|randAlphaNum 10 #2
//
// It has three parts: the place, the site in it, and the call. A place is a file, then each definition or text of tpl with the site where
// it is called, and each key of a loop. A site is a hint, then the object in which it is a key, and a number if the text has another site
// like it. A call is a function with its whole numbers, and a number if it is not the first one at its site.
const (
	siteMark   = "@"
	numberMark = " #"
	// twiceMark stands before a number if the same call was made with different arguments.
	twiceMark = " ~"
	// indexMark and digestMark stand before the key of a loop that is not a name.
	indexMark  = "#"
	digestMark = "="
	// marks are all characters with a meaning. In a name they are written %xx.
	marks = ">:[]|@#~=%"
	// longestName is how many bytes of a name are written.
	longestName = 100
)

// key is a key taken apart.
type key struct {
	// place are the folders and the file, then the elements behind it.
	place []string
	// file is the file, within are the elements behind it.
	file   string
	within []string
	site   string
	hint   string
	// object is the rest of the site.
	object string
	// call is the function and its whole numbers, number the text behind them.
	call, number string
}

func parseKey(text string) (key, bool) {
	parts := strings.Split(text, "|")
	if len(parts) != 3 {
		return key{}, false
	}
	hint, object, _ := strings.Cut(parts[1], siteMark)
	k := key{site: parts[1], hint: unescape(hint), object: object, call: parts[2]}
	if at := strings.IndexAny(k.call, "#~"); at > 0 {
		k.call, k.number = k.call[:at-1], k.call[at-1:]
	}
	file, rest := parts[0], ""
	if at := strings.IndexAny(file, ">["); at >= 0 {
		file, rest = file[:at], file[at:]
	}
	for rest != "" {
		end := strings.IndexAny(rest[1:], ">[") + 1
		if end == 0 {
			end = len(rest)
		}
		k.within = append(k.within, rest[:end])
		rest = rest[end:]
	}
	k.file, k.place = file, append(strings.Split(file, "/"), k.within...)
	return k, true
}

// function returns the name of the function.
func (k key) function() string {
	name, _, _ := strings.Cut(k.call, " ")
	return name
}

// isHash reports whether the value is a hash of a drawn or given text.
func (k key) isHash() bool { return k.function() == "bcrypt" || k.function() == "htpasswd" }

// names reports whether a hint belongs to the key, or to a call through which its place is reached.
func (k key) names(hint string) bool {
	return hint == k.hint || slices.ContainsFunc(k.place, func(element string) bool {
		_, site, called := strings.Cut(element, ":")
		site, _, _ = strings.Cut(site, numberMark)
		site, _, _ = strings.Cut(site, siteMark)
		return called && unescape(site) == hint
	})
}

// isByPosition reports whether a key has an element of a list that is identified only by its position.
func (k key) isByPosition() bool {
	return slices.ContainsFunc(k.within, func(element string) bool { return strings.HasPrefix(element, "["+indexMark) })
}

// loops returns the keys of the loops. An index is left out, because it says nothing about an element.
func (k key) loops() string {
	var loops strings.Builder
	for _, element := range k.place {
		if strings.HasPrefix(element, "["+indexMark) {
			element = "[" + indexMark + "]"
		}
		if strings.HasPrefix(element, "[") {
			loops.WriteString(element)
		}
	}
	return loops.String()
}

func escape(name string) string {
	if len(name) > longestName {
		name = name[:longestName] + "…" + shortDigest(name)
	}
	var escaped strings.Builder
	for _, c := range []byte(strings.ToValidUTF8(name, "?")) {
		if c < ' ' || c == 0x7f || strings.IndexByte(marks, c) >= 0 {
			fmt.Fprintf(&escaped, "%%%02x", c)
		} else {
			escaped.WriteByte(c)
		}
	}
	return escaped.String()
}

func unescape(name string) string {
	var plain []byte
	for i := 0; i < len(name); i++ {
		if name[i] == '%' && i+2 < len(name) {
			if c, err := hex.DecodeString(name[i+1 : i+3]); err == nil {
				plain = append(plain, c[0])
				i += 2
				continue
			}
		}
		plain = append(plain, name[i])
	}
	return string(plain)
}

// shortDigest stands for a text that is not shown.
func shortDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}
