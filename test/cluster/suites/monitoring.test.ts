import { spawnSync } from "node:child_process";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { get, set } from "../../../src/json/json.ts";
import { compileCrd } from "../../../src/schema/index.ts";
import { writeYaml } from "../../../src/yaml/yaml.ts";
import { alertsOf, casesOf, dashboardOf, documentsIn, panelQueries } from "../../monitoring/monitoring.ts";
import { publishedLeftOut, requirePublished } from "../published.ts";
import { promql, requireTool, toolLeftOut } from "../tools.ts";

const program = requireTool(promql);
const crds = requirePublished();
const files = ["alerts", "dashboard", "scrape"].map((name) => `manifests/monitoring/${name}.yaml`);

if (program === undefined) it(toolLeftOut(promql), () => {});
else describe("Prometheus' own parser and engine", () => judged(program));

function judged(command: string): void {
  const alerts = alertsOf();
  const cases = casesOf();
  const [rule] = documentsIn("manifests/monitoring/alerts.yaml");
  let answer: { readonly faults: readonly string[]; readonly results: readonly (readonly object[])[] };

  beforeAll(() => {
    answer = asked({
      rules: writeYaml({ groups: get(rule ?? {}, "spec", "groups") ?? [] }),
      queries: panelQueries(dashboardOf()),
      cases: cases.flatMap(({ series }) =>
        alerts.map(({ query }) => ({ series: `load 1m\n${indented(series)}`, query, at: 20 * 60 })),
      ),
    });
  }, 60_000);

  it("accept every rule, with its templates, and every query of the dashboard", () => {
    expect(answer.faults).toEqual([]);
  });

  it("reject what is wrong", () => {
    const { faults } = asked({
      rules: "groups: [{name: a, rules: [{alert: B, expr: sum(}]}]",
      queries: ["rate(a)"],
      cases: [],
    });
    expect(faults).toHaveLength(2);
  });

  it.each(cases.map(({ name, fires }, index) => ({ name, fires, index })))(
    "$name: fires $fires",
    ({ fires, index }) => {
      const results = answer.results.slice(index * alerts.length, (index + 1) * alerts.length);
      expect(alerts.filter((_, at) => results[at]?.length !== 0).map(({ name }) => name)).toEqual(fires);
    },
  );

  function asked(question: object): typeof answer {
    const ran = spawnSync(command, [], { input: JSON.stringify(question), encoding: "utf8" });
    expect(ran).toMatchObject({ status: 0, stderr: "" });
    return JSON.parse(ran.stdout);
  }
}

function indented(series: string): string {
  return series.replaceAll(/^(?=.)/gm, "  ");
}

if (crds === undefined) it(publishedLeftOut, () => {});
else
  it.each([
    ["PrometheusRule", "prometheusrules"],
    ["ServiceMonitor", "servicemonitors"],
  ])("the schema of Prometheus Operator accepts the %s, without unknown fields", (kind, plural) => {
    const [definition] = documentsIn(path.join(crds, `${plural}.yaml`));
    const compiled = compileCrd(definition ?? {});
    if (!("crd" in compiled)) throw new Error(JSON.stringify(compiled.causes));
    const object = files.flatMap(documentsIn).find((each) => each.kind === kind);
    const version = compiled.crd.versions.find(({ name }) => name === "v1");
    // Unknown fields are warnings.
    expect(version?.validate(object ?? {})).toEqual({ causes: [], warnings: [] });
    const wrong = set(object ?? {}, "spec", { groups: 1, endpoints: 1, else: 1 });
    expect(version?.validate(wrong).causes).not.toEqual([]);
  });
