import { diff } from "../admission/patch.ts";
import type { Cause, Verdict } from "../admission/verdict.ts";
import { offlineListers } from "../cluster/offline.ts";
import { writeJson } from "../json/exact.ts";
import { get, type JsonObject } from "../json/json.ts";
import { loadKinds } from "../kinds.ts";
import type { NativeKind } from "../native.ts";
import { groupVersionOf } from "../resource.ts";
import { judgeNative, nativeKeysOf } from "../review/native.ts";
import { changedLines } from "./diff.ts";
import { RefusedError, UsageError } from "./errors.ts";
import { readGates } from "./gates.ts";
import { type InputIo, type InputObject, readInput } from "./input.ts";
import { painted } from "./lines.ts";
import { formatObjects } from "./output.ts";
import { surroundingsOf } from "./surroundings.ts";

/** What `antechamber inject` is told on its command line. */
export interface InjectOptions {
  /** Pods. */
  readonly file: readonly string[];
  /** SidecarSets, and the Namespaces and ControllerRevisions that they ask for; without any, the kinds' examples. */
  readonly with?: readonly string[];
  /** The namespace of pods that name none. */
  readonly namespace: string;
  readonly explain: boolean;
  readonly webhooks: readonly string[];
  readonly featureGates?: string;
  readonly output: "yaml" | "json" | "patch" | "diff";
}

/** What `antechamber inject` needs of the process. */
export interface InjectIo extends InputIo {
  readonly print: (text: string) => void;
  readonly note: (line: string) => void;
  readonly now: () => Date;
  readonly random: () => number;
  readonly coloured: boolean;
}

/** A pod, and what became of it. */
interface Injected {
  readonly pod: JsonObject;
  readonly native: NativeKind;
  readonly object: JsonObject;
}

/**
 * Puts into pods what the mutating webhook would put into them when they are created, with no server, and prints them.
 * Throws RefusedError where one is refused; the others are printed all the same.
 */
export async function inject(options: InjectOptions, io: InjectIo): Promise<void> {
  const kinds = await loadKinds(options.webhooks);
  const gates = readGates(options.featureGates ?? "", kinds.natives);
  const listed =
    options.with === undefined
      ? kinds.all.flatMap(({ examples }) => examples.map(({ object }) => object))
      : (await readInput(options.with, io)).map(({ value }) => value);
  const surroundings = surroundingsOf(
    kinds,
    offlineListers(listed, kinds, { now: io.now, gates }),
    gates,
    io,
  );
  const inputs = await readInput(options.file, io);
  if (inputs.length === 0) throw new UsageError(`${options.file.join(", ")}: no pod to inject into`);
  const found: Injected[] = [];
  const refusals: string[] = [];
  for (const input of inputs) {
    const { group } = groupVersionOf(String(input.value.apiVersion));
    const native = kinds.findNative(group, String(input.value.kind));
    if (native === undefined) throw new UsageError(`${input.source}: ${strange(input.value, kinds.natives)}`);
    const verdict = judgeNative(requestOf(input, native, options.namespace), native, surroundings);
    if (options.explain) explained(input, verdict, io);
    for (const warning of options.explain ? [] : verdict.warnings) {
      io.note(`${input.source}: warning: ${warning}`);
    }
    const refusal = refusalOf(verdict);
    if (refusal !== undefined) refusals.push(`${input.source}: ${refusal}`);
    else found.push({ pod: input.value, native, object: objectOf(verdict, input.value) });
  }
  io.print(formatted(found, options.output, io.coloured));
  if (refusals.length > 0) throw new RefusedError(refusals.join("\n"));
}

function strange({ apiVersion, kind }: JsonObject, natives: readonly NativeKind[]): string {
  const known = natives.map(({ name }) => name).join(", ") || "none";
  return `nothing is injected into ${kind} of ${apiVersion}; it is into ${known}`;
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

function explained({ source, value }: InputObject, verdict: Verdict, io: InjectIo): void {
  const name = get(value, "metadata", "name") ?? get(value, "metadata", "generateName") ?? "without a name";
  io.note(`${source}: ${value.kind} ${name}`);
  for (const line of (verdict.explanation?.() ?? "").split("\n")) if (line !== "") io.note(`  ${line}`);
}

function refusalOf(verdict: Verdict): string | undefined {
  if (verdict.outcome === "wait") return `${verdict.reason}; give it by --with`;
  return verdict.outcome === "deny" ? `refused: ${verdict.causes.map(sentenceOf).join("; ")}` : undefined;
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
