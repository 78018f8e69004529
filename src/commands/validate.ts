import jsonpatch from "jsonpatch";
import { apiVersionOf, groupVersionOf, kindName } from "../apimachinery/resource.ts";
import { offlineListers } from "../cluster/offline.ts";
import { get, isObject, type JsonObject, set } from "../json/json.ts";
import { type Kinds, versionIndex } from "../kind/kind.ts";
import { loadKinds } from "../kind/load-kinds.ts";
import { answerMutation, answerValidation } from "../review/admission.ts";
import { wholeReview } from "../review/answer.ts";
import type { AdmissionContext } from "../review/write.ts";
import { type Answer, type Crd, type FieldValidation, failure, withPlainNumbers } from "../schema/index.ts";
import { type Crds, crdsByKind, crdsOf, type GivenCrd, readCrds } from "./crds.ts";
import { RejectedError, UsageError } from "./errors.ts";
import { readGates } from "./gates.ts";
import { type InputIo, type InputObject, readInput } from "./input.ts";
import { kubectlLine } from "./kubectl.ts";
import { formatObjects } from "./output.ts";
import { oldOf, responseOf, reviewOf } from "./review.ts";
import { reviewContextOf } from "./review-context.ts";

/** The options of `antechamber validate`. */
export interface ValidateOptions {
  readonly file: readonly string[];
  /** CRDs of kinds without a folder. */
  readonly crd?: readonly string[];
  /** The previous objects, matched by name: each write is then an update. */
  readonly old?: readonly string[];
  readonly subresource?: "status";
  /** The namespace of objects without one. */
  readonly namespace: string;
  /** Objects for the listers; none by default, since the examples must not decide about the user's files. */
  readonly with?: readonly string[];
  readonly webhooks: readonly string[];
  /** Whether `webhooks` was given; the default kinds are loaded only if a document needs one. */
  readonly hasWebhooks: boolean;
  readonly featureGates?: string;
  /** The handling of unknown fields, as in kubectl's `--validate`. */
  readonly fieldValidation: FieldValidation;
  readonly output: "text" | "json" | "yaml";
}

/** The input and output of `antechamber validate`. */
export interface ValidateIo extends InputIo {
  readonly print: (text: string) => void;
  readonly note: (line: string) => void;
  readonly now: () => Date;
  readonly random: () => number;
}

/** A write with its response. */
interface Validated {
  readonly source: string;
  readonly definition: Crd;
  readonly object: JsonObject;
  readonly old: JsonObject | undefined;
  readonly answer: Answer;
}

/**
 * Validates writes as an API server with these kinds would: defaults, the mutating webhook, the schema, the validating
 * webhook. Throws RejectedError if one is rejected.
 */
export async function validate(options: ValidateOptions, io: ValidateIo): Promise<void> {
  const given = await readCrds(options.crd ?? [], io);
  reportRejected(given, options, io);
  const inputs = await readInput(options.file, io, "as written");
  if (inputs.length === 0) throw new UsageError(`${options.file.join(", ")}: no object found`);
  const kinds = await kindsFor(inputs, given, options);
  const gates = readGates(options.featureGates ?? "", [...kinds.all, ...kinds.natives]);
  const listed =
    options.with === undefined ? [] : (await readInput(options.with, io)).map(({ value }) => value);
  const listers = offlineListers(listed, kinds, { now: io.now, gates });
  const context = { ...reviewContextOf(kinds, listers, gates, io), mayWait: () => false };
  // A given CRD takes precedence over a folder.
  const crds = new Map([...crdsOf(kinds.all), ...crdsByKind(given)]);
  const olds = options.old === undefined ? undefined : await readInput(options.old, io, "as written");
  const results = inputs.map((input) => validated(input, olds, crds, context, options));
  if (options.output === "text") report(given, results, io);
  else io.print(formatted([...notable(given), ...results.map(({ answer }) => answer)], options.output));
  const rejected = results.filter(({ answer }) => !answer.allowed).length;
  if (rejected > 0) throw new RejectedError(`${rejected} of ${results.length} rejected`);
}

/** The responses to CRDs that were rejected or have warnings. */
function notable(given: readonly GivenCrd[]): readonly GivenCrd["answer"][] {
  return given.map(({ answer }) => answer).filter(({ allowed, warnings }) => !allowed || warnings.length > 0);
}

/** Throws UsageError if an API server would reject a CRD; for JSON and YAML output its causes are printed before. */
function reportRejected(given: readonly GivenCrd[], { output }: ValidateOptions, io: ValidateIo): void {
  if (given.every(({ answer }) => answer.allowed)) return;
  if (output !== "text") io.print(formatted(notable(given), output));
  crdsByKind(given);
}

const noKinds: Kinds = { all: [], find: () => undefined, natives: [], findNative: () => undefined };

/** The kinds of the folders; the default kinds only if the kind of a document is not defined by a CRD. */
async function kindsFor(
  inputs: readonly InputObject[],
  given: readonly GivenCrd[],
  { webhooks, hasWebhooks, featureGates }: ValidateOptions,
): Promise<Kinds> {
  const defined = new Set(given.map(({ kind }) => kind));
  const isDefined = ({ value: { apiVersion, kind } }: InputObject) =>
    defined.has(kindName(groupVersionOf(String(apiVersion)).group, String(kind)));
  const isNeeded = hasWebhooks || featureGates !== undefined || !inputs.every(isDefined);
  return isNeeded ? loadKinds(webhooks) : noKinds;
}

