package controller

// What the controller may do. It does not do what programs do, so it needs none of their permissions.
// The ClusterRole is generated from these lines.

// +kubebuilder:rbac:groups=platform.example.com,resources=environments,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=platform.example.com,resources=environments/status,verbs=patch
// +kubebuilder:rbac:groups=platform.example.com,resources=environments/finalizers,verbs=update
// +kubebuilder:rbac:groups=platform.example.com,resources=environments/image,verbs=update
// +kubebuilder:rbac:groups=platform.example.com,resources=approvals,verbs=get;list;watch;delete
// +kubebuilder:rbac:groups=platform.example.com,resources=approvals/status,verbs=patch
// +kubebuilder:rbac:groups=platform.example.com,resources=environmentclasses,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=platform.example.com,resources=environmentclasses/status,verbs=patch
// +kubebuilder:rbac:groups=apps.platform.example.com,resources=*,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;delete
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=events,verbs=list;watch;create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=get;list;watch;create;update;delete
