import { quote } from "../../go/text.ts";
import { isFormatOf } from "../format/format.ts";
import type { CrdModel, VersionModel } from "../model/crd.ts";
import { isSince, type KubernetesVersion } from "../model/kubernetes-version.ts";
import { childrenOf, type Schema } from "../model/schema.ts";
import { asHeaders } from "../model/warnings.ts";

/** The warnings of an API server about a CRD that it creates (registry/customresourcedefinition, WarningsOnCreate). */
export function warningsOfCrd(schemas: readonly Schema[], kubernetes: KubernetesVersion): readonly string[] {
  const formats = schemas
    .flatMap(unrecognizedFormats)
    .map((format) => `unrecognized format ${quote(format)}`);
  const sets = isSince(kubernetes, "1.37") ? schemas.flatMap(setsOfNoScalars).map(warningOfSet) : [];
  return asHeaders([...formats, ...new Set(sets.toSorted())]);
}

function unrecognizedFormats(schema: Schema): readonly string[] {
  const { type, format } = schema;
  const own = format === "" || isFormatOf(type, format) ? [] : [format];
  return [...own, ...allBelow(schema).flatMap(unrecognizedFormats)];
}

/** The types of the items of sets, where they are no scalars. */
function setsOfNoScalars(schema: Schema): readonly string[] {
  const type = schema.items?.type ?? "";
  const own = schema.listType === "set" && (type === "object" || type === "array") ? [type] : [];
  return [...own, ...allBelow(schema).flatMap(setsOfNoScalars)];
}

function warningOfSet(type: string): string {
  return `x-kubernetes-list-type: set for items of type ${quote(type)} is not supported by server-side apply or CEL validation rules`;
}

function allBelow(schema: Schema): readonly Schema[] {
  const { allOf, anyOf, oneOf, not } = schema;
  return [...childrenOf(schema), ...allOf, ...anyOf, ...oneOf, ...(not === undefined ? [] : [not])];
}

/** The warning of every request to a deprecated version; undefined for others. */
export function deprecationOf(version: VersionModel, { spec }: CrdModel): string | undefined {
  const { group, names, versions } = spec;
  const { name, deprecated, deprecationWarning } = version;
  if (!deprecated || deprecationWarning !== undefined) return deprecated ? deprecationWarning : undefined;
  const [better] = versions
    .filter((each) => each.served && !each.deprecated && compareVersions(each.name, name) > 0)
    .toSorted((a, b) => compareVersions(b.name, a.name));
  const instead = better === undefined ? "" : `; use ${group}/${better.name} ${names.kind}`;
  return `${group}/${name} ${names.kind} is deprecated${instead}`;
}

/** The order of two versions as Kubernetes has it: v2, v1, v1beta2, v1beta1, v1alpha1, then other names. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [rankOf(a), rankOf(b)];
  if (left === undefined || right === undefined) {
    if (left === right) return a === b ? 0 : a < b ? 1 : -1;
    return left === undefined ? -1 : 1;
  }
  const unlike = left.findIndex((each, index) => each !== right[index]);
  return unlike < 0 ? 0 : (left[unlike] ?? 0) - (right[unlike] ?? 0);
}

function rankOf(version: string): readonly number[] | undefined {
  const [, major, stage = "", minor = "0"] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  if (major === undefined) return undefined;
  return [stage === "" ? 2 : stage === "beta" ? 1 : 0, Number(major), Number(minor)];
}
