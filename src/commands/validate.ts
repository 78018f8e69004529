import jsonpatch from "jsonpatch";
import { offlineListers } from "../cluster/offline.ts";
import { get, isObject, type JsonObject, set } from "../json/json.ts";
import { versionIndex } from "../kind.ts";
import { loadKinds } from "../kinds.ts";
import { apiVersionOf, groupVersionOf, kindName } from "../resource.ts";
import { answerMutation, answerValidation } from "../review/admission.ts";
import { wholeReview } from "../review/answer.ts";
import type { Surroundings } from "../review/write.ts";
import { answerWrite } from "../schema/answer.ts";
import type { Definition } from "../schema/crd.ts";
import { badRequestStatus, failure } from "../schema/status.ts";
import { type Definitions, definitionsIn, definitionsOf } from "./crds.ts";
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
  readonly featureGates?: string;
  /** What becomes of unknown fields, as kubectl's `--validate` says it. */
  readonly fieldValidation: "strict" | "warn" | "ignore";
  readonly output: "text" | "json" | "yaml";
}

/** What `antechamber validate` needs of the process. */
export interface ValidateIo extends InputIo {
  readonly print: (text: string) => void;
  readonly note: (line: string) => void;
  readonly now: () => Date;
  readonly random: () => number;
}

/** What became of a write. */
interface Validated {
  readonly source: string;
  readonly definition: Definition;
  readonly object: JsonObject;
  readonly old: JsonObject | undefined;
  readonly answer: Answer;
}

interface Answer {
  readonly allowed: boolean;
  readonly status?: JsonObject;
  readonly object?: JsonObject;
  readonly warnings: readonly string[];
}

/**
 * Says what an API server with these kinds would say of a write: defaults, the mutating webhook, the schema, the
 * validating webhook; all of it here. Throws RefusedError where one is refused.
 */
export async function validate(options: ValidateOptions, io: ValidateIo): Promise<void> {
  const kinds = await loadKinds(options.webhooks);
  const gates = readGates(options.featureGates ?? "", [...kinds.all, ...kinds.natives]);
  const listed =
    options.with === undefined ? [] : (await readInput(options.with, io)).map(({ value }) => value);
  const listers = offlineListers(listed, kinds, { now: io.now, gates });
  const surroundings = { ...surroundingsOf(kinds, listers, gates, io), mayWait: () => false };
  // A CRD that is given wins over a folder.
  const definitions = new Map([...definitionsOf(kinds.all), ...(await definitionsIn(options.crd ?? [], io))]);
  const inputs = await readInput(options.file, io);
  if (inputs.length === 0) throw new UsageError(`${options.file.join(", ")}: no object to validate`);
  const olds = options.old === undefined ? undefined : await readInput(options.old, io);
  const validated = inputs.map((input) => judged(input, olds, definitions, surroundings, options));
  if (options.output === "text") tell(validated, io);
  else io.print(formatted(validated, options.output));
  const refused = validated.filter(({ answer }) => !answer.allowed).length;
  if (refused > 0) throw new RefusedError(`${refused} of ${validated.length} refused`);
}

