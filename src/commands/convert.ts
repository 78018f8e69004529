import { apiVersionOf, groupVersionOf } from "../apimachinery/resource.ts";
import { convert as convertObject } from "../conversion/convert.ts";
import type { JsonObject } from "../json/json.ts";
import { type Kinds, versionIndex } from "../kind/kind.ts";
import { loadKinds } from "../kind/load-kinds.ts";
import { RejectedError, UsageError } from "./errors.ts";
import { explanation } from "./explain.ts";
import { type InputIo, readInput } from "./input.ts";
import { formatObjects } from "./output.ts";

/** The options of `antechamber convert`. */
export interface ConvertOptions {
  readonly file: readonly string[];
  /** A version's name, `v1`, or a whole apiVersion. */
  readonly to: string;
  readonly output: "yaml" | "json";
  readonly webhooks: readonly string[];
  /** Whether to print which values are carried for other versions, and why. */
  readonly explain: boolean;
}

/** The input and output of `antechamber convert`. */
export interface ConvertIo extends InputIo {
  readonly note: (line: string) => void;
}

/** Converts the objects in files, without a server, and returns the text to print. */
export async function convert(options: ConvertOptions, io: ConvertIo): Promise<string> {
  const kinds = await loadKinds(options.webhooks);
  const inputs = await readInput(options.file, io);
  if (inputs.length === 0)
    throw new UsageError(
      `${options.file.join(", ")}: no object found; of folders, *.yaml, *.yml and *.json files are read`,
    );
  const converted = inputs.map(({ source, value }) => convertInput(source, value, options.to, kinds));
  if (options.explain) for (const line of converted.flatMap(({ explained }) => explained)) io.note(line);
  return formatObjects(
    converted.map(({ object }) => object),
    options.output,
  );
}

interface Converted {
  readonly object: JsonObject;
  readonly explained: readonly string[];
}

function convertInput(source: string, object: JsonObject, to: string, kinds: Kinds): Converted {
  const { apiVersion, kind: name } = object;
  if (typeof apiVersion !== "string" || typeof name !== "string") {
    throw new UsageError(`${source}: the object has no apiVersion and kind`);
  }
  const { group } = groupVersionOf(apiVersion);
  const kind = kinds.find(group, name);
  if (kind === undefined) {
    const known = kinds.all.map((each) => each.name).join(", ");
    throw new UsageError(
      `${source}: unknown kind ${name} of ${apiVersion}; known kinds are ${known}; pass other folders with --webhooks`,
    );
  }
  const versions = kind.versions.map((each) => each.name).join(", ");
  const from = versionIndex(kind, apiVersion);
  if (from === undefined)
    throw new UsageError(`${source}: ${kind.name} has no version ${apiVersion}; it has ${versions}`);
  const target = versionIndex(kind, to.includes("/") ? to : apiVersionOf(group, to));
  if (target === undefined)
    throw new UsageError(`${source}: ${kind.name} has no version ${to}; it has ${versions}`);
  try {
    const converted = convertObject(object, kind.chain, from, target);
    return { object: converted, explained: explanation(source, converted, kind, from, target) };
  } catch (error) {
    throw new RejectedError(`${source}: ${kind.name} cannot be converted: ${String(error)}`, {
      cause: error,
    });
  }
}
