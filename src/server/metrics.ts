import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { CrdDifference } from "../cluster/following-kind.ts";
import type { InformerState } from "../cluster/informer.ts";
import type { AdmissionReport, ConversionReport } from "../review/answer.ts";

/** The metrics of a service. Their names and labels are part of its public interface. */
export interface Metrics {
  /** The media type of `text`. */
  readonly contentType: string;
  /** All metrics in the text format of Prometheus. */
  readonly text: () => Promise<string>;
  /** Counts a body that was read. */
  readonly countBody: (bytes: number) => void;
  /** Counts a review that was answered. */
  readonly countReview: (report: ConversionReport | AdmissionReport, seconds: number) => void;
  /** Counts a request that was rejected with an HTTP status. */
  readonly countRejected: (code: number) => void;
}

/** Where the values of gauges come from; read at each scrape. */
export interface MetricSources {
  readonly bodyMemory: () => number;
  /** When the served certificate expires; undefined while there is none. */
  readonly certificateExpiry: () => Date | undefined;
  /** Whether something is wrong with the certificate, or with the bundles that name its CA. */
  readonly certificateFault: () => boolean;
  /** Of each lister that follows a cluster. */
  readonly listers: () => readonly InformerState[];
  /** Of each CRD that was read. */
  readonly crds: () => readonly CrdDifference[];
}

/** Makes the metrics, in a registry of their own, with Node's defaults. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  addGauges(sources, registers);
  const requestBytes = new Histogram({
    name: "antechamber_request_bytes",
    help: "Sizes of the bodies that were read",
    buckets: sizes,
    registers,
  });
  const rejected = new Counter({
    name: "antechamber_refused_requests_total",
    help: "Requests rejected with an HTTP status instead of a review",
    labelNames: ["code"],
    registers,
  });
  const countConversion = conversionCounters(registers);
  const countAdmission = admissionCounters(registers);
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    countBody: (bytes) => requestBytes.observe(bytes),
    countRejected: (code) => rejected.inc({ code }),
    countReview: (report, seconds) =>
      report.review === "conversion" ? countConversion(report, seconds) : countAdmission(report, seconds),
  };
}

type Registers = Registry[];

function conversionCounters(registers: Registers): (report: ConversionReport, seconds: number) => void {
  const labelNames = ["kind", "from", "to", "outcome"];
  const requests = new Counter({
    name: "antechamber_conversion_requests_total",
    help: "ConversionReviews answered",
    labelNames,
    registers,
  });
  const objects = new Counter({
    name: "antechamber_conversion_objects_total",
    help: "Objects in the ConversionReviews answered",
    labelNames,
    registers,
  });
  const duration = new Histogram({
    name: "antechamber_conversion_duration_seconds",
    help: "From the whole body of a ConversionReview to its answer",
    labelNames: ["kind", "from", "to"],
    buckets: times,
    registers,
  });
  return ({ kind, from, to, outcome, objects: count }, seconds) => {
    const labels = { kind, from, to, outcome };
    requests.inc(labels);
    objects.inc(labels, count);
    duration.observe({ kind, from, to }, seconds);
  };
}

function admissionCounters(registers: Registers): (report: AdmissionReport, seconds: number) => void {
  const requests = new Counter({
    name: "antechamber_admission_requests_total",
    help: "AdmissionReviews answered",
    labelNames: ["kind", "operation", "outcome"],
    registers,
  });
  const duration = new Histogram({
    name: "antechamber_admission_duration_seconds",
    help: "From the whole body of an AdmissionReview to its answer",
    labelNames: ["kind"],
    buckets: times,
    registers,
  });
  return ({ kind, operation, outcome }, seconds) => {
    requests.inc({ kind, operation, outcome });
    duration.observe({ kind }, seconds);
  };
}

function addGauges(sources: MetricSources, registers: Registers): void {
  const { bodyMemory, certificateExpiry, certificateFault, listers } = sources;
  addCrdGauges(sources, registers);
  new Gauge({
    name: "antechamber_lister_objects",
    help: "Objects that a lister holds",
    labelNames: ["kind"],
    registers,
    collect() {
      for (const { name, objects } of listers()) this.set({ kind: name }, objects);
    },
  });
  new Gauge({
    name: "antechamber_lister_staleness_seconds",
    help: "Since a lister last heard from the API server (bookmarks arrive about once a minute); +Inf before the first list",
    labelNames: ["kind"],
    registers,
    collect() {
      for (const { name, staleness } of listers()) this.set({ kind: name }, staleness);
    },
  });
  new Gauge({
    name: "antechamber_body_memory_bytes",
    help: "Bytes of the bodies that are being read or answered",
    registers,
    collect() {
      this.set(bodyMemory());
    },
  });
  new Gauge({
    name: "antechamber_certificate_expiry_timestamp_seconds",
    help: "When the certificate that is served expires; 0 while there is none",
    registers,
    collect() {
      this.set((certificateExpiry()?.getTime() ?? 0) / 1000);
    },
  });
  new Gauge({
    name: "antechamber_certificate_fault",
    help: "1 while something is wrong with the certificate or its CA; /readyz and the log say what",
    registers,
    collect() {
      this.set(certificateFault() ? 1 : 0);
    },
  });
}

function addCrdGauges({ crds }: MetricSources, registers: Registers): void {
  const gauge = (name: string, help: string, count: (crd: CrdDifference) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ["kind"],
      registers,
      collect() {
        for (const crd of crds()) this.set({ kind: crd.kind }, count(crd));
      },
    });
  gauge(
    "antechamber_crd_missing_fields",
    "Fields of this release that the CRD in force lacks: they are carried",
    ({ missing }) => missing,
  );
  gauge(
    "antechamber_crd_unknown_fields",
    "Fields of the CRD in force that this release does not know: they are not converted",
    ({ unknown }) => unknown,
  );
  gauge(
    "antechamber_crd_withheld_fields",
    "Fields that views do not show at the moment; some seconds longer than the CRD lacks them",
    ({ withheld }) => withheld,
  );
}

/** A small review takes some tens of microseconds; callers wait at most 30 s, and few longer than 10 s. */
const times = [
  0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
  10,
];

/** Powers of 4 from 1 KiB on, and the largest body that is read. */
const sizes = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 131_072].map((kibibytes) => kibibytes * 1024);