function judged(
  input: InputObject,
  olds: readonly InputObject[] | undefined,
  definitions: Definitions,
  surroundings: Surroundings,
  options: ValidateOptions,
): Validated {
  const { source, value } = input;
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string") {
    throw new UsageError(`${source}: the object has no apiVersion and kind`);
  }
  const definition = definitions.get(kindName(groupVersionOf(apiVersion).group, kind));
  if (definition === undefined) {
    const known = [...definitions.keys()].join(", ");
    throw new UsageError(
      `${source}: ${kind} of ${apiVersion} is no kind known here; there are ${known}: give its CRD by --crd`,
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
function inNamespace(object: JsonObject, { scope }: Definition, namespace: string): JsonObject {
  const { metadata } = object;
  if (scope === "Cluster" || !isObject(metadata) || Object.hasOwn(metadata, "namespace")) return object;
  return set(object, "metadata", { ...metadata, namespace });
}

/** What the server answers, webhooks included. What was there before is taken as it would be read: with its defaults. */
function answerOf(
  object: JsonObject,
  old: JsonObject | undefined,
  definition: Definition,
  surroundings: Surroundings,
  { subresource, fieldValidation }: ValidateOptions,
): Answer {
  const version = definition.versions.find(
    ({ name }) => apiVersionOf(definition.group, name) === object.apiVersion,
  );
  const before = old === undefined ? undefined : (version?.schema.defaulted(old) ?? old);
  const write = {
    ...(before === undefined ? {} : { old: before }),
    ...(subresource === undefined ? {} : { subresource }),
  };
  const first = answerWrite(definition, { ...write, object });
  const unknown = first.warnings.filter((each) => each.startsWith("unknown field "));
  if (fieldValidation === "strict" && unknown.length > 0) {
    const status = badRequestStatus(
      `${definition.kind} in version ${JSON.stringify(version?.name)} cannot be handled as a ${definition.kind}: strict decoding error: ${unknown.join(", ")}`,
    );
    return { allowed: false, status, warnings: first.warnings.filter((each) => !unknown.includes(each)) };
  }
  const clean =
    version === undefined ? object : version.schema.defaulted(version.schema.prune(object).object);
  const review = reviewOf(clean, before, subresource);
  // What a webhook can mend it mends before the schema is asked; what cannot even be read never comes to it.
  const isReadable = first.allowed || get(first.status, "code") === 422;
  if (!isReadable || !isServed(object, definition, surroundings)) return silenced(first, fieldValidation);
  const mutated = responseOf(wholeReview(answerMutation(review, surroundings)));
  if (!mutated.allowed) return refusedBy("mutate", mutated, definition);
  const changed = jsonpatch.apply_patch(clean, [...mutated.patch]);
  const answer = mutated.patch.length === 0 ? first : answerWrite(definition, { ...write, object: changed });
  if (!answer.allowed || answer.object === undefined) return silenced(answer, fieldValidation);
  const asked = reviewOf(answer.object, before, subresource);
  const judged = responseOf(wholeReview(answerValidation(asked, surroundings)));
  if (!judged.allowed) return refusedBy("validate", judged, definition);
  const warnings = [...answer.warnings, ...mutated.warnings, ...judged.warnings];
  return silenced({ ...answer, warnings }, fieldValidation);
}

/** Of a CRD that was given alone there is no webhook here. */
function isServed({ apiVersion }: JsonObject, { group, kind }: Definition, { kinds }: Surroundings): boolean {
  const own = kinds.find(group, kind);
  return own !== undefined && versionIndex(own, apiVersion) !== undefined;
}

function silenced(answer: Answer, fieldValidation: ValidateOptions["fieldValidation"]): Answer {
  if (fieldValidation !== "ignore") return answer;
  return { ...answer, warnings: answer.warnings.filter((each) => !each.startsWith("unknown field ")) };
}

/** A webhook's refusal as the API server sends it on (kubernetes.md 1.12). */
function refusedBy(
  road: "mutate" | "validate",
  { status = {}, warnings }: ReturnType<typeof responseOf>,
  { plural, group }: Definition,
): Answer {
  const message = `admission webhook "${road}.${plural}.${group}" denied the request: ${status.message}`;
  return {
    allowed: false,
    status: set({ ...failure(500, undefined, ""), ...status }, "message", message),
    warnings,
  };
}

function formatted(validated: readonly Validated[], output: "json" | "yaml"): string {
  return formatObjects(
    validated.map(({ answer }) => answer as unknown as JsonObject),
    output,
  );
}

/** As kubectl does: what is good on standard output, what is not beside it, and each warning once in a run. */
function tell(validated: readonly Validated[], io: ValidateIo): void {
  const warned = new Set<string>();
  for (const { answer, ...told } of validated) {
    for (const warning of answer.warnings.filter((each) => !warned.has(each))) {
      io.note(`Warning: ${warning}`);
      warned.add(warning);
    }
    const { line, error } = kubectlSays({ ...told, answer });
    if (error) io.note(line);
    else io.print(`${line}\n`);
  }
}
