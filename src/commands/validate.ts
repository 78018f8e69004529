import jsonpatch from "jsonpatch";
import { offlineListers } from "../cluster/offline.ts";
import { get, isObject, type JsonObject, set } from "../json/json.ts";
import { type Kinds, versionIndex } from "../kind.ts";
import { loadKinds } from "../kinds.ts";
import { apiVersionOf, groupVersionOf, kindName } from "../resource.ts";
import { answerMutation, answerValidation } from "../review/admission.ts";
import { wholeReview } from "../review/answer.ts";
import type { Surroundings } from "../review/write.ts";
import { type Answer, type Crd, type FieldValidation, failure, withPlainNumbers } from "../schema/index.ts";
import { type Crds, crdsByKind, crdsOf, type GivenCrd, readCrds } from "./crds.ts";
import { RefusedError, UsageError } from "./errors.ts";
import { readGates } from "./gates.ts";
import { type InputIo, type InputObject, readInput } from "./input.ts";
import { kubectlSays } from "./kubectl.ts";
import { formatObjects } from "./output.ts";
import { oldOf, responseOf, reviewOf } from "./review.ts";
import { surroundingsOf } from "./surroundings.ts";

/** What `antechamber validate` is told on its command line. */
export interface ValidateOptions {
  readonly file: readonly string[];
  /** CRDs of kinds that have no folder. */
  readonly crd?: readonly string[];
  /** What was there before, found by name: each object is then an update. */
  readonly old?: readonly string[];
  readonly subresource?: "status";
  /** The namespace of objects that name none. */
  readonly namespace: string;
  /** Objects for the listers; without any, none: nobody's examples judge a user's file. */
  readonly with?: readonly string[];
  readonly webhooks: readonly string[];
  /** Whether `webhooks` was given; the kinds of a home are loaded only for a document that needs one. */
  readonly hasWebhooks: boolean;
  readonly featureGates?: string;
  /** What becomes of unknown fields, as kubectl's `--validate` says it. */
  readonly fieldValidation: FieldValidation;
  readonly output: "text" | "json" | "yaml";
}

/** What `antechamber validate` needs of the process. */
export interface ValidateIo extends InputIo {
  readonly print: (text: string) => void;
  readonly note: (line: string) => void;
  readonly now: () => Date;
  readonly random: () => number;
}

/** A write with its answer. */
interface Validated {
  readonly source: string;
  readonly definition: Crd;
  readonly object: JsonObject;
  readonly old: JsonObject | undefined;
  readonly answer: Answer;
}

/**
 * Says what an API server with these kinds would say of a write: defaults, the mutating webhook, the schema, the
 * validating webhook; all of it here. Throws RefusedError where one is refused.
 */
export async function validate(options: ValidateOptions, io: ValidateIo): Promise<void> {
  const given = await readCrds(options.crd ?? [], io);
  reportRejected(given, options, io);
  const inputs = await readInput(options.file, io, "as written");
  if (inputs.length === 0) throw new UsageError(`${options.file.join(", ")}: no object to validate`);
  const kinds = await kindsFor(inputs, given, options);
  const gates = readGates(options.featureGates ?? "", [...kinds.all, ...kinds.natives]);
  const listed =
    options.with === undefined ? [] : (await readInput(options.with, io)).map(({ value }) => value);
  const listers = offlineListers(listed, kinds, { now: io.now, gates });
  const surroundings = { ...surroundingsOf(kinds, listers, gates, io), mayWait: () => false };
  // A CRD that is given wins over a folder.
  const crds = new Map([...crdsOf(kinds.all), ...crdsByKind(given)]);
  const olds = options.old === undefined ? undefined : await readInput(options.old, io, "as written");
  const results = inputs.map((input) => validated(input, olds, crds, surroundings, options));
  if (options.output === "text") report(given, results, io);
  else io.print(formatted([...notable(given), ...results.map(({ answer }) => answer)], options.output));
  const refused = results.filter(({ answer }) => !answer.allowed).length;
  if (refused > 0) throw new RefusedError(`${refused} of ${results.length} refused`);
}

