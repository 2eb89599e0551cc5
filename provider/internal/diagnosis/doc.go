// Package diagnosis says why an object is not ready, as far as the cluster tells: by
// the states of its pods and by its events.
//
// It is asked while someone waits and after they waited, and it did not come, so it never fails:
// what may not be read, or cannot be, is left out. It asks narrow questions only, by a
// selector or a uid, and a bounded number of them.
package diagnosis
