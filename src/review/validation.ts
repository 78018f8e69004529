import type { Verdict } from "../admission/verdict.ts";
import { equal } from "../json/equal.ts";
import { get, type JsonObject } from "../json/json.ts";
import { fieldOf } from "../json/path.ts";
import { toHub } from "../kind.ts";
import type { Write } from "./write.ts";

/** What the kind's rules say of a write, and what it should know of fields that go away. */
export function validate(write: Write): Verdict {
  const { kind, version, object, subresource, circumstances } = write;
  const hub = toHub(kind, object, version);
  const judged = subresource === "" && !sameContent(hub, circumstances.oldObject);
  const found = (judged && kind.definition.validate?.(hub, circumstances)) || {};
  // A promise has no causes: it would allow everything.
  if (found instanceof Promise) throw new Error(`validate of ${kind.name} gave a promise back`);
  const { causes = [], warnings = [] } = found;
  const all = [...retiredFields(write), ...warnings];
  return causes.length > 0 ? { outcome: "deny", causes, warnings: all } : { outcome: "allow", warnings: all };
}

/** Whether a write leaves spec as it was: a label, a finalizer, a status. No rule stands in its way. */
function sameContent(object: JsonObject, oldObject: JsonObject | undefined): boolean {
  const contentOf = (whole: JsonObject) => ({ ...whole, metadata: null, status: null });
  return oldObject !== undefined && equal(contentOf(object), contentOf(oldObject));
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
