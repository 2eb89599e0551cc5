// Package drift sees that what programs have set has changed, without running them.
//
// Of the kinds of objects that Environments have made it watches the metadata, one watch for each kind. For an object it keeps the uid and a
// digest of the managedFields entries of the provider's field managers (digest.go). The API server takes a field out of such an
// entry when others change it, and leaves the entry alone when they change other fields, or the status. So a digest that has changed
// is a reason to look at the Environment, and one that has not changed says that nobody has touched what the program has set.
//
// Nothing of what an object contains is ever read. Secrets are not watched at all: who may watch their metadata may read their values.
//
// # The files
//
//   - the objects of an Environment, what is seen of them, and Secrets, which are not watched: watcher.go
//   - the watch of one kind, why a kind cannot be watched, and which changes count: kind.go
//   - what is kept of an object, and when others have changed it: digest.go
package drift