/** The answers to CRDs that say more than that the CRD is taken. */
function notable(given: readonly GivenCrd[]): readonly GivenCrd["answer"][] {
  return given.map(({ answer }) => answer).filter(({ allowed, warnings }) => !allowed || warnings.length > 0);
}

/** Throws UsageError where an API server would reject a CRD; its causes, with their reasons, are printed before as data. */
function reportRejected(given: readonly GivenCrd[], { output }: ValidateOptions, io: ValidateIo): void {
  if (given.every(({ answer }) => answer.allowed)) return;
  if (output !== "text") io.print(formatted(notable(given), output));
  crdsByKind(given);
}

const noKinds: Kinds = { all: [], find: () => undefined, natives: [], findNative: () => undefined };

/** The kinds of folders; those of a home only where a document is of no kind that a CRD defines. */
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
  surroundings: Surroundings,
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
      `${source}: unknown kind ${kind} of ${apiVersion}; known are ${known}: give its CRD by --crd`,
    );
  }
  const old = oldOf(input, olds);
  const [object, before] = [value, old].map(
    (each) => each && inNamespace(each, definition, options.namespace),
  );
  const answer = answerOf(object ?? value, before, definition, surroundings, options);
  return { source, definition, object: value, old: before, answer };
}

/** The object in a namespace where its kind has them, as kubectl sends it. */
function inNamespace(object: JsonObject, { scope }: Crd, namespace: string): JsonObject {
  const { metadata } = object;
  if (scope === "Cluster" || !isObject(metadata) || Object.hasOwn(metadata, "namespace")) return object;
  return set(object, "metadata", { ...metadata, namespace });
}

/** What the server answers, webhooks included. What was there before is taken as it would be read: with its defaults. */
function answerOf(
  object: JsonObject,
  old: JsonObject | undefined,
  definition: Crd,
  surroundings: Surroundings,
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
  // What a webhook can mend it mends before the schema is asked; what cannot even be read never comes to it.
  const isReadable = first.allowed || get(first.status, "code") === 422;
  if (!isReadable || !isServed(object, definition, surroundings)) return first;
  const mutated = responseOf(wholeReview(answerMutation(review, surroundings)));
  if (!mutated.allowed) return refusedBy("mutate", mutated, definition);
  const changed = jsonpatch.apply_patch(clean, [...mutated.patch]);
  const answer =
    mutated.patch.length === 0
      ? first
      : definition.write({ ...write, object: changed, fieldValidation: "ignore" });
  const known = [...new Set([...first.warnings, ...answer.warnings])];
  if (!answer.allowed || answer.object === undefined) return { ...answer, warnings: known };
  const asked = reviewOf(answer.object, before, subresource);
  const verdict = responseOf(wholeReview(answerValidation(asked, surroundings)));
  if (!verdict.allowed) return refusedBy("validate", verdict, definition);
  return { ...answer, warnings: [...known, ...mutated.warnings, ...verdict.warnings] };
}

/** Of a CRD that was given alone there is no webhook here. */
function isServed({ apiVersion }: JsonObject, { group, kind }: Crd, { kinds }: Surroundings): boolean {
  const own = kinds.find(group, kind);
  return own !== undefined && versionIndex(own, apiVersion) !== undefined;
}

/** A webhook's rejection as the API server passes it on (apiserver, admission/plugin/webhook/errors). */
function refusedBy(
  road: "mutate" | "validate",
  { status = {}, warnings }: ReturnType<typeof responseOf>,
  { plural, group }: Crd,
): Answer {
  const message = `admission webhook "${road}.${plural}.${group}" denied the request: ${status.message}`;
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

/** As kubectl does: what is good on standard output, what is not beside it, and each warning once in a run. */
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
    const { line, error } = kubectlSays({ ...write, answer });
    if (error) io.note(line);
    else io.print(`${line}\n`);
  }
}
