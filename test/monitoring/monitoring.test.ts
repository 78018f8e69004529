import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Phase } from "../../certs/rotation.ts";
import { get, type JsonObject } from "../../src/json/json.ts";
import { type MetricDefinition, metricDefinitions } from "../../src/monitoring/metrics.ts";
import { createMetrics, noUpstream } from "../../src/server/shared/metrics.ts";
import { readYaml } from "../../src/yaml/yaml.ts";
import { alertsOf, casesOf, dashboardOf, panelQueries } from "./monitoring.ts";

const definitions: readonly MetricDefinition[] = Object.values(metricDefinitions);
const alerts = alertsOf();

it("the runbook has a section for each alert, in their order, and no other", () => {
  const sections = [...readFileSync("docs/guides/runbook.md", "utf8").matchAll(/^## (\S+)$/gm)].map(
    ([, name]) => name,
  );
  expect(sections).toEqual(alerts.map(({ name }) => name));
  expect(alerts.map(({ runbook }) => runbook)).toEqual(
    sections.map((name) => `docs/guides/runbook.md#${name?.toLowerCase()}`),
  );
});

it("alerts and dashboard query metrics that the service has, by labels that they have", () => {
  const queries = [...alerts.map(({ query }) => query), ...panelQueries(dashboardOf())];
  expect(queries.length).toBeGreaterThan(25);
  for (const query of queries) for (const fault of faultsOf(query)) expect.soft(fault, query).toBeUndefined();
});

it("a metric or label that the service lacks is found", () => {
  expect(faultsOf('antechamber_nothing{kind="a"}')).toEqual(["antechamber_nothing is unknown"]);
  expect(faultsOf('antechamber_lister_objects{code="a"}')).toEqual([
    "antechamber_lister_objects has no code",
  ]);
});

it("every metric is on the dashboard and in the documentation", () => {
  const shown = panelQueries(dashboardOf()).join("\n");
  const page = readFileSync("docs/reference/operations.md", "utf8");
  for (const { name } of definitions) {
    expect.soft(shown).toContain(name);
    expect.soft(page).toContain(`| \`${name}\` |`);
  }
});

const sources = {
  bodyMemory: () => 0,
  certificateExpiry: () => undefined,
  certificateFault: () => false,
  rotationPhase: () => undefined,
  listers: () => [],
  crds: () => [],
  upstream: () => noUpstream,
};

it("the phase of a rotation is 1, the others are 0, and without a rotation there is none", async () => {
  let rotationPhase: Phase | undefined = "publish";
  const metrics = createMetrics({ ...sources, rotationPhase: () => rotationPhase });
  const shown = async () =>
    [...(await metrics.text()).matchAll(/^antechamber_rotation_phase\{phase="(\w+)"\} (\d)$/gm)].map(
      ([, phase, value]) => `${phase} ${value}`,
    );
  expect(await shown()).toEqual(["stable 0", "publish 1", "switch 0", "retire 0"]);
  rotationPhase = "stable";
  expect(await shown()).toEqual(["stable 1", "publish 0", "switch 0", "retire 0"]);
  rotationPhase = undefined;
  expect(await shown()).toEqual([]);
});

it("the service exposes these metrics and, of its own, no others", async () => {
  const metrics = createMetrics(sources);
  const exposed = [...(await metrics.text()).matchAll(/^# HELP (antechamber_\S+)/gm)].map(([, name]) => name);
  expect(exposed.toSorted()).toEqual(definitions.map(({ name }) => name).toSorted());
});

it("each alert has a case in which it fires", () => {
  const fired = new Set(casesOf().flatMap(({ fires }) => fires));
  expect([...fired].toSorted()).toEqual(alerts.map(({ name }) => name).toSorted());
});

it("panels do not overlap", () => {
  const places = (dashboardOf().panels as readonly JsonObject[]).map(
    (panel) => `${get(panel, "gridPos", "x")},${get(panel, "gridPos", "y")}`,
  );
  expect(new Set(places).size).toBe(places.length);
});

/** The metrics of a query that do not exist, and the labels that a metric's matchers name and it does not have. */
function faultsOf(query: string): readonly string[] {
  return [...query.matchAll(/(antechamber_[a-z_]+)(?:\{([^}]*)\})?/g)].flatMap(
    ([, series = "", matchers = ""]) => {
      const found = definitions.find(({ name }) => name === series.replace(/_bucket$/, ""));
      if (found === undefined) return [`${series} is unknown`];
      const labels = [...matchers.matchAll(/(\w+)(?:=~|=)"/g)].map(([, label = ""]) => label);
      const known = ["job", "namespace", ...found.labelNames];
      return labels.filter((label) => !known.includes(label)).map((label) => `${series} has no ${label}`);
    },
  );
}

it("the files are those that the YAML reader takes as one document each, or a Service and its monitor", () => {
  const kinds = ["alerts", "dashboard", "scrape"].map((file) =>
    readYaml(readFileSync(`manifests/monitoring/${file}.yaml`, "utf8")).map(({ value }) =>
      get(value, "kind"),
    ),
  );
  expect(kinds).toEqual([["PrometheusRule"], ["ConfigMap"], ["Service", "ServiceMonitor"]]);
});
