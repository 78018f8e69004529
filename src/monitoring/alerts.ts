import type { ServiceReference } from "../manifests/reach.ts";
import { metricDefinitions as metrics } from "./metrics.ts";
import { metricsJob } from "./scrape.ts";

/** An alert of Prometheus. */
export interface Alert {
  readonly name: string;
  /** A query in PromQL; the alert fires for each series that it returns. */
  readonly query: string;
  /** For how long the query must return a series, as a duration of Prometheus. */
  readonly for: string;
  /** `critical`: clients fail now, or within the hour. `warning`: someone must act within days. */
  readonly severity: "critical" | "warning";
  readonly summary: string;
  /** What the operator does first; the rest is in docs/guides/runbook.md. */
  readonly action: string;
}

/** The alerts on the pods behind a Service. docs/guides/runbook.md has a section for each. */
export function alertsOf({ namespace, name }: ServiceReference): readonly Alert[] {
  const pods = `kubectl -n ${namespace} get pods -l app.kubernetes.io/name=${name}`;
  const logs = `kubectl -n ${namespace} logs -l app.kubernetes.io/name=${name} --prefix`;
  const queries = queriesOf({ namespace, name });
  return [
    {
      name: "AntechamberDown",
      query: queries.noReplica,
      for: "2m",
      severity: "critical",
      summary:
        "No replica can be scraped: its kinds cannot be written, nor read at a version that is not stored.",
      action: `Run ${pods} and find out why no pod runs.`,
    },
    {
      name: "AntechamberReplicaDown",
      query: queries.replicasDown,
      for: "10m",
      severity: "warning",
      summary: "The replica {{ $labels.pod }} cannot be scraped.",
      action: `Run ${pods} and look at its events and restarts.`,
    },
    {
      name: "AntechamberConversionFailing",
      query: queries.conversionFailures,
      for: "0m",
      severity: "critical",
      summary:
        "Conversions of {{ $labels.kind }} from {{ $labels.from }} to {{ $labels.to }} fail: clients cannot read or write these objects.",
      action: `Run ${logs} and look for "failure"; it names the object and the reason.`,
    },
    {
      name: "AntechamberAdmissionFailing",
      query: queries.admissionErrors,
      for: "0m",
      severity: "critical",
      summary:
        "Admission of {{ $labels.kind }} ends with internal errors: clients cannot write these objects.",
      action: `Run ${logs} and look for "error"; it has the exception and its stack.`,
    },
    {
      name: "AntechamberRejectingRequests",
      query: queries.overload,
      for: "10m",
      severity: "warning",
      summary: "Requests are rejected with HTTP {{ $labels.code }}.",
      action: `Run ${logs} and look for the sentence of the rejections.`,
    },
    {
      name: "AntechamberSlow",
      query: queries.slow,
      for: "10m",
      severity: "warning",
      summary: "One review of {{ $labels.kind }} in a hundred takes longer than a second.",
      action: `Run ${logs} and look for "slow".`,
    },
    {
      name: "AntechamberListerStale",
      query: queries.staleListers,
      for: "2m",
      severity: "critical",
      summary:
        "{{ $labels.pod }} has not heard of {{ $labels.kind }} for over three minutes: it decides by old objects, or rejects reviews.",
      action: `Run ${logs} and look for the kind; a missing permission or CRD is named there.`,
    },
    {
      name: "AntechamberCertificateExpired",
      query: queries.expired,
      for: "1m",
      severity: "critical",
      summary: "{{ $labels.pod }} has no valid certificate: API servers cannot call it.",
      action: `Ask /readyz of the pod for the reason: kubectl -n ${namespace} port-forward {{ $labels.pod }} 8080.`,
    },
    {
      name: "AntechamberCertificateExpiring",
      query: queries.expiring,
      for: "1h",
      severity: "warning",
      summary: "The certificate of {{ $labels.pod }} expires in less than a week and was not renewed.",
      action: "Find out why it is not renewed: by the replicas, by cert-manager, or by you.",
    },
    {
      name: "AntechamberCertificateFault",
      query: queries.certificateFaults,
      for: "1m",
      severity: "warning",
      summary:
        "Something is wrong with the certificate of {{ $labels.pod }}, or with a caBundle that must hold its CA.",
      action: `Ask /readyz of the pod for the reason: kubectl -n ${namespace} port-forward {{ $labels.pod }} 8080.`,
    },
    {
      name: "AntechamberRotationStuck",
      query: queries.rotationPhases,
      for: "15m",
      severity: "warning",
      summary:
        "The rotation of the managed CA has been in the phase {{ $labels.phase }} for over a quarter of an hour.",
      action:
        "Run antechamber status: it names the bundle that cannot be written, or the replica that is waited for.",
    },
    {
      name: "AntechamberCrdOutdated",
      query: queries.missingFields,
      for: "1h",
      severity: "warning",
      summary: "The CRD of {{ $labels.kind }} lacks fields of the release that runs.",
      action: "Apply the CRDs of the release, once all replicas run it.",
    },
    {
      name: "AntechamberReleaseOutdated",
      query: queries.unknownFields,
      for: "15m",
      severity: "critical",
      summary: "The CRD of {{ $labels.kind }} has fields that the release that runs does not convert.",
      action: "Deploy the release that the CRD was generated from.",
    },
  ];
}

/** Below this, a certificate should have been replaced: managed ones and cert-manager's have ten days or more left then. */
const week = 7 * 24 * 60 * 60;

function queriesOf(service: ServiceReference) {
  const { selector, up } = metricsJob(service);
  const of = (metric: { readonly name: string }, more = "") => `${metric.name}{${selector}${more}}`;
  return {
    noReplica: `absent(${up} == 1)`,
    replicasDown: `${up} == 0`,
    conversionFailures: increased(of(metrics.conversionRequests, ',outcome="failure"'), "kind, from, to"),
    admissionErrors: increased(of(metrics.admissionRequests, ',outcome="error"'), "kind"),
    overload: increased(of(metrics.rejected, ',code=~"408|413|5.."'), "code"),
    slow: `${percentile(of({ name: `${metrics.conversionDuration.name}_bucket` }))} > 1\nor\n${percentile(of({ name: `${metrics.admissionDuration.name}_bucket` }))} > 1`,
    staleListers: `${of(metrics.listerStaleness)} > 180`,
    expired: `${of(metrics.certificateExpiry)} <= time()`,
    expiring: `${of(metrics.certificateExpiry)} - time() < ${week} > 0`,
    certificateFaults: `${of(metrics.certificateFault)} == 1`,
    rotationPhases: `max by (phase) (${of(metrics.rotationPhase, ',phase!="stable"')}) == 1`,
    missingFields: `max by (kind) (${of(metrics.crdMissingFields)}) > 0`,
    unknownFields: `max by (kind) (${of(metrics.crdUnknownFields)}) > 0`,
  };
}

/**
 * The series that grew in the last five minutes. A counter appears with its first event, and `increase` needs two samples: a series
 * that was not there five minutes ago counts with its value.
 */
function increased(series: string, labels: string): string {
  const grown = `sum by (${labels}) (increase(${series}[5m])) > 0`;
  return `${grown}\nor\nsum by (${labels}) (${series} unless ${series} offset 5m) > 0`;
}

function percentile(buckets: string): string {
  return `histogram_quantile(0.99, sum by (kind, le) (rate(${buckets}[5m])))`;
}
