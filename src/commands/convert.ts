import { convert as convertObject } from "../conversion/convert.ts";
import type { JsonObject } from "../json/json.ts";
import { type Kinds, versionIndex } from "../kind.ts";
import { loadKinds } from "../kinds.ts";
import { apiVersionOf, groupVersionOf } from "../resource.ts";
import { RefusedError, UsageError } from "./errors.ts";
import { explanation } from "./explain.ts";
import { type InputIo, readInput } from "./input.ts";
import { formatObjects } from "./output.ts";

/** What `antechamber convert` is told on its command line. */
export interface ConvertOptions {
  readonly file: readonly string[];
  /** A version's name, `v1`, or a whole apiVersion. */
  readonly to: string;
  readonly output: "yaml" | "json";
  readonly webhooks: readonly string[];
  /** Whether to say what travels along for the other versions, and why. */
  readonly explain: boolean;
}

/** What `antechamber convert` needs of the process. */
export interface ConvertIo extends InputIo {
  readonly note: (line: string) => void;
}

/** Converts the objects in files, with no server; gives back the text to print. */
export async function convert(options: ConvertOptions, io: ConvertIo): Promise<string> {
  const kinds = await loadKinds(options.webhooks);
  const inputs = await readInput(options.file, io);
  if (inputs.length === 0)
    throw new UsageError(
      `${options.file.join(", ")}: no object to convert; folders are read for *.yaml, *.yml and *.json`,
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
      `${source}: ${name} of ${apiVersion} is no kind known here; there are ${known}: give other folders by --webhooks`,
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
    throw new RefusedError(`${source}: ${kind.name} cannot be converted: ${String(error)}`, { cause: error });
  }
}
