import { apiVersionOf, kindName } from "../apimachinery/resource.ts";
import { carrierField } from "../conversion/carriers.ts";
import { below, resourceShapeOf } from "../conversion/shape.ts";
import { versionChainOf } from "../conversion/version-chain.ts";
import { UsageError } from "../errors.ts";
import { get, isArray, isObject, type Json, type JsonObject, listAt, textAt } from "../json/json.ts";
import type { Kind, Kinds, Version } from "../kind/kind.ts";
import { defaultedBy } from "../kind/prepare-version.ts";
import { compileDefinition } from "../schema/crd/define.ts";
import { compareVersions } from "../schema/index.ts";
import type { Upstream } from "./upstream.ts";
import { UpstreamConverter } from "./upstream-converter.ts";

/** How kinds are guarded. */
export interface GuardedOptions {
  readonly upstream: Upstream;
  /** The version that is the hub; the newest one without it. */
  readonly hub?: string;
  readonly carried: readonly string[];
  readonly refused: "schema" | "fail";
  readonly sameFields: boolean;
  /** What happens to writes that the hub's schema forbids, where their webhook is registered. */
  readonly hubRules?: "deny" | "warn";
}

/** Whether a CRD has versions to convert between. */
export function hasSeveralVersions(crd: JsonObject): boolean {
  return listAt(crd, "spec", "versions").filter((entry) => isUsed(crd, entry)).length > 1;
}

/** The converter of a guarded kind; undefined for another one. */
export function converterOf(kind: Kind | undefined): UpstreamConverter | undefined {
  const converter = kind?.chain.converter;
  return converter instanceof UpstreamConverter ? converter : undefined;
}

/** The kind that an AdmissionReview is about, if it is one of these. */
export function kindWritten(review: Json, kinds: Kinds): Kind | undefined {
  return kinds.find(textAt(review, "request", "kind", "group"), textAt(review, "request", "kind", "kind"));
}

/** The kind of a CRD with several versions, from the file `source`. Throws UsageError if an API server would reject the CRD. */
export function guardedKindOf(crd: JsonObject, source: string, options: GuardedOptions): Kind {
  const compiled = compileDefinition(crd);
  if ("faults" in compiled) {
    const sentences = compiled.faults.map(({ field, message }) => `\n  ${field}: ${message}`);
    throw new UsageError(`${source}: an API server would reject this CRD:${sentences.join("")}`);
  }
  const { definition } = compiled;
  const { group, kind, plural, scope } = definition;
  const all = listAt(crd, "spec", "versions").flatMap((entry, at): readonly Version[] => {
    const compiledVersion = definition.versions[at];
    if (!isObject(entry) || !isUsed(crd, entry) || compiledVersion === undefined) return [];
    const { name, schema, served } = compiledVersion;
    const shape = resourceShapeOf(schema.model);
    return [
      {
        name,
        apiVersion: apiVersionOf(group, name),
        entry,
        served,
        shape,
        schema,
        defaulted: defaultedBy(schema),
        carriesStatus: below(shape.properties.get("status"), carrierField) !== undefined,
        retired: [],
      },
    ];
  });
  const versions = withHubLast(all, options.hub, source);
  const hub = versions.at(-1);
  if (hub === undefined) throw new UsageError(`${source}: the CRD has no version`);
  const name = kindName(group, kind);
  const { carried, refused, sameFields, upstream, hubRules = "deny" } = options;
  const { apiVersion: storage } = versions.find(({ entry }) => entry.storage === true) ?? hub;
  const converter = new UpstreamConverter({
    kind,
    versions,
    storage,
    stored: listAt(crd, "status", "storedVersions").map((each) => apiVersionOf(group, String(each))),
    upstream,
    carried,
    refused,
    sameFields,
  });
  return {
    definition: {
      group,
      kind,
      plural,
      scope,
      hubRules,
      versions: versions.map((each) => ({ name: each.name })),
    },
    folder: source,
    name,
    versions,
    hub,
    chain: versionChainOf(versions, [], converter),
    examples: [],
  };
}

/** Oldest first, but the hub last; the newest one that is shown to anyone. */
function withHubLast(all: readonly Version[], hub: string | undefined, source: string): readonly Version[] {
  const sorted = all.toSorted((a, b) => compareVersions(a.name, b.name));
  if (hub === undefined)
    return sorted.toSorted((a, b) => Number(isShown(a.entry)) - Number(isShown(b.entry)));
  const chosen = sorted.filter(({ name }) => name === hub);
  if (chosen.length === 0)
    throw new UsageError(
      `--hub ${hub}: ${source} has no such version; it has ${sorted.map(({ name }) => name).join(", ")}`,
    );
  return [...sorted.filter(({ name }) => name !== hub), ...chosen];
}

/**
 * Whether objects may come in a version: clients see it, or some may still be stored in it. A CRD from a file does not say where
 * objects are stored.
 */
function isUsed(crd: JsonObject, entry: Json): boolean {
  const stored = get(crd, "status", "storedVersions");
  return isShown(entry) || !isArray(stored) || stored.includes(get(entry, "name") ?? null);
}

function isShown(entry: Json): boolean {
  return get(entry, "served") === true || get(entry, "storage") === true;
}
