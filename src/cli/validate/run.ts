import { kindName, kindNameOf } from "../../apimachinery/resource.ts";
import { RejectedError, UsageError } from "../../errors.ts";
import { get, isObject, type JsonObject, set } from "../../json/json.ts";
import type { Kinds } from "../../kind/kind.ts";
import { type Crds, crdsByKind, crdsOf, type GivenCrd, readCrds } from "../../offline/crds.ts";
import { type InputObject, readInput } from "../../offline/input.ts";
import { kubectlLine } from "../../offline/kubectl.ts";
import { painted } from "../../offline/lines.ts";
import { offlineListers } from "../../offline/listers.ts";
import { oldOf } from "../../offline/review.ts";
import { reviewContextOf } from "../../offline/review-context.ts";
import { answerOf } from "../../offline/write-answer.ts";
import type { AdmissionContext } from "../../review/write.ts";
import type { Answer, Crd, FieldValidation, KubernetesVersion } from "../../schema/index.ts";
import { fieldPlaces, findingsOf, placeLine, warningFindings } from "../cause-places.ts";
import type { ReviewIo } from "../console.ts";
import { kindsIfAny } from "../crd-names.ts";
import { readGates } from "../gates.ts";
import { formatObjects } from "../output.ts";
import { formatReport, isReportFormat, type ReportFormat } from "../reports/format.ts";
import type { CheckReport } from "../reports/report.ts";
import { unknowns, whyWithoutKind } from "../unknown.ts";

/** The options of `antechamber validate`. */
interface ValidateOptions {
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
  /** The release of the API server whose answers are given; by default the newest. */
  readonly kubernetesVersion?: KubernetesVersion;
  /** Whether documents of unknown kinds are skipped. */
  readonly skipUnknown?: boolean;
  readonly output: "text" | "json" | "yaml" | ReportFormat;
}

/** A write with its response. */
interface Validated {
  readonly input: InputObject;
  readonly definition: Crd;
  readonly object: JsonObject;
  readonly old: JsonObject | undefined;
  readonly answer: Answer;
}

/**
 * Validates writes as an API server with these kinds would: defaults, the mutating webhook, the schema, the validating
 * webhook. Throws RejectedError if one is rejected.
 */
export async function validate(options: ValidateOptions, io: ReviewIo): Promise<void> {
  const given = await readCrds(options.crd ?? [], io, options);
  reportRejected(given, options, io);
  const { reading, known } = unknowns(options.skipUnknown === true, io.note);
  const read = await readInput(options.file, io, { ...reading, numbers: "as written" });
  if (read.length === 0) throw new UsageError(`${options.file.join(", ")}: no object found`);
  const kinds = await kindsFor(read, given, options);
  const gates = readGates(options.featureGates ?? "", [...kinds.all, ...kinds.natives]);
  const listed =
    options.with === undefined ? [] : (await readInput(options.with, io)).map(({ value }) => value);
  const listers = offlineListers(listed, kinds, { now: io.now, gates });
  const context = { ...reviewContextOf(kinds, listers, gates, io), mayWait: () => false };
  // Only of kinds that a document names, since the CRD of a workload takes tens of milliseconds.
  const named = new Set(read.map(({ value }) => kindNameOf(value)));
  const own = kinds.all.filter(({ name }) => named.has(name));
  // A given CRD takes precedence over a folder.
  const crds = new Map([...crdsOf(own, options), ...crdsByKind(given)]);
  const names = new Set([...kinds.all.map(({ name }) => name), ...given.map(({ kind }) => kind)]);
  const olds =
    options.old === undefined ? undefined : await readInput(options.old, io, { numbers: "as written" });
  const inputs = known(read, (input) => whyUnknown(input, crds, names));
  const results = inputs.map((input) => validated(input, olds, crds, context, options));
  if (options.output === "text") report(given, results, io);
  else if (isReportFormat(options.output)) printReport(given, results, options.output, io);
  else io.print(formatted([...notable(given), ...results.map(placed)], options.output));
  const rejected = results.filter(({ answer }) => !answer.allowed).length;
  if (rejected > 0) throw new RejectedError(`${rejected} of ${results.length} rejected`);
}

/** The responses to CRDs that were rejected or have warnings. */
function notable(given: readonly GivenCrd[]): readonly GivenCrd["answer"][] {
  return given.map(({ answer }) => answer).filter(({ allowed, warnings }) => !allowed || warnings.length > 0);
}

/** Throws UsageError if an API server would reject a CRD; for JSON and YAML output its causes are printed before. */
function reportRejected(given: readonly GivenCrd[], { output }: ValidateOptions, io: ReviewIo): void {
  if (given.every(({ answer }) => answer.allowed)) return;
  if (output === "json" || output === "yaml") io.print(formatted(notable(given), output));
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
  const isDefined = ({ value }: InputObject) => defined.has(kindNameOf(value));
  const isNeeded = hasWebhooks || featureGates !== undefined || !inputs.every(isDefined);
  return isNeeded ? kindsIfAny(webhooks) : noKinds;
}

