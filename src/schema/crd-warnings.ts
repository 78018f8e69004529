import { quote } from "../go/text.ts";
import { get, isArray, type Json } from "../json/json.ts";
import { isFormatOf } from "./format/format.ts";
import { textIn } from "./metadata/check.ts";
import { childrenOf, type Schema } from "./model.ts";
import { asHeaders } from "./warnings.ts";

/** The warnings of an API server of v1.36 about a CRD that it creates (registry/customresourcedefinition, WarningsOnCreate). */
export function warningsOfCrd(schemas: readonly Schema[]): readonly string[] {
  const formats = schemas.flatMap(unrecognizedFormats);
  return asHeaders(formats.map((format) => `unrecognized format ${quote(format)}`));
}

function unrecognizedFormats(schema: Schema): readonly string[] {
  const { type, format, allOf, anyOf, oneOf, not } = schema;
  const own = format === "" || isFormatOf(type, format) ? [] : [format];
  const below = [...childrenOf(schema), ...allOf, ...anyOf, ...oneOf, ...(not === undefined ? [] : [not])];
  return [...own, ...below.flatMap(unrecognizedFormats)];
}

/** The warning of every request to a deprecated version; undefined for others. */
export function deprecationOf(entry: Json, spec: Json | undefined): string | undefined {
  if (get(entry, "deprecated") !== true) return undefined;
  const own = get(entry, "deprecationWarning") ?? undefined;
  if (typeof own === "string") return own;
  const [group, kind, name] = [
    textIn(spec, "group"),
    textIn(get(spec, "names"), "kind"),
    textIn(entry, "name"),
  ];
  const versions = get(spec, "versions");
  const [better] = (isArray(versions) ? versions : [])
    .filter((each) => get(each, "served") === true && get(each, "deprecated") !== true)
    .map((each) => textIn(each, "name"))
    .filter((each) => compareVersions(each, name) > 0)
    .toSorted((a, b) => compareVersions(b, a));
  const instead = better === undefined ? "" : `; use ${group}/${better} ${kind}`;
  return `${group}/${name} ${kind} is deprecated${instead}`;
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
