import type { Verdict } from "../admission/verdict.ts";
import { equal } from "../json/equal.ts";
import { get, type JsonObject } from "../json/json.ts";
import { fieldOf } from "../json/path.ts";
import { type Findings, toHub } from "../kind/kind.ts";
import { causeFor, causeOfFault, faultsByHub, fieldFinder, isLeftAlone } from "./hub-rules.ts";
import type { Write } from "./write.ts";

/**
 * Validates a write by the hub's schema and, if that finds no fault, by the kind's `validate`; warns of fields that the next
 * version dropped.
 */
export function validate(write: Write): Verdict {
  const { kind, version, object } = write;
  const hub = toHub(kind, object, version);
  const fieldFor = fieldFinder(write, hub);
  const byHub = faultsByHub(write, hub).map((fault) => causeOfFault(fault, write, fieldFor));
  const isWarned = kind.definition.hubRules === "warn";
  const notices = isWarned
    ? byHub.map(({ path, field, message }) => `${field ?? fieldOf(path)}: ${message}`)
    : [];
  if (byHub.length > 0 && !isWarned) {
    return { outcome: "deny", causes: byHub, warnings: retiredFields(write) };
  }
  const { causes = [], warnings = [], audit } = byHub.length > 0 ? {} : findingsOf(write, hub);
  const all = [...retiredFields(write), ...notices, ...warnings];
  const located = causes.map((cause) => causeFor(cause, write, fieldFor));
  const remarks = { warnings: all, ...(audit === undefined ? {} : { audit }) };
  return located.length > 0
    ? { outcome: "deny", causes: located, ...remarks }
    : { outcome: "allow", ...remarks };
}

function findingsOf(write: Write, hub: JsonObject): Findings {
  const { kind, subresource, circumstances } = write;
  // A kind's rules must not prevent a change of labels, finalizers or status.
  const isChecked = subresource === "" && !isLeftAlone(write, hub);
  const found = (isChecked && kind.definition.validate?.(hub, circumstances)) || {};
  // A promise has no property `causes`, so it would allow everything.
  if (found instanceof Promise) throw new Error(`validate of ${kind.name} returned a promise`);
  return found;
}

/** A warning for each retired field, which the next version does not have, that this write sets or changes. */
function retiredFields({ kind, version, object, oldObject, subresource }: Write): readonly string[] {
  // The main endpoint cannot write status, and /status cannot write anything else.
  const isWritable = (root: unknown) => (root === "status") === (subresource === "status");
  return (kind.versions[version]?.retired ?? []).flatMap(({ path, instead }) => {
    const keys = path.map(String);
    const value = get(object, ...keys);
    const isNew = value !== undefined && !equal(value, get(oldObject, ...keys));
    return isNew && isWritable(path[0]) ? [`${fieldOf(path)} is retired: ${instead}`] : [];
  });
}
