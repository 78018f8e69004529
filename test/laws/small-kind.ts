import { asDefined, type Lens } from "../../src/conversion/lens.ts";
import { resourceShapeOf } from "../../src/conversion/shape.ts";
import { versionChainOf } from "../../src/conversion/version-chain.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { defineKind, type Kind, type Version, version } from "../../src/kind/kind.ts";
import { compileVersion } from "../../src/schema/crd/compile.ts";

/** A version of a kind that has no files: its schemas of spec and status, and its lens unless it is the newest. */
export interface SmallVersion {
  readonly name: string;
  readonly spec: JsonObject;
  readonly status?: JsonObject;
  /** The fields beside spec and status. */
  readonly root?: JsonObject;
  /** The fields that status requires. */
  readonly required?: readonly string[];
  readonly lens?: Lens;
}

/** A kind made in memory, to break. Oldest version first. */
export function smallKind(...small: readonly SmallVersion[]): Kind {
  const definition = defineKind({
    group: "small.example.org",
    kind: "Small",
    plural: "smalls",
    scope: "Namespaced",
    versions: small.map(({ name, lens }) => version(name, lens && asDefined(lens))),
  });
  const versions = small.map((each, index) => versionOf(each, index === small.length - 1));
  const hub = versions.at(-1);
  if (hub === undefined) throw new Error("a kind has at least one version");
  return {
    definition,
    folder: "",
    name: "Small.small.example.org",
    versions,
    hub,
    chain: versionChainOf(versions),
    examples: [],
  };
}

function versionOf(
  { name, spec, status = {}, root = {}, required = [], lens }: SmallVersion,
  storage: boolean,
): Version {
  const field = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const openAPIV3Schema = {
    type: "object",
    properties: {
      ...root,
      spec: { type: "object", properties: spec },
      status: {
        type: "object",
        ...(required.length === 0 ? {} : { required }),
        properties: { ...status, conversionData: field },
      },
    },
  };
  const entry = { name, served: true, storage, subresources: { status: {} }, schema: { openAPIV3Schema } };
  const compiled = compileVersion(entry);
  if ("faults" in compiled) throw new Error(`${name}: ${compiled.faults[0]?.message}`);
  return {
    name,
    apiVersion: `small.example.org/${name}`,
    entry,
    served: true,
    schema: compiled.schema,
    shape: resourceShapeOf(compiled.schema.model),
    defaulted: compiled.schema.defaulted,
    carriesStatus: true,
    ...(lens === undefined ? {} : { lens }),
    retired: [],
  };
}
