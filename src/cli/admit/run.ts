import jsonpatch from "jsonpatch";
import { diff } from "../../admission/patch.ts";
import { groupVersionOf, kindName, kindNameOf } from "../../apimachinery/resource.ts";
import { RejectedError, UsageError } from "../../errors.ts";
import { writeJson } from "../../json/exact.ts";
import { get, type Json, type JsonObject, objectAt } from "../../json/json.ts";
import type { Kinds } from "../../kind/kind.ts";
import { NotSynced } from "../../kind/lister.ts";
import { loadKinds } from "../../kind/load-kinds.ts";
import { type Crds, crdsByKind, readCrds } from "../../offline/crds.ts";
import { changedLines } from "../../offline/diff.ts";
import { type InputObject, readInput } from "../../offline/input.ts";
import { type Line, painted } from "../../offline/lines.ts";
import { offlineListers } from "../../offline/listers.ts";
import { oldOf, responseOf, reviewOf } from "../../offline/review.ts";
import { reviewContextOf } from "../../offline/review-context.ts";
import { answerMutation, answerValidation } from "../../review/admission.ts";
import { UnreadableReview, wholeReview } from "../../review/answer.ts";
import type { AdmissionContext } from "../../review/write.ts";
import type { Crd } from "../../schema/index.ts";
import { fieldPlaces, placeLine } from "../cause-places.ts";
import type { ReviewIo } from "../console.ts";
import { readGates } from "../gates.ts";
import { formatObjects } from "../output.ts";
import { unknowns, whyWithoutKind } from "../unknown.ts";

/** The options of `antechamber admit`. */
interface AdmitOptions {
  /** Objects, or whole AdmissionReviews. */
  readonly file: readonly string[];
  /** Objects for the listers; without any, the kinds' examples. */
  readonly with?: readonly string[];
  /** The previous objects, matched by name: each write is then an update. */
  readonly old?: readonly string[];
  /** CRDs of kinds without a folder: their objects are validated by the schema alone. */
  readonly crd?: readonly string[];
  readonly webhooks: readonly string[];
  readonly featureGates?: string;
  /** Whether documents of unknown kinds are skipped. */
  readonly skipUnknown?: boolean;
  /** The only webhook to run; without it both run, the validating one on the result of the mutating one. */
  readonly only?: "mutate" | "validate";
  readonly output: "text" | "yaml" | "json" | "patch" | "diff";
}

/** The result for one object. */
interface Admitted {
  readonly input: InputObject;
  /** Whether the schema was checked as well; otherwise only the webhooks ran. */
  readonly schemaChecked: boolean;
  readonly request: JsonObject;
  readonly allowed: boolean;
  /** The rejection, as the API server would return it. */
  readonly status?: Json;
  readonly warnings: readonly Json[];
  readonly patch: readonly JsonObject[];
  /** The object of the request after the patch. */
  readonly object: JsonObject;
}

/** Runs the webhooks on objects, without a server, and prints the results. Throws RejectedError if one is rejected. */
export async function admit(options: AdmitOptions, io: ReviewIo): Promise<void> {
  const kinds = await loadKinds(options.webhooks);
  const gates = readGates(options.featureGates ?? "", [...kinds.all, ...kinds.natives]);
  const listed = await listedObjects(options, kinds, io);
  const context: AdmissionContext = {
    ...reviewContextOf(kinds, offlineListers(listed, kinds, { now: io.now, gates }), gates, io),
    // Files do not change while a request waits.
    mayWait: () => false,
  };
  const { reading, known } = unknowns(options.skipUnknown === true, io.note);
  const read = await readInput(options.file, io, reading);
  if (read.length === 0) throw new UsageError(`${options.file.join(", ")}: no object found`);
  const olds = options.old === undefined ? undefined : await readInput(options.old, io);
  const crds = crdsByKind(await readCrds(options.crd ?? [], io));
  const inputs = known(read, (input) => whyUnknown(input, kinds, crds));
  const admitted = inputs.map((input) => {
    const crd = crds.get(kindNameOf(input.value));
    return crd === undefined
      ? runWebhooks(input, reviewIn(input, olds), options, context)
      : validateBySchema(input, oldOf(input, olds), crd);
  });
  io.print(formatted(admitted, options.output, io.coloured));
  for (const line of uncheckedSchemas(admitted, kinds)) io.note(line);
  const rejected = admitted.filter(({ allowed }) => !allowed).length;
  if (rejected > 0) throw new RejectedError(`${rejected} of ${admitted.length} rejected`);
}

async function listedObjects(
  { with: files }: AdmitOptions,
  { all, natives }: Kinds,
  io: ReviewIo,
): Promise<readonly JsonObject[]> {
  if (files === undefined) {
    return [...all, ...natives].flatMap(({ examples }) => examples.map(({ object }) => object));
  }
  return (await readInput(files, io)).map(({ value }) => value);
}

/** Why the kind of an object is unknown. A review tells the kind itself. */
function whyUnknown(input: InputObject, kinds: Kinds, crds: Crds): string | undefined {
  const { apiVersion, kind } = input.value;
  if (kind === "AdmissionReview") return undefined;
  const without = whyWithoutKind(input);
  const isKnown = isServed(input.value, kinds) || crds.has(kindNameOf(input.value));
  if (without !== undefined || isKnown) return without;
  const names = [...kinds.all, ...kinds.natives].map((each) => each.name).join(", ");
  return `unknown kind ${kind} of ${apiVersion}; known kinds are ${names}; pass its CRD with --crd`;
}

