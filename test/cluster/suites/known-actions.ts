import { readFileSync } from "node:fs";
import { get } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import type { Finding } from "./trial.ts";

/** A known fault of the engine, as it looks in the tables of client actions. */
export interface KnownAction {
  readonly finding: string;
  readonly why: string;
  /** The column. */
  readonly object: RegExp;
  readonly action: RegExp;
  /** What was lost, refused or written: every line of a cell must match. */
  readonly says: RegExp;
}

/** Those documents of the list of known faults that are about actions. */
export const knownActions: readonly KnownAction[] = readYaml(
  readFileSync("test/soak/known.yaml", "utf8"),
).flatMap(({ value }) => {
  const text = (...path: readonly string[]) => String(get(value, ...path) ?? "");
  if (get(value, "action") === undefined) return [];
  const [object, action, says] = ["object", "name", "says"].map((name) => new RegExp(text("action", name)));
  return [
    {
      finding: text("finding"),
      why: text("why"),
      object: object as RegExp,
      action: action as RegExp,
      says: says as RegExp,
    },
  ];
});

/** The known fault that a cell shows, if it shows one and nothing else. */
export function knownInCell(object: string, action: string, finding: Finding): KnownAction | undefined {
  const said = [...finding.lost, ...finding.refused, ...finding.churns];
  if (said.length === 0) return undefined;
  return knownActions.find(
    (each) =>
      each.object.test(object) && each.action.test(action) && said.every((line) => each.says.test(line)),
  );
}
