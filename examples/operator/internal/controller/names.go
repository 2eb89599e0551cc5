package controller

// Annotations of the objects that belong to runs.
const (
	// annotationUID is the uid of the Environment that a Job is of: one that deletes itself must not own its Jobs.
	annotationUID = "platform.example.com/environment-uid"
	// annotationInputHash is the hash of the inputs that a Secret holds.
	annotationInputHash = "platform.example.com/input-hash"
	// annotationSettings is the hash of what a Job was created with besides its inputs: image, resources, service account.
	annotationSettings = "platform.example.com/settings"
	// annotationOperation is what these inputs are for.
	annotationOperation = "platform.example.com/operation"
)