function isServed({ apiVersion, kind }: JsonObject, kinds: Kinds): boolean {
  const { group } = groupVersionOf(String(apiVersion));
  return [kinds.find, kinds.findNative].some((find) => find(group, String(kind)) !== undefined);
}

/** Which schemas were not checked: an API server checks them between the two webhooks. */
function uncheckedSchemas(admitted: readonly Admitted[], kinds: Kinds): readonly string[] {
  const names = admitted.filter(({ schemaChecked }) => !schemaChecked).map(({ request }) => kindOf(request));
  return [...new Set(names)].map((name) => {
    if (kinds.all.some((kind) => kind.name === name))
      return `note: the schema of ${name} was not checked; antechamber validate checks it too`;
    if (kinds.natives.some((kind) => kind.name === name))
      return `note: the schema of ${name} was not checked: only an API server has it`;
    return `note: ${name} is not known here: neither its schema nor its webhooks were asked; pass its CRD with --crd`;
  });
}

function kindOf(request: JsonObject): string {
  const [group, kind] = [get(request, "kind", "group"), get(request, "kind", "kind")];
  return kindName(String(group ?? ""), String(kind));
}

/** The given review, or a review that creates or updates the given object. */
function reviewIn(input: InputObject, olds?: readonly InputObject[]): JsonObject {
  return input.value.kind === "AdmissionReview" ? input.value : reviewOf(input.value, oldOf(input, olds));
}

function runWebhooks(
  input: InputObject,
  review: JsonObject,
  { only }: AdmitOptions,
  context: AdmissionContext,
): Admitted {
  try {
    const mutated =
      only === "validate" ? undefined : responseOf(wholeReview(answerMutation(review, context)));
    const request = objectAt(review.request);
    const patch = mutated?.patch ?? [];
    const object = jsonpatch.apply_patch(objectAt(request.object), [...patch]);
    const asked = { ...review, request: { ...request, object } };
    const isDone = only === "mutate" || mutated?.allowed === false;
    const validated = isDone ? undefined : responseOf(wholeReview(answerValidation(asked, context)));
    const status = mutated?.status ?? validated?.status;
    return {
      input,
      schemaChecked: false,
      request,
      allowed: mutated?.allowed !== false && validated?.allowed !== false,
      ...(status === undefined ? {} : { status }),
      warnings: [...(mutated?.warnings ?? []), ...(validated?.warnings ?? [])],
      patch,
      object,
    };
  } catch (error) {
    if (error instanceof UnreadableReview) throw new UsageError(`${input.source}: ${error.message}`);
    if (error instanceof NotSynced) throw new RejectedError(`${input.source}: ${error.message}`);
    throw error;
  }
}

/** Validates an object by the schema of a CRD: its defaults are the change, its errors the rejection. */
function validateBySchema(input: InputObject, old: JsonObject | undefined, crd: Crd): Admitted {
  const { value } = input;
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
    input,
    schemaChecked: true,
    request: reviewOf(value, old).request,
    allowed,
    ...(status === undefined ? {} : { status }),
    warnings,
    patch: diff(value, object).map((operation) => ({ ...operation })),
    object,
  };
}

function formatted(admitted: readonly Admitted[], output: AdmitOptions["output"], coloured: boolean): string {
  switch (output) {
    case "yaml":
      return formatObjects(
        admitted.filter(({ allowed }) => allowed).map(({ object }) => object),
        "yaml",
      );
    case "json":
      return formatObjects(admitted.map(placed), "json");
    case "patch":
      return admitted.map(({ patch }) => `${writeJson(patch)}\n`).join("");
    case "diff":
      return textOf(
        admitted.flatMap(({ request, object }) => changedLines(objectAt(request.object), object)),
        coloured,
      );
    case "text":
      return textOf(admitted.flatMap(linesOf), coloured);
  }
}

/** A result with its place in the input, and those of the fields that a rejection names. */
function placed({ input, request: _, ...result }: Admitted): JsonObject {
  const fields = fieldPlaces(inReview(input), result.status).map((each) => ({ ...each }));
  const { file, find } = input;
  return { file, line: find().line, ...result, ...(fields.length === 0 ? {} : { fields }) };
}

/** The object of a review, with the places of its fields. */
function inReview(input: InputObject): InputObject {
  if (input.value.kind !== "AdmissionReview") return input;
  return { ...input, find: (field = "") => input.find(`request.object.${field}`) };
}

function textOf(lines: readonly Line[], coloured: boolean): string {
  return lines.map((line) => `${painted(line, coloured)}\n`).join("");
}

function linesOf(each: Admitted): readonly Line[] {
  const { input, request, allowed, status, warnings } = each;
  const { kind, name, operation } = request;
  const what = `${input.source}: ${[operation, get(kind, "kind"), name].filter((word) => word !== undefined).join(" ")}`;
  const message = get(status, "message");
  const outcome = !allowed ? "rejected" : each.patch.length > 0 ? "allowed and changed" : "allowed unchanged";
  return [
    { text: `${what}: ${outcome}`, tone: allowed ? "good" : "bad" },
    ...(typeof message === "string" ? [{ text: `  ${message}` }] : []),
    ...fieldPlaces(inReview(input), status).map(placeLine(input)),
    ...warnings.map((warning) => ({ text: `  warning: ${warning}` })),
    ...(each.patch.length > 0
      ? changedLines(objectAt(request.object), each.object).map((line) => ({
          ...line,
          text: `  ${line.text}`,
        }))
      : []),
  ];
}
