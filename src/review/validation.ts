import type { Verdict } from "../admission/verdict.ts";
import { equal } from "../json/equal.ts";
import { get, type JsonObject } from "../json/json.ts";
import { fieldOf } from "../json/path.ts";
import { type Findings, toHub } from "../kind.ts";
import { causeOfFault, faultsByHub, fieldFinder, isLeftAlone } from "./hub-rules.ts";
import type { Write } from "./write.ts";

/**
 * What the hub's schema and the kind's rules say of a write, and what it should know of fields that go away. The rules
 * are asked about objects that the schema has nothing against.
 */
export function validate(write: Write): Verdict {
  const { kind, version, object } = write;
  const hub = toHub(kind, object, version);
  const fieldFor = fieldFinder(write, hub);
  const byHub = faultsByHub(write, hub).map((fault) => causeOfFault(fault, fieldFor));
  const isWarned = kind.definition.hubRules === "warn";
  const notices = isWarned
    ? byHub.map(({ path, field, message }) => `${field ?? fieldOf(path)}: ${message}`)
    : [];
  if (byHub.length > 0 && !isWarned) {
    return { outcome: "deny", causes: byHub, warnings: retiredFields(write) };
  }
  const { causes = [], warnings = [], audit } = byHub.length > 0 ? {} : findingsOf(write, hub);
  const all = [...retiredFields(write), ...notices, ...warnings];
  const told = causes.map((cause) => ({ ...cause, path: fieldFor(cause.path) }));
  const remarks = { warnings: all, ...(audit === undefined ? {} : { audit }) };
  return told.length > 0 ? { outcome: "deny", causes: told, ...remarks } : { outcome: "allow", ...remarks };
}

function findingsOf(write: Write, hub: JsonObject): Findings {
  const { kind, subresource, circumstances } = write;
  // No rule stands in the way of a label, a finalizer or a status.
  const judged = subresource === "" && !isLeftAlone(write, hub);
  const found = (judged && kind.definition.validate?.(hub, circumstances)) || {};
  // A promise has no causes: it would allow everything.
  if (found instanceof Promise) throw new Error(`validate of ${kind.name} gave a promise back`);
  return found;
}

/** A warning for each field without a word in the next version that this write sets or changes. */
function retiredFields({ kind, version, object, oldObject, subresource }: Write): readonly string[] {
  // The main endpoint cannot write status, and /status cannot write anything else (kubernetes.md 4.4).
  const isWritable = (root: unknown) => (root === "status") === (subresource === "status");
  return (kind.versions[version]?.retired ?? []).flatMap(({ path, instead }) => {
    const keys = path.map(String);
    const value = get(object, ...keys);
    const isNew = value !== undefined && !equal(value, get(oldObject, ...keys));
    return isNew && isWritable(path[0]) ? [`${fieldOf(path)} is retired: ${instead}`] : [];
  });
}
