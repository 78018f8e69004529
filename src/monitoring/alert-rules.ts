import type { JsonObject } from "../json/json.ts";
import type { ServiceReference } from "../manifests/reach.ts";
import { type Alert, alertsOf } from "./alerts.ts";

/** The alerts on a service, as a PrometheusRule. */
export function alertRules(service: ServiceReference): JsonObject {
  const { namespace, name } = service;
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name, namespace, labels: { "app.kubernetes.io/name": name } },
    spec: { groups: [{ name, rules: alertsOf(service).map(ruleOf) }] },
  };
}

function ruleOf({ name, query, for: pending, severity, summary, action }: Alert): JsonObject {
  return {
    alert: name,
    expr: query,
    for: pending,
    labels: { severity },
    annotations: {
      summary,
      description: action,
      runbook: `docs/guides/runbook.md#${name.toLowerCase()}`,
    },
  };
}
