import { get, type Json } from "../../json/json.ts";
import type { Revision } from "./revision.ts";
import { shortened } from "./words.ts";

/**
 * Why an API server refuses a CRD as an update of an old one that is in use
 * (apiextensions-apiserver, pkg/apis/apiextensions/validation, ValidateCustomResourceDefinitionUpdate).
 */
export function refusalsOfCrd(old: Revision, after: Revision): readonly string[] {
  return [...immutable.flatMap((path) => changed(path, old, after)), ...missingStored(old, after)];
}

/** What an established CRD may not change. */
const immutable = [
  ["spec", "group"],
  ["spec", "scope"],
  ["spec", "names", "kind"],
  ["spec", "names", "plural"],
] as const;

function changed(path: readonly string[], old: Revision, after: Revision): readonly string[] {
  const [before, now] = [get(old.json, ...path), get(after.json, ...path)];
  if (before === now) return [];
  return [`${path.join(".")}: Invalid value: ${shortened(now as Json | undefined)}: field is immutable`];
}

/** Versions in which objects may be stored must remain in the CRD. */
function missingStored({ versions, storedVersions }: Revision, after: Revision): readonly string[] {
  const stored = storedVersions ?? versions.filter((each) => each.stored).map(({ name }) => name);
  const names = new Set(after.versions.map(({ name }) => name));
  return stored.flatMap((name, index) =>
    names.has(name)
      ? []
      : [
          `status.storedVersions[${index}]: Invalid value: ${JSON.stringify(name)}: missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
        ],
  );
}