function validated(
  input: InputObject,
  olds: readonly InputObject[] | undefined,
  crds: Crds,
  context: AdmissionContext,
  options: ValidateOptions,
): Validated {
  const { value } = input;
  const definition = definitionOf(input, crds);
  if (definition === undefined) throw new Error(`${input.source}: the kind was known before`);
  const old = oldOf(input, olds);
  const [object, before] = [value, old].map(
    (each) => each && inNamespace(each, definition, options.namespace),
  );
  const answer = answerOf(object ?? value, before, definition, context, options);
  return { input, definition, object: value, old: before, answer };
}

function definitionOf({ value }: InputObject, crds: Crds): Crd | undefined {
  return crds.get(kindNameOf(value));
}

/** Why the kind of an object is unknown. `names` are those of all kinds that are known. */
function whyUnknown(input: InputObject, crds: Crds, names: ReadonlySet<string>): string | undefined {
  const { apiVersion, kind } = input.value;
  const without = whyWithoutKind(input);
  if (without !== undefined || definitionOf(input, crds) !== undefined) return without;
  const known =
    names.size === 0
      ? "there is no folder of kinds here (--webhooks)"
      : `known kinds are ${[...names].join(", ")}`;
  return `unknown kind ${kind} of ${apiVersion}; ${known}; pass its CRD with --crd`;
}

/** Sets the namespace of an object of a namespaced kind, as kubectl does. */
function inNamespace(object: JsonObject, { scope }: Crd, namespace: string): JsonObject {
  const { metadata } = object;
  if (scope === "Cluster" || !isObject(metadata) || Object.hasOwn(metadata, "namespace")) return object;
  return set(object, "metadata", { ...metadata, namespace });
}

/** A response with its place in the input, and those of the fields that a rejection names. */
function placed({ input, answer }: Validated): JsonObject {
  const { file, find } = input;
  const fields = answer.allowed ? [] : fieldPlaces(input, answer.status).map((each) => ({ ...each }));
  return { file, line: find().line, ...answer, ...(fields.length === 0 ? {} : { fields }) };
}

function formatted(answers: readonly (JsonObject | GivenCrd["answer"])[], output: "json" | "yaml"): string {
  return formatObjects(
    answers.map((answer) => ({ ...answer })),
    output,
  );
}

function printReport(
  given: readonly GivenCrd[],
  results: readonly Validated[],
  output: ReportFormat,
  io: ReviewIo,
): void {
  for (const { answer } of given) for (const warning of answer.warnings) io.note(`Warning: ${warning}`);
  const text = formatReport(checksOf(results), output);
  if (text !== "") io.print(`${text}\n`);
}

/** The results for CI: a suite for each file, a check for each object. */
function checksOf(results: readonly Validated[]): CheckReport {
  const byFile = Map.groupBy(results, ({ input }) => input.file);
  const suites = [...byFile].map(([name, those]) => ({ name, checks: those.map(checkOf) }));
  return { name: "antechamber validate", suites };
}

function checkOf({ input, definition, object, answer }: Validated) {
  const errors = answer.allowed ? [] : findingsOf(input, answer.status);
  return {
    group: kindName(definition.group, definition.kind),
    name: String(get(object, "metadata", "name") ?? input.source),
    findings: [...errors, ...warningFindings(input, answer.warnings)],
  };
}

/** As kubectl does, with the places of rejected fields: successes on standard output, all else on standard error. */
function report(given: readonly GivenCrd[], results: readonly Validated[], io: ReviewIo): void {
  const warned = new Set<string>();
  const warn = (warnings: readonly string[]) => {
    for (const warning of warnings.filter((each) => !warned.has(each))) {
      io.note(`Warning: ${warning}`);
      warned.add(warning);
    }
  };
  for (const { answer } of given) warn(answer.warnings);
  for (const { input, answer, ...write } of results) {
    warn(answer.warnings);
    const { line, error } = kubectlLine({ ...write, source: input.source, answer });
    if (!error) {
      io.print(`${line}\n`);
      continue;
    }
    io.note(line);
    for (const place of placeLines(input, answer)) io.note(place);
  }
}

/** Where a rejected object is, field by field. */
function placeLines(input: InputObject, { status }: Answer): readonly string[] {
  const fields = fieldPlaces(input, status);
  const places = fields.length > 0 ? fields : [{ field: "", ...input.find() }];
  return places.map(placeLine(input)).map((each) => painted(each, false));
}
