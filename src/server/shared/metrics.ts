import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { type Phase, phases } from "../../../certs/rotation.ts";
import type { CrdDifference } from "../../cluster/follow/following-kind.ts";
import type { InformerState } from "../../cluster/follow/informer.ts";
import { type MetricDefinition, metricDefinitions as metrics } from "../../monitoring/metrics.ts";
import type { AdmissionReport, ConversionReport } from "../../review/answer.ts";
import { limits } from "./limits.ts";

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
interface MetricSources {
  readonly bodyMemory: () => number;
  /** When the served certificate expires; undefined while there is none. */
  readonly certificateExpiry: () => Date | undefined;
  /** Whether something is wrong with the certificate, or with the bundles that name its CA. */
  readonly certificateFault: () => boolean;
  /** Undefined without managed certificates. */
  readonly rotationPhase: () => Phase | undefined;
  /** Of each lister that follows a cluster. */
  readonly listers: () => readonly InformerState[];
  /** Of each CRD that was read. */
  readonly crds: () => readonly CrdDifference[];
  /** Of the webhook behind guard. */
  readonly upstream: () => UpstreamCounts;
}

/** Counts of another project's webhook since the start. */
export interface UpstreamCounts {
  /** Requests by their outcome. */
  readonly requests: ReadonlyMap<string, number>;
  /** Objects that it did not convert. */
  readonly refused: readonly {
    readonly kind: string;
    readonly from: string;
    readonly to: string;
    readonly objects: number;
  }[];
  /** What `guard --shadow` looked at, and what it found. */
  readonly looked: number;
  readonly shadow: readonly ShadowCount[];
  /** The CRDs that are followed, and whether another manager has put their conversion back. */
  readonly crds: readonly { readonly crd: string; readonly isPutBack: boolean }[];
}

/** What happened to a field so many times, with the names of some objects. */
export interface ShadowCount {
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly outcome: string;
  readonly field: string;
  readonly guarded: string;
  readonly conversions: number;
  readonly objects: readonly string[];
}

/** Counts of a service without a webhook behind it. */
export const noUpstream: UpstreamCounts = {
  requests: new Map(),
  refused: [],
  looked: 0,
  shadow: [],
  crds: [],
};

/** Makes the metrics, in a registry of their own, with Node's defaults. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  addGauges(sources, registers);
  addUpstreamCounters(sources, registers);
  const requestBytes = new Histogram({
    ...metrics.requestBytes,
    buckets: sizes,
    registers,
  });
  const rejected = new Counter({
    ...metrics.rejected,
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
  const requests = new Counter({
    ...metrics.conversionRequests,
    registers,
  });
  const objects = new Counter({
    ...metrics.conversionObjects,
    registers,
  });
  const duration = new Histogram({
    ...metrics.conversionDuration,
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
    ...metrics.admissionRequests,
    registers,
  });
  const duration = new Histogram({
    ...metrics.admissionDuration,
    buckets: times,
    registers,
  });
  return ({ kind, operation, outcome }, seconds) => {
    requests.inc({ kind, operation, outcome });
    duration.observe({ kind }, seconds);
  };
}

function addGauges(sources: MetricSources, registers: Registers): void {
  const { bodyMemory, certificateExpiry, certificateFault, rotationPhase, listers } = sources;
  addCrdGauges(sources, registers);
  new Gauge({
    ...metrics.listerObjects,
    registers,
    collect() {
      for (const { name, objects } of listers()) this.set({ kind: name }, objects);
    },
  });
  new Gauge({
    ...metrics.listerStaleness,
    registers,
    collect() {
      for (const { name, staleness } of listers()) this.set({ kind: name }, staleness);
    },
  });
  new Gauge({
    ...metrics.bodyMemory,
    registers,
    collect() {
      this.set(bodyMemory());
    },
  });
  new Gauge({
    ...metrics.certificateExpiry,
    registers,
    collect() {
      this.set((certificateExpiry()?.getTime() ?? 0) / 1000);
    },
  });
  new Gauge({
    ...metrics.certificateFault,
    registers,
    collect() {
      this.set(certificateFault() ? 1 : 0);
    },
  });
  new Gauge({
    ...metrics.rotationPhase,
    registers,
    collect() {
      this.reset();
      const present = rotationPhase();
      if (present === undefined) return;
      for (const phase of phases) this.set({ phase }, phase === present ? 1 : 0);
    },
  });
}

function addUpstreamCounters({ upstream }: MetricSources, registers: Registers): void {
  type Counted = readonly (readonly [labels: Readonly<Record<string, string>>, count: number])[];
  const counter = (definition: MetricDefinition, counted: (counts: UpstreamCounts) => Counted) =>
    new Counter({
      ...definition,
      registers,
      collect() {
        this.reset();
        for (const [labels, count] of counted(upstream())) this.inc(labels, count);
      },
    });
  counter(metrics.upstreamRequests, ({ requests }) =>
    [...requests].map(([outcome, count]) => [{ outcome }, count]),
  );
  counter(metrics.upstreamRefusals, ({ refused }) =>
    refused.map(({ objects, ...labels }) => [labels, objects]),
  );
  counter(metrics.shadowLooked, ({ looked }) => [[{}, looked]]);
  counter(metrics.shadowFindings, ({ shadow }) =>
    shadow.map(({ conversions, objects: _, ...labels }) => [labels, conversions]),
  );
  new Gauge({
    ...metrics.guardPutBack,
    registers,
    collect() {
      for (const { crd, isPutBack } of upstream().crds) this.set({ crd }, isPutBack ? 1 : 0);
    },
  });
  new Gauge({
    ...metrics.shadowObjects,
    registers,
    collect() {
      this.reset();
      for (const { conversions: _, objects, ...labels } of upstream().shadow)
        for (const object of objects) this.set({ ...labels, object }, 1);
    },
  });
}

function addCrdGauges({ crds }: MetricSources, registers: Registers): void {
  const gauge = (definition: MetricDefinition, count: (crd: CrdDifference) => number) =>
    new Gauge({
      ...definition,
      registers,
      collect() {
        for (const crd of crds()) this.set({ kind: crd.kind }, count(crd));
      },
    });
  gauge(metrics.crdMissingFields, ({ missing }) => missing);
  gauge(metrics.crdUnknownFields, ({ unknown }) => unknown);
  gauge(metrics.crdWithheldFields, ({ withheld }) => withheld);
}

/** A small review takes some tens of microseconds; callers wait at most 30 s, and few longer than 10 s. */
const times = [
  0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
  10,
];

/** Powers of 4 from 1 KiB on, and the largest body that is read. */
const sizes = [...[1, 4, 16, 64, 256, 1024, 4096].map((kibibytes) => kibibytes * 1024), limits.bodyBytes];
