import { byteLength, unprintableAt } from "../../go/text.ts";
import { get, isArray, isObject, type Json, own } from "../../json/json.ts";
import { duplicate, invalid, panics, required, type SchemaFault, tooMany } from "../fault.ts";
import { followPath } from "../field-path.ts";
import { textIn } from "../metadata/check.ts";
import type { Schema } from "../model.ts";

/** What is wrong with the `subresources` of a version. */
export function faultsOfSubresources(json: Json | undefined, at: string): readonly SchemaFault[] {
  const scale = own(json, "scale");
  if (!isObject(scale)) return [];
  const here = `${at}.scale`;
  const selector = textIn(scale, "labelSelectorPath");
  return [
    ...faultsOfPath(textIn(scale, "specReplicasPath"), [".spec."], "under .spec", `${here}.specReplicasPath`),
    ...faultsOfPath(
      textIn(scale, "statusReplicasPath"),
      [".status."],
      "under .status",
      `${here}.statusReplicasPath`,
    ),
    ...(selector === ""
      ? []
      : faultsOfPath(
          selector,
          [".spec.", ".status."],
          "under either .spec or .status",
          `${here}.labelSelectorPath`,
        )),
  ];
}

function faultsOfPath(
  path: string,
  below: readonly string[],
  where: string,
  at: string,
): readonly SchemaFault[] {
  if (path === "") return [required(at)];
  if (!path.startsWith(".")) return [invalid(at, path, "must be a simple json path starting with .")];
  return below.some((start) => path.startsWith(start))
    ? []
    : [invalid(at, path, `should be a json path ${where}`)];
}

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/** What is wrong with the printer columns of a version. */
export function faultsOfColumns(columns: Json | undefined, at: string): readonly SchemaFault[] {
  return (isArray(columns) ? columns : []).flatMap((column, index) =>
    faultsOfColumn(column, `${at}[${index}]`),
  );
}

function faultsOfColumn(column: Json, at: string): readonly SchemaFault[] {
  const [type, format, path] = [textIn(column, "type"), textIn(column, "format"), textIn(column, "jsonPath")];
  const faults: SchemaFault[] = [];
  if (textIn(column, "name") === "") faults.push(required(`${at}.name`));
  const known = `must be one of ${columnTypes.join(",")}`;
  if (type === "") faults.push(required(`${at}.type`, known));
  else if (!columnTypes.includes(type)) faults.push(invalid(`${at}.type`, type, known));
  if (format !== "" && !columnFormats.includes(format)) {
    faults.push(invalid(`${at}.format`, format, `must be one of ${columnFormats.join(",")}`));
  }
  if (path === "") faults.push(required(`${at}.JSONPath`));
  else if (!path.startsWith(".")) {
    faults.push(invalid(`${at}.JSONPath`, path, "must be a simple json path starting with ."));
  }
  return faults;
}

const mostFields = 8;

/** What is wrong with the fields by which objects of a version can be selected. */
export function faultsOfSelectableFields(
  fields: readonly Json[],
  schema: Schema,
  at: string,
): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  const found = new Set<string>();
  for (const [index, field] of fields.entries()) {
    const here = `${at}[${index}].jsonPath`;
    const path = textIn(field, "jsonPath");
    if (path === "") {
      faults.push(required(here));
      continue;
    }
    const target = followPath(path, schema, "dots only");
    if ("fault" in target) {
      faults.push(
        target.panics
          ? panics(here, target.fault)
          : invalid(here, path, `is an invalid path: ${target.fault}`),
      );
      continue;
    }
    if (target.steps[0] === "metadata")
      faults.push(invalid(here, path, "must not point to fields in metadata"));
    if (!["string", "boolean", "integer"].includes(target.schema?.type ?? "")) {
      const why =
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
      faults.push(invalid(here, path, why));
    }
    if (found.has(target.text)) faults.push(duplicate(here, path));
    found.add(target.text);
  }
  return found.size > mostFields ? [...faults, tooMany(at, found.size, mostFields)] : faults;
}

/** What is wrong with the deprecation warning of a version. */
export function faultsOfDeprecation(entry: Json, at: string): readonly SchemaFault[] {
  const warning = get(entry, "deprecationWarning") ?? undefined;
  if (typeof warning !== "string") return [];
  const here = `${at}.deprecationWarning`;
  if (get(entry, "deprecated") !== true)
    return [invalid(here, warning, "can only be set for deprecated versions")];
  const faults: string[] = [];
  if (byteLength(warning) > 256) faults.push("must be <= 256 characters long");
  if (warning === "") faults.push("must not be an empty string");
  const odd = unprintableAt(warning);
  if (odd >= 0) {
    const index = byteLength(warning.slice(0, odd));
    const why = `non-printable character found at index ${index}`;
    faults.push(`must only contain printable UTF-8 characters; ${why}`);
  }
  return faults.map((why) => invalid(here, warning, why));
}
