import { readFileSync } from "node:fs";
import { isObject, type Json, type JsonObject, textAt } from "../json/json.ts";
import type { ServiceReference } from "../manifests/reach.ts";
import { readYaml } from "../yaml/yaml.ts";

/**
 * What monitors the pods behind a Service, by the files that it is written to: the Service and ServiceMonitor through which
 * Prometheus finds them, alerts, and a dashboard. All of it is in the YAML files beside this one.
 */
export function monitoringObjects(
  service: ServiceReference,
): Readonly<Record<string, readonly JsonObject[]>> {
  return {
    "alerts.yaml": documentsIn("alerts.yaml", service).filter(isObject),
    "dashboard.yaml": [dashboardConfigMap(service)],
    "scrape.yaml": documentsIn("scrape.yaml", service).filter(isObject),
  };
}

/** The documents of a file, with the names of a Service in place of those that stand for them. */
function documentsIn(file: string, { namespace, name }: ServiceReference): readonly Json[] {
  const values: Readonly<Record<string, string>> = {
    NAMESPACE: namespace,
    SERVICE: name,
    // Prometheus Operator sets the label `job` to the name of the Service (pkg/prometheus/promcfg.go, generateServiceMonitorConfig).
    PODS: `job="${name}-metrics",namespace="${namespace}"`,
  };
  const text = readFileSync(new URL(file, import.meta.url), "utf8");
  const named = text.replaceAll(/\b(?:NAMESPACE|SERVICE|PODS)\b/g, (word) => values[word] ?? word);
  return readYaml(named).map(({ value }) => value);
}

/** In a ConfigMap with the label by which Grafana's chart finds dashboards. */
function dashboardConfigMap(service: ServiceReference): JsonObject {
  const { namespace, name } = service;
  const dashboard = {
    title: "Antechamber",
    schemaVersion: 39,
    editable: true,
    refresh: "1m",
    time: { from: "now-6h", to: "now" },
    tags: ["antechamber"],
    templating: {
      list: [{ name: "datasource", label: "Data source", type: "datasource", query: "prometheus" }],
    },
    panels: documentsIn("dashboard.yaml", service).flat().map(panelObject),
  };
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: `${name}-dashboard`,
      namespace,
      labels: { "app.kubernetes.io/name": name, grafana_dashboard: "1" },
    },
    data: { [`${name}.json`]: `${JSON.stringify(dashboard, undefined, 1)}\n` },
  };
}

/** Two panels in a row; Grafana's grid has 24 columns. */
function panelObject(panel: Json, index: number): Json {
  const datasource = { type: "prometheus", uid: "$datasource" };
  return {
    id: index + 1,
    type: "timeseries",
    title: textAt(panel, "title"),
    description: textAt(panel, "description"),
    datasource,
    gridPos: { h: 8, w: 12, x: (index % 2) * 12, y: Math.floor(index / 2) * 8 },
    fieldConfig: { defaults: { unit: textAt(panel, "unit"), min: 0 }, overrides: [] },
    targets: [
      { refId: "A", datasource, expr: textAt(panel, "query"), legendFormat: textAt(panel, "legend") },
    ],
  };
}
