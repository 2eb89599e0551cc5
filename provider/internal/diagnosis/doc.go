// Package diagnosis says why an object is not ready, as far as the cluster shows it: by the states of its
// pods and by its events.
//
// It is used during a wait and after a failed one, so it never fails itself: what may not be read, or cannot
// be read, is left out. It makes only narrow requests, by a selector or a UID, and a bounded number of them.
package diagnosis
