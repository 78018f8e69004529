/** A metric of the service: its name and labels are part of the public interface. */
export interface MetricDefinition {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

const shadowLabels = ["kind", "from", "to", "outcome", "field", "guarded"];
const conversionLabels = ["kind", "from", "to", "outcome"];

/** All metrics of the service but those of Node.js: what it exposes, and what alerts and the dashboard query. */
export const metricDefinitions = {
  requestBytes: metric("antechamber_request_bytes", "Sizes of the bodies that were read"),
  rejected: metric(
    "antechamber_refused_requests_total",
    "Requests rejected with an HTTP status instead of a review",
    ["code"],
  ),
  conversionRequests: metric(
    "antechamber_conversion_requests_total",
    "ConversionReviews answered",
    conversionLabels,
  ),
  conversionObjects: metric(
    "antechamber_conversion_objects_total",
    "Objects in the ConversionReviews answered",
    conversionLabels,
  ),
  conversionDuration: metric(
    "antechamber_conversion_duration_seconds",
    "From the whole body of a ConversionReview to its answer",
    ["kind", "from", "to"],
  ),
  admissionRequests: metric("antechamber_admission_requests_total", "AdmissionReviews answered", [
    "kind",
    "operation",
    "outcome",
  ]),
  admissionDuration: metric(
    "antechamber_admission_duration_seconds",
    "From the whole body of an AdmissionReview to its answer",
    ["kind"],
  ),
  listerObjects: metric("antechamber_lister_objects", "Objects that a lister holds", ["kind"]),
  listerStaleness: metric(
    "antechamber_lister_staleness_seconds",
    "Since a lister last heard from the API server (bookmarks arrive about once a minute); +Inf before the first list",
    ["kind"],
  ),
  bodyMemory: metric("antechamber_body_memory_bytes", "Bytes of the bodies that are being read or answered"),
  certificateExpiry: metric(
    "antechamber_certificate_expiry_timestamp_seconds",
    "When the certificate that is served expires; 0 while there is none",
  ),
  certificateFault: metric(
    "antechamber_certificate_fault",
    "1 while something is wrong with the certificate or its CA; /readyz and the log say what",
  ),
  rotationPhase: metric(
    "antechamber_rotation_phase",
    "1 for the phase in which a replica last saw the rotation of managed certificates, 0 for the others",
    ["phase"],
  ),
  crdMissingFields: metric(
    "antechamber_crd_missing_fields",
    "Fields of this release that the CRD in force lacks: they are carried",
    ["kind"],
  ),
  crdUnknownFields: metric(
    "antechamber_crd_unknown_fields",
    "Fields of the CRD in force that this release does not know: they are not converted",
    ["kind"],
  ),
  crdWithheldFields: metric(
    "antechamber_crd_withheld_fields",
    "Fields that views do not show at the moment; some seconds longer than the CRD lacks them",
    ["kind"],
  ),
  upstreamRequests: metric(
    "antechamber_upstream_requests_total",
    "Requests of guard to the webhook behind it: answered, closed, silent or unreachable",
    ["outcome"],
  ),
  upstreamRefusals: metric(
    "antechamber_upstream_refused_objects_total",
    "Conversions of objects that the webhook behind guard does not convert: the schemas did",
    ["kind", "from", "to"],
  ),
  guardPutBack: metric(
    "antechamber_guard_put_back",
    "1 while the conversion of a CRD that guard took over is put back by another manager, else 0",
    ["crd"],
  ),
  shadowLooked: metric(
    "antechamber_shadow_conversions_total",
    "Conversions that guard --shadow looked at, there and back",
  ),
  shadowFindings: metric(
    "antechamber_shadow_findings_total",
    "Conversions in which guard --shadow saw the webhook lose, change or refuse a field, and whether guard keeps it",
    shadowLabels,
  ),
  shadowObjects: metric(
    "antechamber_shadow_objects",
    "1 for each of the first objects in which this was found",
    [...shadowLabels, "object"],
  ),
} as const;

function metric(name: string, help: string, labelNames: readonly string[] = []): MetricDefinition {
  return { name, help, labelNames };
}
