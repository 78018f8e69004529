import { apiVersionOf, groupVersionOf } from "../../apimachinery/resource.ts";
import { detach } from "../../conversion/carriers.ts";
import { RejectedError, UsageError } from "../../errors.ts";
import type { JsonObject } from "../../json/json.ts";
import { type Kind, type Kinds, versionIndex } from "../../kind/kind.ts";
import { loadKinds } from "../../kind/load-kinds.ts";
import { type InputIo, type InputText, type PlacedObject, readTexts } from "../../offline/input.ts";
import type { Gauge } from "../console.ts";
import { formatObjects } from "../output.ts";
import { unknowns, whyWithoutKind } from "../unknown.ts";
import type { UpstreamOptions } from "../upstream-options.ts";
import { explanation } from "./explain.ts";
import { byLens, type FileConverter, type Job } from "./file-converter.ts";
import { replaceFiles } from "./in-place.ts";

/** The options of `antechamber convert`. */
interface ConvertOptions extends UpstreamOptions {
  readonly file: readonly string[];
  /** A version's name, `v1`, or a whole apiVersion. */
  readonly to: string;
  readonly output: "yaml" | "json";
  readonly webhooks: readonly string[];
  /** Whether to print which values are carried for other versions, and why. */
  readonly explain: boolean;
  /** Whether the files are changed instead of printing the objects. */
  readonly inPlace?: boolean;
  /** Whether the annotation and status field that carry values for other versions are left out. */
  readonly clean?: boolean;
  /** Whether documents of unknown kinds are skipped; changed files keep them. */
  readonly skipUnknown?: boolean;
}

/** The input and output of `antechamber convert`. */
interface ConvertIo extends InputIo, Gauge {}

/**
 * Converts the objects in files, without a server or by the webhook of an upstream, and returns the text to print; it is empty if
 * the files were changed. All objects are converted before the first file is written.
 */
export async function convert(options: ConvertOptions, io: ConvertIo): Promise<string> {
  const converter = await converterOf(options, io);
  try {
    return await convertBy(converter, options, io);
  } finally {
    converter.close?.();
  }
}

async function converterOf(options: ConvertOptions, io: ConvertIo): Promise<FileConverter> {
  if (options.upstream === undefined && options.crd === undefined)
    return {
      kinds: await loadKinds(options.webhooks),
      others: "pass other folders with --webhooks",
      convert: byLens,
    };
  const { upstreamConverter } = await import("./upstream.ts");
  return upstreamConverter(options, io);
}

async function convertBy(
  { kinds, others, convert: convertAll }: FileConverter,
  options: ConvertOptions,
  io: ConvertIo,
): Promise<string> {
  const { reading, known } = unknowns(options.skipUnknown === true, io.note);
  const texts = await readTexts(options.file, io, reading);
  const inputs = texts.flatMap(({ objects }) => objects);
  if (inputs.length === 0)
    throw new UsageError(
      `${options.file.join(", ")}: no object found; of folders, *.yaml, *.yml and *.json files are read`,
    );
  const jobs = known(inputs, (input) => whyUnknown(input, kinds, others)).map((input) =>
    jobOf(input, options.to, kinds),
  );
  const outcomes = await convertAll(jobs);
  rejectFailed(jobs, outcomes);
  const converted = jobs.flatMap((job, at) => {
    const outcome = outcomes[at];
    return outcome === undefined || outcome instanceof Error ? [] : [convertedOf(job, outcome, options)];
  });
  for (const line of converted.flatMap(({ explained }) => explained)) io.note(line);
  if (options.inPlace === true) {
    await changeFiles(texts, converted, io);
    return "";
  }
  return formatObjects(
    converted.map(({ object }) => object),
    options.output,
  );
}

/** Throws RejectedError if an object cannot be converted, with a line for each of the first ones. */
function rejectFailed(jobs: readonly Job[], outcomes: readonly (JsonObject | Error)[]): void {
  const failed = jobs.flatMap(({ input, kind }, at) => {
    const error = outcomes[at];
    return error instanceof Error
      ? [`${input.source}: ${kind.name} cannot be converted: ${error.message}`]
      : [];
  });
  if (failed.length === 0) return;
  const more = failed.length - mostFailed;
  throw new RejectedError(
    [...failed.slice(0, mostFailed), ...(more > 0 ? [`and ${more} more`] : [])].join("\n"),
  );
}

const mostFailed = 20;

interface Converted {
  readonly input: PlacedObject;
  readonly object: JsonObject;
  readonly explained: readonly string[];
}

async function changeFiles(
  texts: readonly InputText[],
  converted: readonly Converted[],
  { note }: ConvertIo,
): Promise<void> {
  if (texts.some(({ file }) => file === "stdin"))
    throw new UsageError("--in-place changes files: standard input has none; leave --in-place out");
  const changes = texts.flatMap((text) => {
    const changed = converted.filter(({ input }) => text.objects.includes(input));
    return changed.length === 0 ? [] : [{ text, changed }];
  });
  const written = await replaceFiles(changes);
  const count = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;
  note(`${count(written.length, "file")} changed, ${count(texts.length - written.length, "file")} unchanged`);
}

function whyUnknown(input: PlacedObject, kinds: Kinds, others: string): string | undefined {
  const { apiVersion, kind } = input.value;
  const without = whyWithoutKind(input);
  if (without !== undefined || kindOf(input, kinds) !== undefined) return without;
  const names = kinds.all.map((each) => each.name).join(", ");
  return `unknown kind ${kind} of ${apiVersion}; known kinds are ${names}; ${others}`;
}

function kindOf({ value: { apiVersion, kind } }: PlacedObject, kinds: Kinds): Kind | undefined {
  return kinds.find(groupVersionOf(String(apiVersion)).group, String(kind));
}

function convertedOf(
  { input, kind, from, target }: Job,
  object: JsonObject,
  options: ConvertOptions,
): Converted {
  const isExplained = options.explain || options.clean === true;
  const explained = isExplained ? explanation(input.source, object, kind, from, target, options.clean) : [];
  return { input, object: options.clean === true ? detach(object).object : object, explained };
}

/** Throws UsageError if the kind lacks the version of the object, or the target. */
function jobOf(input: PlacedObject, to: string, kinds: Kinds): Job {
  const { source, value } = input;
  const kind = kindOf(input, kinds);
  if (kind === undefined) throw new Error(`${source}: the kind was known before`);
  const versions = kind.versions.map((each) => each.name).join(", ");
  const { apiVersion } = value;
  const from = versionIndex(kind, apiVersion);
  if (from === undefined)
    throw new UsageError(`${source}: ${kind.name} has no version ${apiVersion}; it has ${versions}`);
  const { group } = groupVersionOf(String(apiVersion));
  const target = versionIndex(kind, to.includes("/") ? to : apiVersionOf(group, to));
  if (target === undefined)
    throw new UsageError(`${source}: ${kind.name} has no version ${to}; it has ${versions}`);
  return { input, kind, from, target };
}
