import type { Json, JsonObject } from "../json/json.ts";
import type { ServiceReference } from "../manifests/reach.ts";
import { metricDefinitions as metrics } from "./metrics.ts";
import { metricsJob } from "./scrape.ts";

/** A panel of the dashboard: a query, and how its values are shown. */
interface Panel {
  readonly title: string;
  readonly description: string;
  readonly query: string;
  /** The name of each line, with labels in braces. */
  readonly legend: string;
  /** A unit of Grafana. */
  readonly unit: string;
}

/** The dashboard of a service, in a ConfigMap with the label by which Grafana's chart finds dashboards. */
export function dashboardConfigMap(service: ServiceReference): JsonObject {
  const { namespace, name } = service;
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: `${name}-dashboard`,
      namespace,
      labels: { "app.kubernetes.io/name": name, grafana_dashboard: "1" },
    },
    data: { [`${name}.json`]: `${JSON.stringify(dashboard(service), undefined, 1)}\n` },
  };
}

function dashboard(service: ServiceReference): Json {
  return {
    title: "Antechamber",
    schemaVersion: 39,
    editable: true,
    refresh: "1m",
    time: { from: "now-6h", to: "now" },
    tags: ["antechamber"],
    templating: {
      list: [{ name: "datasource", label: "Data source", type: "datasource", query: "prometheus" }],
    },
    panels: panelsOf(service).map(panelObject),
  };
}

function panelsOf(service: ServiceReference): readonly Panel[] {
  const { selector, up } = metricsJob(service);
  const of = ({ name }: { readonly name: string }, suffix = "") => `${name}${suffix}{${selector}}`;
  const rate = (series: string, labels: string) => `sum by (${labels}) (rate(${series}[$__rate_interval]))`;
  const slowest = (metric: { readonly name: string }, labels: string) =>
    `histogram_quantile(0.99, ${rate(of(metric, "_bucket"), `${labels}, le`)})`;
  return [
    {
      title: "Replicas",
      description: "Replicas that can be scraped.",
      query: `sum(${up})`,
      legend: "replicas",
      unit: "none",
    },
    {
      title: "Rejected requests",
      description: "By HTTP status.",
      query: rate(of(metrics.rejected), "code"),
      legend: "{{code}}",
      unit: "reqps",
    },
    {
      title: "Conversions",
      description: "Which versions clients use: each line is a kind, a direction and an outcome.",
      query: rate(of(metrics.conversionRequests), "kind, from, to, outcome"),
      legend: "{{kind}} {{from}} → {{to}} {{outcome}}",
      unit: "reqps",
    },
    {
      title: "Converted objects",
      description: "By kind and direction.",
      query: rate(of(metrics.conversionObjects), "kind, from, to"),
      legend: "{{kind}} {{from}} → {{to}}",
      unit: "ops",
    },
    {
      title: "Conversion time, 99th percentile",
      description: "From the whole body to its answer.",
      query: slowest(metrics.conversionDuration, "kind"),
      legend: "{{kind}}",
      unit: "s",
    },
    {
      title: "Admissions",
      description: "By kind, operation and outcome.",
      query: rate(of(metrics.admissionRequests), "kind, operation, outcome"),
      legend: "{{kind}} {{operation}} {{outcome}}",
      unit: "reqps",
    },
    {
      title: "Admission time, 99th percentile",
      description: "From the whole body to its answer.",
      query: slowest(metrics.admissionDuration, "kind"),
      legend: "{{kind}}",
      unit: "s",
    },
    {
      title: "Size of bodies, 99th percentile",
      description: "Bodies of all reviews.",
      query: `histogram_quantile(0.99, ${rate(of(metrics.requestBytes, "_bucket"), "le")})`,
      legend: "bytes",
      unit: "bytes",
    },
    {
      title: "Memory of bodies",
      description: "Of what --body-memory permits.",
      query: of(metrics.bodyMemory),
      legend: "{{pod}}",
      unit: "bytes",
    },
    {
      title: "Memory of processes",
      description: "Resident memory; the pod has a limit of 1 GiB.",
      query: `process_resident_memory_bytes{${selector}}`,
      legend: "{{pod}}",
      unit: "bytes",
    },
    {
      title: "Certificate expires in",
      description: "Of the certificate that each replica serves.",
      query: `${of(metrics.certificateExpiry)} - time()`,
      legend: "{{pod}}",
      unit: "s",
    },
    {
      title: "Certificate faults",
      description: "1 while /readyz and the log name a fault.",
      query: of(metrics.certificateFault),
      legend: "{{pod}}",
      unit: "none",
    },
    {
      title: "Phase of the rotation",
      description:
        "Of managed certificates: 1 for the present phase; after a quarter of an hour an alert fires.",
      query: `max by (phase) (${of(metrics.rotationPhase)})`,
      legend: "{{phase}}",
      unit: "none",
    },
    {
      title: "Listed objects",
      description: "Held in memory by each replica.",
      query: `max by (kind) (${of(metrics.listerObjects)})`,
      legend: "{{kind}}",
      unit: "none",
    },
    {
      title: "Staleness of listers",
      description: "Since the API server was last heard; above 180 s an alert fires.",
      query: `max by (kind) (${of(metrics.listerStaleness)})`,
      legend: "{{kind}}",
      unit: "s",
    },
    {
      title: "Fields that CRDs lack",
      description: "Fields of this release that the CRD in force lacks.",
      query: `max by (kind) (${of(metrics.crdMissingFields)})`,
      legend: "{{kind}}",
      unit: "none",
    },
    {
      title: "Fields unknown to the release",
      description: "Fields of the CRD in force that this release does not convert.",
      query: `max by (kind) (${of(metrics.crdUnknownFields)})`,
      legend: "{{kind}}",
      unit: "none",
    },
    {
      title: "Withheld fields",
      description: "Fields that clients are not shown at the moment.",
      query: `max by (kind) (${of(metrics.crdWithheldFields)})`,
      legend: "{{kind}}",
      unit: "none",
    },
    {
      title: "Requests of guard",
      description: "To the webhook behind it, by outcome.",
      query: rate(of(metrics.upstreamRequests), "outcome"),
      legend: "{{outcome}}",
      unit: "reqps",
    },
    {
      title: "Objects that the webhook behind guard refuses",
      description: "Conversions that the schemas made.",
      query: rate(of(metrics.upstreamRefusals), "kind, from, to"),
      legend: "{{kind}} {{from}} to {{to}}",
      unit: "ops",
    },
  ];
}

/** Two panels in a row; Grafana's grid has 24 columns. */
function panelObject({ title, description, query, legend, unit }: Panel, index: number): Json {
  const datasource = { type: "prometheus", uid: "$datasource" };
  return {
    id: index + 1,
    type: "timeseries",
    title,
    description,
    datasource,
    gridPos: { h: 8, w: 12, x: (index % 2) * 12, y: Math.floor(index / 2) * 8 },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: [{ refId: "A", datasource, expr: query, legendFormat: legend }],
  };
}
