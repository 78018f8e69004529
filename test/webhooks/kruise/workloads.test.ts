import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/json/json.ts";
import { readYaml, writeYaml } from "../../../src/yaml/yaml.ts";
import { faultsOf, workloadCases, workloadFile } from "../../support/workload-cases.ts";

const cases = workloadCases();

if (process.env.RECORD === "1") record();

describe("a StatefulSet or BroadcastJob is rejected for its faults", () => {
  it.each(cases.map((each) => [`${each.kind}: ${each.name}`, each] as const))("%s", (_name, each) => {
    expect(faultsOf(each)).toEqual(each.faults);
  });

  it("annotations of a template have at most 256 KiB", () => {
    const [first] = cases;
    if (first === undefined) throw new Error("there are no cases");
    const { object } = first;
    const withBig = (size: number) => {
      const template = { metadata: { labels: { app: "web" }, annotations: { big: "x".repeat(size) } } };
      return faultsOf({ ...first, object: { ...object, spec: { ...(object.spec as object), template } } });
    };
    expect(withBig(256 * 1024 - 3)).toEqual([]);
    expect(withBig(256 * 1024 - 2)).toEqual([
      "spec.template.metadata.annotations: Too long: may not be more than 262144 bytes",
    ]);
  });
});

/** Writes the faults of cases that have none yet. */
function record(): void {
  const text = readFileSync(workloadFile, "utf8");
  const header = text.slice(0, text.indexOf("- "));
  const entries = readYaml(text)[0]?.value as readonly JsonObject[];
  const written = entries.map((entry, index) => {
    const found = cases[index];
    return entry.faults === undefined && found !== undefined ? { ...entry, faults: faultsOf(found) } : entry;
  });
  writeFileSync(workloadFile, header + writeYaml(written as Json));
}
