package readiness

import (
	"slices"
	"strings"
	"unicode"
)

// tone is what a word or a part of a status says about its object. Of two, the greater one counts.
type tone int

const (
	// silent says nothing.
	silent tone = iota
	// good says that the object is ready, or a part of it.
	good
	// busy says that it is not ready yet.
	busy
	// suspendedTone says that someone has suspended it.
	suspendedTone
	// bad says that something has failed. Its controller may try again.
	bad
)

// tones are the words that controllers use in phases, states, reasons and types of conditions. A word that some use for
// a state that lasts, such as Idle or Warning, is in no list: waiting for its end could take forever.
var tones = func() map[string]tone {
	all := map[string]tone{}
	for tone, words := range map[tone]string{
		good: `ready available healthy synced accepted programmed valid validated verified admitted established installed deployed
			created provisioned reconciled success successful successfully succeeded complete completed done finished initialized
			connected configured applied registered bound online issued resolved approved scheduled running active ok okay up
			green found exists exist reachable operational bootstrapped attached passed pass serving succeeding uptodate normal compliant discoverable resolvable usable`,
		busy: `pending progressing progress inprogress waiting unknown initializing init initialising bootstrap creation queued submitted
			requested outofsync unsynced outdated notready unready partially partial yellow prepare setup bootstrapping
			recovery stale`,
		bad: `failed failure failures failing fail error errors errored err degraded stalled invalid invalidated rejected denied forbidden
			unauthorized unauthenticated refused blocked stuck conflict conflicts conflicted conflicting unhealthy unavailable unreachable
			unsupported unresolved aborted timeout timedout exceeded lost broken mismatch missing corrupt corrupted misconfigured
			unschedulable disconnected violated violation violations insufficient crashed crash crashloopbackoff incompatible fatal red
			offline pressure unsatisfiable undeliverable terminal recoverable orphaned`,
		suspendedTone: `paused suspended hibernated`,
	} {
		for word := range strings.FieldsSeq(words) {
			all[word] = tone
		}
	}
	return all
}()

// steady are words that end in "ing" and mean a state in which an object does its work, or no state at all.
var steady = strings.Fields(`running serving listening streaming replicating watching monitoring existing working operating polling
	following leading tracking accepting forwarding advertising exporting routing collecting consuming producing receiving sending
	protecting enforcing holding warning nothing something string thing recording billing pricing binding mapping setting
	networking logging tracing peering caching hosting naming`)

// finishing are the words for the end of what runs once.
var finishing = strings.Fields(`complete completed succeeded success successful done finished`)

var negations = strings.Fields(`not no non never without cannot isnt`)

// toneOfWord gives the tone of one word. Whatever ends in "ing" is under way.
func toneOfWord(word string) tone {
	if tone, known := tones[word]; known {
		return tone
	}
	if strings.HasSuffix(word, "ing") && len(word) > len("ring") && !slices.Contains(steady, word) {
		return busy
	}
	return silent
}

// toneOf gives the tone of a text such as CREATE_IN_PROGRESS, FailedNotVisible or "Cluster in healthy state".
func toneOf(text string) tone {
	said, negated := silent, false
	for _, word := range wordsOf(text) {
		if slices.Contains(negations, word) {
			negated = true
			continue
		}
		tone := toneOfWord(word)
		if tone != silent && negated {
			tone, negated = negate(tone), false
		}
		said = max(said, tone)
	}
	return said
}

func negate(t tone) tone {
	switch t {
	case good:
		return busy
	case bad:
		return good
	default:
		return silent
	}
}

// isFinal reports whether a text says that what runs once has come to its end.
func isFinal(text string) bool {
	return toneOf(text) == good && slices.ContainsFunc(wordsOf(text), func(word string) bool { return slices.Contains(finishing, word) })
}

// wordsOf splits a name or a text into words, in lower case.
func wordsOf(text string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
		}
		word = nil
	}
	runes := []rune(text)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			if r != '\'' {
				end()
			}
			continue
		case i > 0 && unicode.IsUpper(r):
			// A new word begins in fooBar before B, and in FOOBar before B.
			beforeLower := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if unicode.IsLower(runes[i-1]) || unicode.IsUpper(runes[i-1]) && beforeLower {
				end()
			}
		}
		word = append(word, r)
	}
	end()
	return words
}
