// Package draws makes the random values and certificates of Helm templates stay the same from one rendering to the next.
//
// Helm draws them again in every rendering, so a chart with randAlphaNum or genCA never renders the same twice. Here each of
// them is stored when it is drawn for the first time, one by one, under a key that says where in the templates it is drawn: its
// call site. A seed would not do, because Go's generators of keys take none.
//
//   - how a template is rewritten so that each draw tells its call site: rewrite.go, edit.go, hint.go
//   - where a template is while it is executed: site.go; how a key is written: key.go
//   - which functions draw: functions.go; what they draw: value.go, values.go
//   - what a call site is told: session.go, answer.go, rotate.go
//   - when a certificate is made again: certificate.go; one whose private key is not known: keyless.go
//   - where a value is rendered: place.go; which calls the templates have, executed or not: source.go
//   - whose value is whose, where call sites or objects have moved: moved.go
//   - what becomes of values that nothing uses: former.go
//   - values of the same shape, to find out what depends on them: placeholder.go
//   - how values are found in texts that others have rendered: shape.go, wanted.go
//
// # A rendering
//
// A [Session] is one rendering. Only at its end is it known where each value is rendered, and so whether it is in its place. If not,
// there is another one:
//
//	for s := draws.NewSession(options); s != nil; s = s.Again(texts, true) {
//		// render the texts of s.Rewrite with s.Funcs; texts are those of the objects
//	}
//
// # The rewriter
//
// A template function does not know where it is called. [Rewrite] parses a template, gives every draw the scope it is in and a
// hint, and prints the template again:
//
//	password: {{ randAlphaNum 10 | quote }}
//	password: {{kc_randAlphaNum $kc "password" 10 | quote}}
//
// The variable is declared where a file, a definition, a text of tpl or an iteration begins. It goes along with the data that
// include, template and tpl pass on. Lines are not kept: to show where an error is, render the original.
//
// # Laws
//
//   - A rewritten template renders the same bytes as the original, but for what is drawn. What cannot be parsed is left alone,
//     so that the engine reports it.
//   - Two renderings of the same templates with the same stored values are equal, and what else is rendered does not matter.
//   - A key names the file, the definitions through which a draw is reached, the keys of loops, the hint, the function and its
//     whole numbers. It shows no other argument and no element of a list, which may be secret. The value has a digest of the
//     other arguments, and is drawn again when they change.
//   - A file that is included is in the same place as the file itself, so the checksum of a Secret is that of the Secret.
//   - Calls with the same hint in one text are numbered as they stand there, so a condition that leaves one out changes no other.
//   - A value is that of its place: one field of one object. It is stored with it, and goes with it to other files and definitions. No
//     object gets the value of another one.
//   - A call site that is gone leaves its value to one that has come, as an object under another name, only if neither side has
//     another candidate. What is merely switched off keeps its value. In doubt, another one is drawn.
//   - A value that nothing uses waits for the return of its place, unless it was to be rotated meanwhile. Only values of call sites that
//     are gone are ever too many.
//   - As long as a rendering is not known, nothing moves.
//   - A certificate is made again when the one that signed it has changed, and when two thirds of its life are over.
//   - An authority whose private key is not known stays as long as nobody asks for the key.
//   - A placeholder is never stored.
package draws
