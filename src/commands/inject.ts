import { diff } from "../admission/patch.ts";
import type { Cause, Verdict } from "../admission/verdict.ts";
import { groupVersionOf } from "../apimachinery/resource.ts";
import { offlineListers } from "../cluster/offline.ts";
import { writeJson } from "../json/exact.ts";
import { get, type JsonObject } from "../json/json.ts";
import { loadKinds } from "../kind/load-kinds.ts";
import type { NativeKind } from "../kind/native.ts";
import { mutateNative, nativeKeysOf } from "../review/native.ts";
import { changedLines } from "./diff.ts";
import { RejectedError, UsageError } from "./errors.ts";
import { readGates } from "./gates.ts";
import { type InputIo, type InputObject, readInput } from "./input.ts";
import { painted } from "./lines.ts";
import { formatObjects } from "./output.ts";
import { reviewContextOf } from "./review-context.ts";

/** The options of `antechamber inject`. */
export interface InjectOptions {
  /** Pods. */
  readonly file: readonly string[];
  /** SidecarSets, and the Namespaces and ControllerRevisions that they refer to; without any, the examples of the kinds. */
  readonly with?: readonly string[];
  /** The namespace of pods without one. */
  readonly namespace: string;
  readonly explain: boolean;
  readonly webhooks: readonly string[];
  readonly featureGates?: string;
  readonly output: "yaml" | "json" | "patch" | "diff";
}

/** The input and output of `antechamber inject`. */
export interface InjectIo extends InputIo {
  readonly print: (text: string) => void;
  readonly note: (line: string) => void;
  readonly now: () => Date;
  readonly random: () => number;
  readonly coloured: boolean;
}

/** A pod before and after injection. */
interface Injected {
  readonly pod: JsonObject;
  readonly native: NativeKind;
  readonly object: JsonObject;
}

/**
 * Injects into pods what the mutating webhook would inject when they are created, without a server, and prints them.
 * Throws RejectedError if one is rejected; the others are still printed.
 */
export async function inject(options: InjectOptions, io: InjectIo): Promise<void> {
  const kinds = await loadKinds(options.webhooks);
  const gates = readGates(options.featureGates ?? "", kinds.natives);
  const listed =
    options.with === undefined
      ? kinds.all.flatMap(({ examples }) => examples.map(({ object }) => object))
      : (await readInput(options.with, io)).map(({ value }) => value);
  const context = reviewContextOf(kinds, offlineListers(listed, kinds, { now: io.now, gates }), gates, io);
  const inputs = await readInput(options.file, io);
  if (inputs.length === 0) throw new UsageError(`${options.file.join(", ")}: no pod found`);
  const found: Injected[] = [];
  const rejections: string[] = [];
  for (const input of inputs) {
    const { group } = groupVersionOf(String(input.value.apiVersion));
    const native = kinds.findNative(group, String(input.value.kind));
    if (native === undefined)
      throw new UsageError(`${input.source}: ${notInjectable(input.value, kinds.natives)}`);
    const verdict = mutateNative(requestOf(input, native, options.namespace), native, context);
    if (options.explain) printExplanation(input, verdict, io);
    for (const warning of options.explain ? [] : verdict.warnings) {
      io.note(`${input.source}: warning: ${warning}`);
    }
    const rejection = rejectionOf(verdict);
    if (rejection !== undefined) rejections.push(`${input.source}: ${rejection}`);
    else found.push({ pod: input.value, native, object: objectOf(verdict, input.value) });
  }
  io.print(formatted(found, options.output, io.coloured));
  if (rejections.length > 0) throw new RejectedError(rejections.join("\n"));
}

function notInjectable({ apiVersion, kind }: JsonObject, natives: readonly NativeKind[]): string {
  const known = natives.map(({ name }) => name).join(", ") || "none";
  return `sidecars are not injected into ${kind} of ${apiVersion}, only into ${known}`;
}

/** The request to create a pod. */
function requestOf({ value }: InputObject, { definition }: NativeKind, namespace: string): JsonObject {
  const { group, version, kind } = definition;
  const own = get(value, "metadata", "namespace");
  return {
    kind: { group, version, kind },
    operation: "CREATE",
    namespace: typeof own === "string" ? own : namespace,
    object: value,
  };
}

function printExplanation({ source, value }: InputObject, verdict: Verdict, io: InjectIo): void {
  const name = get(value, "metadata", "name") ?? get(value, "metadata", "generateName") ?? "(no name)";
  io.note(`${source}: ${value.kind} ${name}`);
  for (const line of (verdict.explanation?.() ?? "").split("\n")) if (line !== "") io.note(`  ${line}`);
}

function rejectionOf(verdict: Verdict): string | undefined {
  if (verdict.outcome === "wait") return `${verdict.reason}; pass it with --with`;
  return verdict.outcome === "deny" ? `rejected: ${verdict.causes.map(sentenceOf).join("; ")}` : undefined;
}

function sentenceOf({ message }: Cause): string {
  return message;
}

function objectOf(verdict: Verdict, pod: JsonObject): JsonObject {
  return verdict.outcome === "change" ? verdict.object : pod;
}

function formatted(found: readonly Injected[], output: InjectOptions["output"], coloured: boolean): string {
  switch (output) {
    case "patch":
      return found
        .map(({ pod, object, native }) => `${writeJson([...diff(pod, object, nativeKeysOf(native))])}\n`)
        .join("");
    case "diff":
      return found
        .flatMap(({ pod, object }) => changedLines(pod, object))
        .map((line) => `${painted(line, coloured)}\n`)
        .join("");
    default:
      return formatObjects(
        found.map(({ object }) => object),
        output,
      );
  }
}
