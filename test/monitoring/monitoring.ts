import { readFileSync } from "node:fs";
import { get, type JsonObject, listAt, textAt } from "../../src/json/json.ts";
import { readYaml } from "../../src/yaml/yaml.ts";

/** A case of alerts.yaml. */
export interface AlertCase {
  readonly name: string;
  readonly series: string;
  readonly fires: readonly string[];
}

/** The cases, with the labels of a pod. */
export function casesOf(): readonly AlertCase[] {
  const pod = 'job="antechamber-metrics",namespace="antechamber-system",pod="one"';
  const cases = documentsIn("test/monitoring/alerts.yaml")[0] as unknown as readonly AlertCase[];
  return cases.map(({ name, series, fires }) => ({ name, fires, series: series.replaceAll("POD", pod) }));
}

/** An alert of the rules that are checked in. */
interface Alert {
  readonly name: string;
  readonly query: string;
  readonly runbook: string;
}

/** The alerts, in their order. */
export function alertsOf(): readonly Alert[] {
  const rules = documentsIn("manifests/monitoring/alerts.yaml").flatMap((object) =>
    listAt(object, "spec", "groups").flatMap((group) => listAt(group, "rules")),
  );
  return rules.map((rule) => ({
    name: textAt(rule, "alert"),
    query: textAt(rule, "expr"),
    runbook: textAt(rule, "annotations", "runbook"),
  }));
}

/** The objects in a YAML file. */
export function documentsIn(file: string): readonly JsonObject[] {
  return readYaml(readFileSync(file, "utf8")).map(({ value }) => value as JsonObject);
}

/** The dashboard that is checked in. */
export function dashboardOf(): JsonObject {
  const [configMap] = documentsIn("manifests/monitoring/dashboard.yaml");
  return JSON.parse(String(get(configMap ?? {}, "data", "antechamber.json")));
}

/** The queries of a dashboard; Grafana replaces its variable by a duration. */
export function panelQueries({ panels }: JsonObject): readonly string[] {
  return (panels as readonly JsonObject[]).flatMap(({ targets }) =>
    (targets as readonly JsonObject[]).map(({ expr }) => String(expr).replaceAll("$__rate_interval", "5m")),
  );
}
