import { byteLength, unprintableAt } from "../../go/text.ts";
import type { Column, Scale, VersionModel } from "../model/crd.ts";
import { duplicate, invalid, panics, required, type SchemaFault, tooMany } from "../model/fault.ts";
import { followPath } from "../model/field-path.ts";
import type { Schema } from "../model/schema.ts";

/** What is wrong with the scale subresource of a version. */
export function faultsOfScale(scale: Scale | undefined, at: string): readonly SchemaFault[] {
  if (scale === undefined) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = "" } = scale;
  return [
    ...faultsOfPath(specReplicasPath, [".spec."], "under .spec", `${at}.specReplicasPath`),
    ...faultsOfPath(statusReplicasPath, [".status."], "under .status", `${at}.statusReplicasPath`),
    ...(labelSelectorPath === ""
      ? []
      : faultsOfPath(
          labelSelectorPath,
          [".spec.", ".status."],
          "under either .spec or .status",
          `${at}.labelSelectorPath`,
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
export function faultsOfColumns(columns: readonly Column[], at: string): readonly SchemaFault[] {
  return columns.flatMap((column, index) => faultsOfColumn(column, `${at}[${index}]`));
}

function faultsOfColumn({ name, type, format, jsonPath: path }: Column, at: string): readonly SchemaFault[] {
  const faults: SchemaFault[] = [];
  if (name === "") faults.push(required(`${at}.name`));
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
  version: VersionModel,
  schema: Schema | undefined,
  at: string,
): readonly SchemaFault[] {
  const fields = version.selectableFields;
  if (fields.length === 0) return [];
  if (schema === undefined)
    return version.schema === undefined
      ? [invalid(at, "", "may only be set when validations.schema is included")]
      : [panics(at, "selectableFields need a schema.openAPIV3Schema")];
  const faults: SchemaFault[] = [];
  const found = new Set<string>();
  for (const [index, { jsonPath: path }] of fields.entries()) {
    const here = `${at}[${index}].jsonPath`;
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
export function faultsOfDeprecation(
  { deprecated, deprecationWarning: warning }: VersionModel,
  at: string,
): readonly SchemaFault[] {
  if (warning === undefined) return [];
  const here = `${at}.deprecationWarning`;
  if (!deprecated) return [invalid(here, warning, "can only be set for deprecated versions")];
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
