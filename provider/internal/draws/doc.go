// Package draws makes the random values and certificates of Helm templates stay the same from one rendering to the next.
//
// Helm draws them again in every rendering, so a chart with randAlphaNum or genCA never renders the same twice. Here each value is stored
// when it is drawn for the first time, under a key that says where in the templates it is drawn: its call site. A single seed for
// everything would not work, because Go's key generators do not accept one.
//
//   - how a template is rewritten so that each draw passes its call site: rewrite.go, edit.go, yaml_key_hint.go
//   - where a template is while it is executed: site.go; how a key is written: key.go
//   - which functions draw: functions.go; what they draw: value.go, values.go
//   - which value a call site gets: session.go, answer.go, rotate.go
//   - when a certificate is made again: certificate.go, due.go; certificates without a known private key: certificates_without_key.go
//   - where a value is rendered: place.go; which calls the templates contain, executed or not: source.go
//   - which value belongs to which call site after call sites or objects have moved: moved_values.go
//   - what happens to values that nothing uses: unused_values.go
//   - values of the same shape, to find out what depends on them: placeholder.go
//   - how values are found in texts that another tool has rendered: shape.go, placeholder_values.go
//
// # A rendering
//
// A [Session] is one rendering. Only at its end is it known where each value is rendered, and so whether it is in its place. If a value is
// not, the templates are rendered again:
//
//	for s := draws.NewSession(options); s != nil; s = s.Again(texts) {
//		// render the texts of s.Rewrite with s.Funcs; texts come from the rendered objects
//	}
//
// # The rewriter
//
// A template function does not know where it is called. [Rewrite] parses a template, passes the current scope and a hint to every draw, and
// prints the template again:
//
//	password: {{ randAlphaNum 10 | quote }}
//	password: {{kc_randAlphaNum $kc "password" 10 | quote}}
//
// The variable is declared where a file, a definition, a text of tpl or an iteration begins. It accompanies the data that include, template
// and tpl pass on. Line numbers are not preserved: to show where an error is, render the original.
//
// # Laws
//
//   - A rewritten template renders the same bytes as the original, except for the drawn values. A text that cannot be parsed is left alone,
//     so that the engine reports it.
//   - Two renderings of the same templates with the same stored values are equal, and what else is rendered does not matter.
//   - A key names the file, the definitions through which a draw is reached, the keys of loops, the hint, the function and its whole
//     numbers. It shows no other argument and no element of a list, which may be secret. The value has a digest of the other arguments, and
//     is drawn again when they change.
//   - An included file is in the same place as the file itself, so the checksum of an included Secret matches the Secret.
//   - Calls with the same hint in one text are numbered in the order of the text, so a condition that leaves one out changes no other.
//   - A value belongs to its place: one field of one object. The place is stored with it, and the value follows the place to other files
//     and definitions. No object gets the value of another object.
//   - If a call site is gone, its value goes to a new call site, such as the same object under another name, only if neither side has
//     another candidate. New is one that no rendering has reached, also if it was written before and switched off. A call site that is merely
//     switched off keeps its value. In doubt, a new value is drawn.
//   - A value that nothing uses waits for the return of its place, unless it was to be rotated meanwhile. Only the number of values whose
//     call sites are gone is limited.
//   - As long as a rendering is not known, nothing moves.
//   - A certificate is made again when its issuer has changed, and when two thirds of its lifetime are over.
//   - An authority whose private key is not known stays as long as no template asks for the key.
//   - A placeholder is never stored.
package draws
