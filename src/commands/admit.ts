import jsonpatch from "jsonpatch";
import { diff } from "../admission/patch.ts";
import { offlineListers } from "../cluster/offline.ts";
import { writeJson } from "../json/exact.ts";
import { get, isObject, type Json, type JsonObject } from "../json/json.ts";
import type { Kinds } from "../kind.ts";
import { loadKinds } from "../kinds.ts";
import { NotSynced } from "../lister.ts";
import { groupVersionOf, kindName } from "../resource.ts";
import { answerMutation, answerValidation } from "../review/admission.ts";
import { UnreadableReview, wholeReview } from "../review/answer.ts";
import type { Surroundings } from "../review/write.ts";
import type { Crd } from "../schema/index.ts";
import { crdsByKind, readCrds } from "./crds.ts";
import { changedLines } from "./diff.ts";
import { RefusedError, UsageError } from "./errors.ts";
import { readGates } from "./gates.ts";
import { type InputIo, type InputObject, readInput } from "./input.ts";
import { type Line, painted } from "./lines.ts";
import { formatObjects } from "./output.ts";
import { oldOf, responseOf, reviewOf } from "./review.ts";
import { surroundingsOf } from "./surroundings.ts";

/** What `antechamber admit` is told on its command line. */
export interface AdmitOptions {
  /** Objects, or whole AdmissionReviews. */
  readonly file: readonly string[];
  /** Objects for the listers; without any, the kinds' examples. */
  readonly with?: readonly string[];
  /** What was there before: each object is then an update of the one of its name. */
  readonly old?: readonly string[];
  /** CRDs of kinds that have no folder: for their objects the schema answers, as the API server asks it. */
  readonly crd?: readonly string[];
  readonly webhooks: readonly string[];
  readonly featureGates?: string;
  /** The webhook to ask alone; both without it, the validating one about what the mutating one made. */
  readonly only?: "mutate" | "validate";
  readonly output: "text" | "yaml" | "json" | "patch" | "diff";
}

/** What `antechamber admit` needs of the process. */
export interface AdmitIo extends InputIo {
  readonly print: (text: string) => void;
  readonly now: () => Date;
  readonly random: () => number;
  readonly coloured: boolean;
}

/** What the webhooks said of one object. */
interface Admitted {
  readonly source: string;
  readonly request: JsonObject;
  readonly allowed: boolean;
  /** The refusal, as the API server would send it on. */
  readonly status?: Json;
  readonly warnings: readonly Json[];
  readonly patch: readonly JsonObject[];
  /** The object that was asked about, changed by the patch. */
  readonly object: JsonObject;
}

/** Asks the webhooks about objects, with no server, and prints what they say. Throws RefusedError where one is refused. */
export async function admit(options: AdmitOptions, io: AdmitIo): Promise<void> {
  const kinds = await loadKinds(options.webhooks);
  const gates = readGates(options.featureGates ?? "", [...kinds.all, ...kinds.natives]);
  const listed = await listedObjects(options, kinds, io);
  const surroundings: Surroundings = {
    ...surroundingsOf(kinds, offlineListers(listed, kinds, { now: io.now, gates }), gates, io),
    // Files do not change by waiting.
    mayWait: () => false,
  };
  const inputs = await readInput(options.file, io);
  if (inputs.length === 0) throw new UsageError(`${options.file.join(", ")}: no object to ask about`);
  const olds = options.old === undefined ? undefined : await readInput(options.old, io);
  const crds = crdsByKind(await readCrds(options.crd ?? [], io));
  const admitted = inputs.map((input) => {
    const crd = crds.get(nameOf(input.value));
    return crd === undefined
      ? ask(input, reviewIn(input, kinds, olds), options, surroundings)
      : askSchema(input, oldOf(input, olds), crd);
  });
  io.print(formatted(admitted, options.output, io.coloured));
  const refused = admitted.filter(({ allowed }) => !allowed).length;
  if (refused > 0) throw new RefusedError(`${refused} of ${admitted.length} refused`);
}

async function listedObjects(
  { with: files }: AdmitOptions,
  { all, natives }: Kinds,
  io: AdmitIo,
): Promise<readonly JsonObject[]> {
  if (files === undefined) {
    return [...all, ...natives].flatMap(({ examples }) => examples.map(({ object }) => object));
  }
  return (await readInput(files, io)).map(({ value }) => value);
}