function validated(
  input: InputObject,
  olds: readonly InputObject[] | undefined,
  crds: Crds,
  context: AdmissionContext,
  options: ValidateOptions,
): Validated {
  const { source, value } = input;
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string") {
    throw new UsageError(`${source}: the object has no apiVersion and kind`);
  }
  const definition = crds.get(kindName(groupVersionOf(apiVersion).group, kind));
  if (definition === undefined) {
    const known = [...crds.keys()].join(", ");
    throw new UsageError(
      `${source}: unknown kind ${kind} of ${apiVersion}; known kinds are ${known}; pass its CRD with --crd`,
    );
  }
  const old = oldOf(input, olds);
  const [object, before] = [value, old].map(
    (each) => each && inNamespace(each, definition, options.namespace),
  );
  const answer = answerOf(object ?? value, before, definition, context, options);
  return { source, definition, object: value, old: before, answer };
}

/** Sets the namespace of an object of a namespaced kind, as kubectl does. */
function inNamespace(object: JsonObject, { scope }: Crd, namespace: string): JsonObject {
  const { metadata } = object;
  if (scope === "Cluster" || !isObject(metadata) || Object.hasOwn(metadata, "namespace")) return object;
  return set(object, "metadata", { ...metadata, namespace });
}

/** The response of the API server, webhooks included. The previous object gets its defaults, as on a read. */
function answerOf(
  object: JsonObject,
  old: JsonObject | undefined,
  definition: Crd,
  context: AdmissionContext,
  { subresource, fieldValidation }: ValidateOptions,
): Answer {
  const version = definition.versions.find(
    ({ name }) => apiVersionOf(definition.group, name) === object.apiVersion,
  );
  const before = old === undefined ? undefined : withPlainNumbers(version?.default(old) ?? old);
  const write = {
    ...(before === undefined ? {} : { old: before }),
    ...(subresource === undefined ? {} : { subresource }),
  };
  const first = definition.write({ ...write, object, fieldValidation });
  // A webhook gets the object as the API server writes it.
  const clean = withPlainNumbers(
    version === undefined ? object : version.default(version.prune(object).object),
  );
  const review = reviewOf(clean, before, subresource);
  // The mutating webhook runs before the schema validation and may fix its errors; undecodable objects never reach it.
  const isReadable = first.allowed || get(first.status, "code") === 422;
  if (!isReadable || !isServed(object, definition, context)) return first;
  const mutated = responseOf(wholeReview(answerMutation(review, context)));
  if (!mutated.allowed) return rejectedBy("mutate", mutated, definition);
  const changed = jsonpatch.apply_patch(clean, [...mutated.patch]);
  const answer =
    mutated.patch.length === 0
      ? first
      : definition.write({ ...write, object: changed, fieldValidation: "ignore" });
  const known = [...new Set([...first.warnings, ...answer.warnings])];
  if (!answer.allowed || answer.object === undefined) return { ...answer, warnings: known };
  const asked = reviewOf(answer.object, before, subresource);
  const verdict = responseOf(wholeReview(answerValidation(asked, context)));
  if (!verdict.allowed) return rejectedBy("validate", verdict, definition);
  return { ...answer, warnings: [...known, ...mutated.warnings, ...verdict.warnings] };
}

/** Whether the kind has webhooks here; a kind that is known only by its CRD has none. */
function isServed({ apiVersion }: JsonObject, { group, kind }: Crd, { kinds }: AdmissionContext): boolean {
  const own = kinds.find(group, kind);
  return own !== undefined && versionIndex(own, apiVersion) !== undefined;
}

/** A webhook's rejection as the API server passes it on (apiserver, admission/plugin/webhook/errors). */
function rejectedBy(
  endpoint: "mutate" | "validate",
  { status = {}, warnings }: ReturnType<typeof responseOf>,
  { plural, group }: Crd,
): Answer {
  const message = `admission webhook "${endpoint}.${plural}.${group}" denied the request: ${status.message}`;
  return {
    allowed: false,
    status: set({ ...failure(500, undefined, ""), ...status }, "message", message),
    warnings,
  };
}

function formatted(answers: readonly (Answer | GivenCrd["answer"])[], output: "json" | "yaml"): string {
  return formatObjects(
    answers.map((answer) => ({ ...answer })),
    output,
  );
}

/** As kubectl does: successes on standard output, errors and warnings on standard error, each warning once. */
function report(given: readonly GivenCrd[], results: readonly Validated[], io: ValidateIo): void {
  const warned = new Set<string>();
  const warn = (warnings: readonly string[]) => {
    for (const warning of warnings.filter((each) => !warned.has(each))) {
      io.note(`Warning: ${warning}`);
      warned.add(warning);
    }
  };
  for (const { answer } of given) warn(answer.warnings);
  for (const { answer, ...write } of results) {
    warn(answer.warnings);
    const { line, error } = kubectlLine({ ...write, answer });
    if (error) io.note(line);
    else io.print(`${line}\n`);
  }
}
