/** The most bytes that all annotations of an object may have, names and values (apimachinery, pkg/api/validation, TotalAnnotationSizeLimitB). */
export const annotationLimit = 256 * 1024;
