package controller

// Annotations of the objects that belong to runs.
const (
	// annotationInputHash is the hash of the inputs that a Secret holds.
	annotationInputHash = "platform.example.com/input-hash"
	// annotationImage is the image with the program of these inputs, if it is in one.
	annotationImage = "platform.example.com/image"
	// annotationSettings is the hash of what a Job was created with besides its inputs: image, resources, service account.
	annotationSettings = "platform.example.com/settings"
	// annotationOperation is what these inputs are for.
	annotationOperation = "platform.example.com/operation"
)
