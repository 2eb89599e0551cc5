package object

// makesItems reports whether the apply may create list items that contain ignored fields: items that the program has
// added, or that others have removed. If not, there is no need to read the live object.
func (w *write) makesItems() bool {
	return len(w.in.ignore.NewItems(w.in.applied, w.seen.object, w.seen.fields)) > 0
}