/** The review to ask about: the one that was given, or one that creates or updates the object. */
function reviewIn(input: InputObject, kinds: Kinds, olds?: readonly InputObject[]): JsonObject {
  const { source, value } = input;
  if (value.kind === "AdmissionReview") return value;
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string") {
    throw new UsageError(`${source}: the object has no apiVersion and kind`);
  }
  const { group } = groupVersionOf(apiVersion);
  if (kinds.find(group, kind) === undefined && kinds.findNative(group, kind) === undefined) {
    const known = [...kinds.all, ...kinds.natives].map((each) => each.name).join(", ");
    throw new UsageError(`${source}: ${kind} of ${apiVersion} is no kind known here; there are ${known}`);
  }
  return reviewOf(value, oldOf(input, olds));
}

function ask(
  { source }: InputObject,
  review: JsonObject,
  { only }: AdmitOptions,
  surroundings: Surroundings,
): Admitted {
  try {
    const mutated =
      only === "validate" ? undefined : responseOf(wholeReview(answerMutation(review, surroundings)));
    const request = asObject(review.request);
    const patch = mutated?.patch ?? [];
    const object = jsonpatch.apply_patch(asObject(request.object), [...patch]);
    const asked = { ...review, request: { ...request, object } };
    const isDone = only === "mutate" || mutated?.allowed === false;
    const validated = isDone ? undefined : responseOf(wholeReview(answerValidation(asked, surroundings)));
    const status = mutated?.status ?? validated?.status;
    return {
      source,
      request,
      allowed: mutated?.allowed !== false && validated?.allowed !== false,
      ...(status === undefined ? {} : { status }),
      warnings: [...(mutated?.warnings ?? []), ...(validated?.warnings ?? [])],
      patch,
      object,
    };
  } catch (error) {
    if (error instanceof UnreadableReview) throw new UsageError(`${source}: ${error.message}`);
    if (error instanceof NotSynced) throw new RefusedError(`${source}: ${error.message}`);
    throw error;
  }
}

/** What the schema of a CRD makes of an object: its defaults are the change, its refusal the verdict. */
function askSchema({ source, value }: InputObject, old: JsonObject | undefined, crd: Crd): Admitted {
  const {
    allowed,
    status,
    object = value,
    warnings,
  } = crd.write({
    object: value,
    ...(old === undefined ? {} : { old }),
  });
  return {
    source,
    request: reviewOf(value, old).request,
    allowed,
    ...(status === undefined ? {} : { status }),
    warnings,
    patch: diff(value, object).map((operation) => ({ ...operation })),
    object,
  };
}

function nameOf({ apiVersion, kind }: JsonObject): string {
  return kindName(groupVersionOf(String(apiVersion)).group, String(kind));
}

function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function formatted(admitted: readonly Admitted[], output: AdmitOptions["output"], coloured: boolean): string {
  switch (output) {
    case "yaml":
      return formatObjects(
        admitted.filter(({ allowed }) => allowed).map(({ object }) => object),
        "yaml",
      );
    case "json":
      return formatObjects(
        admitted.map(({ source: _, request: __, ...told }) => told),
        "json",
      );
    case "patch":
      return admitted.map(({ patch }) => `${writeJson(patch)}\n`).join("");
    case "diff":
      return textOf(
        admitted.flatMap(({ request, object }) => changedLines(asObject(request.object), object)),
        coloured,
      );
    case "text":
      return textOf(admitted.flatMap(linesOf), coloured);
  }
}

function textOf(lines: readonly Line[], coloured: boolean): string {
  return lines.map((line) => `${painted(line, coloured)}\n`).join("");
}

function linesOf(each: Admitted): readonly Line[] {
  const { source, request, allowed, status, warnings } = each;
  const { kind, name, operation } = request;
  const what = `${source}: ${[operation, get(kind, "kind"), name].filter((word) => word !== undefined).join(" ")}`;
  const message = get(status, "message");
  const outcome = !allowed ? "refused" : each.patch.length > 0 ? "allowed, and changed" : "allowed as it is";
  return [
    { text: `${what}: ${outcome}`, tone: allowed ? "good" : "bad" },
    ...(typeof message === "string" ? [{ text: `  ${message}` }] : []),
    ...warnings.map((warning) => ({ text: `  warning: ${warning}` })),
    ...(each.patch.length > 0
      ? changedLines(asObject(request.object), each.object).map((line) => ({
          ...line,
          text: `  ${line.text}`,
        }))
      : []),
  ];
}
