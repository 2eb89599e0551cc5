package com.k8sconnect.pulumi;

import com.k8sconnect.pulumi.inputs.ResourceRefArgs;
import com.k8sconnect.pulumi.outputs.ResourceRef;
import com.pulumi.core.Output;

/**
 * Makes inputs of the references that come out of resources. In Java they are of different types.
 *
 */
public final class ResourceRefs {
    private ResourceRefs() {}

    /**
     * A reference that comes out of a resource, for another one to take:
     * {@code .resourceRef(ResourceRefs.of(web.resourceRef()))}.
     *
     * @param resourceRef The output `resourceRef` of a KubeObject or a Patch.
     * @return The same as an input.
     *
     */
    public static Output<ResourceRefArgs> of(Output<ResourceRef> resourceRef) {
        return resourceRef.applyValue(ref -> ResourceRefArgs.builder()
            .apiVersion(ref.apiVersion())
            .kind(ref.kind())
            .name(ref.name())
            .namespace(ref.namespace().orElse(null))
            .revision(ref.revision().orElse(null))
            .uid(ref.uid().orElse(null))
            .build());
    }
}
