import type { JsonObject } from "../json/json.ts";
import type { ServiceReference } from "../manifests/reach.ts";

/** The name of the Service through which Prometheus finds the pods of a Service: a second one, for the ops port. */
function metricsServiceName({ name }: ServiceReference): string {
  return `${name}-metrics`;
}

/**
 * The matchers of the series that are scraped through that Service, and its `up`: Prometheus Operator sets the label `job` to the
 * name of the Service (prometheus-operator, `pkg/prometheus/promcfg.go`, `generateServiceMonitorConfig`).
 */
export function metricsJob(service: ServiceReference): { readonly selector: string; readonly up: string } {
  const selector = `job="${metricsServiceName(service)}",namespace="${service.namespace}"`;
  return { selector, up: `up{${selector}}` };
}

/**
 * The Service and its ServiceMonitor. The Service lists pods that are not ready, too: those are the ones to be alerted of. API
 * servers never call it.
 */
export function scrapeObjects(service: ServiceReference): readonly JsonObject[] {
  const labels = { "app.kubernetes.io/name": service.name, "app.kubernetes.io/component": "metrics" };
  const metadata = { name: metricsServiceName(service), namespace: service.namespace, labels };
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: {
        clusterIP: "None",
        publishNotReadyAddresses: true,
        selector: { "app.kubernetes.io/name": service.name },
        ports: [{ name: "ops", port: 8080, targetPort: "ops", protocol: "TCP" }],
      },
    },
    {
      apiVersion: "monitoring.coreos.com/v1",
      kind: "ServiceMonitor",
      metadata,
      spec: { selector: { matchLabels: labels }, endpoints: [{ port: "ops", path: "/metrics" }] },
    },
  ];
}
