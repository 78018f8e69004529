// Names that OpenKruise v1.9.1 gives (apis/apps/v1beta1/sidecarset_types.go, pkg/control/sidecarcontrol), and one of
// Kubernetes.

/** The namespace in which Kruise keeps ControllerRevisions and its configuration. */
export const kruiseNamespace = "kruise-system";

/** The label that the API server sets on every namespace: its name. */
export const namespaceNameLabel = "kubernetes.io/metadata.name";

/** The label of a ControllerRevision that names its SidecarSet. */
export const sidecarSetNameLabel = "kruise.io/sidecarset-name";

/**
 * The label of a v1alpha1 SidecarSet, and of every ControllerRevision, that holds the author's own version of the set.
 */
export const customVersionLabel = "apps.kruise.io/sidecarset-custom-version";

/** The annotation with a SidecarSet's hash; on a pod, a record of the hashes that it was injected with. */
export const hashAnnotation = "kruise.io/sidecarset-hash";

/** The same for the hash that leaves out images. */
export const hashWithoutImageAnnotation = "kruise.io/sidecarset-hash-without-image";

/** The annotation of a pod that lists the SidecarSets injected into it. */
export const injectedListAnnotation = "kruise.io/sidecarset-injected-list";

/** The annotation of a pod that says which of the two containers of a hot upgrade is the working one. */
export const workingContainersAnnotation = "kruise.io/sidecarset-working-hotupgrade-container";
