// Package tracking is what a resource remembers of the object and the fields that it
// set, and how it shows them: the keyed hash of what it applied ([Hash]), which object
// it stands for in this process ([Standing]), which of the fields are secret
// ([SecretPlaces]), and how their changes and values are displayed ([Outermost], [Show]).
//
// It belongs to no resource. What is hashed, tracked and shown is each one's own business.
package tracking
